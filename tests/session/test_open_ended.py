"""Sessions without a number of questions."""

from pathlib import Path

import numpy as np
import pytest

from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.noise.entropy import Seeded
from session.conftest import Opener


def test_answers_widen_by_stages_and_stay_as_they_were(csv: Path, opened: Opener) -> None:
    session = opened(csv, mechanisms=(OpenEnded,))
    answers = [session.ask(f"age > {i}") for i in range(20, 35)]
    widths = [answer.certificate.radius for answer in answers]

    assert widths == sorted(widths)
    assert len(set(widths)) == 4  # 15 draws are four stages
    assert [answer.remaining for answer in answers] == [
        session.remaining + 14 - i for i in range(15)
    ]
    for i, answer in enumerate(answers):
        again = session.ask(f"age > {20 + i}")
        assert (again.interval, again.replayed) == (answer.interval, True)
        assert answer.certificate.verify() == answer.certificate


def test_a_batch_has_the_noise_of_its_last_draw(csv: Path, opened: Opener) -> None:
    session = opened(csv, mechanisms=(OpenEnded,))
    batch = session.ask_many([f"age > {i}" for i in range(20, 30)])

    assert len({answer.certificate.radius for answer in batch}) == 1
    assert batch[0].certificate == session.ask("age > 50").certificate  # also of the fourth stage


def test_the_promise_continues_from_the_file(csv: Path, opened: Opener) -> None:
    with opened(csv, mechanisms=(OpenEnded,)) as session:
        first = session.ask("age > 50")
    continued = opened(csv, mechanisms=(OpenEnded,))

    assert continued.ask("age > 50").interval == first.interval
    assert continued.ask("age > 60").certificate.radius > first.certificate.radius
    assert "open-ended" in repr(continued)


def test_it_ends_where_intervals_would_say_nothing(opened: Opener) -> None:
    values = np.random.default_rng(1).uniform(0, 1, 200)
    session = opened({"y": values}, mechanisms=(OpenEnded,), entropy=Seeded(1))
    size = session.plan.target.questions
    answers = session.ask_many([f"y > {i / 1000}" for i in range(size)])

    assert max(answer.radius for answer in answers) < 0.5
    with pytest.raises(BudgetExhausted):
        session.ask("y > 0.99999")


def test_a_number_of_questions_or_a_radius_has_no_place_in_it(csv: Path, opened: Opener) -> None:
    with pytest.raises(InvalidInput, match=r"^mechanisms must be OpenEnded alone"):
        opened(csv, mechanisms=(OpenEnded,), questions=10)
    with pytest.raises(InvalidInput, match=r"^mechanisms must be OpenEnded alone"):
        opened(csv, mechanisms=(OpenEnded, Gaussian))
    with pytest.raises(InvalidInput, match=r"^radius must be left out"):
        opened(csv, mechanisms=(OpenEnded,)).ask("age > 50", radius=0.1)
