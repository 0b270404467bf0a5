"""Sessions that check guesses: what passes, what fails, and what a failure costs."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.core.charge import Draws, Offer
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.exact import ExactHolder
from peekproof.guess.median.sampled import SampledHolder
from peekproof.ledger.ledger import Written
from peekproof.query.question import parse_question
from peekproof.session.session import Session
from peekproof.theory.generalization.checking import Transcript, log_inverse_level

ROWS = 20_000
DATA = {"x": np.random.default_rng(1).random(ROWS), "y": np.arange(ROWS) % 100}


def checked(**arguments: object) -> Session:
    arguments = {"questions": 500, **arguments}
    return peekproof.open(DATA, mechanisms=[peekproof.Checking], **arguments)  # type: ignore[arg-type]


def test_a_good_guess_is_the_answer_with_its_tolerance() -> None:
    with checked() as session:
        answer = session.ask("x > 0.4", guess=0.61, tolerance=0.03)

        assert answer.released == Fraction(61, 100)
        assert answer.low == pytest.approx(0.58)
        assert answer.high == pytest.approx(0.64)
        assert "T-check-accept" in answer.certificate.theorems
        assert session.failures == 0
        assert answer.certificate.verify() == answer.certificate


def test_a_bad_guess_is_answered_by_a_bin_and_counted() -> None:
    truth = float(np.mean(DATA["x"] > 0.3))
    with checked() as session:
        answer = session.ask("x > 0.3", guess=0.5, tolerance=0.03)

        assert abs(answer.value - truth) < 0.001
        assert truth in answer
        assert answer.radius < 0.02
        assert session.failures == 1
        assert answer.certificate.verify() == answer.certificate


def test_a_failure_widens_what_comes_and_a_pass_hardly_does() -> None:
    def least(session: Session) -> float:
        with pytest.raises(InvalidInput) as refused:
            session.ask("x > 0.501", guess=0.5, tolerance=0.0001)
        return float(refused.value.accepted.split()[2])

    with checked() as session:
        fresh = least(session)
        for number in range(30):
            session.ask(f"x > 0.{number:03}1", guess=1 - number / 1000, tolerance=0.05)
        passed = least(session)
        for number in range(5):
            session.ask(f"x > 0.9{number}", guess=0.5, tolerance=0.05)

        assert session.failures == 5
        assert fresh < passed < 1.6 * fresh
        assert least(session) > 1.3 * passed


def test_means_are_guessed_in_their_units() -> None:
    with checked() as session:
        passed = session.ask("mean(y, 0, 100, 0)", guess=49, tolerance=3)
        failed = session.ask("mean(y, 0, 200, 0)", guess=150, tolerance=4)

        assert (passed.value, session.failures) == (49, 1)
        assert 49.5 in passed
        assert 49.5 in failed
        assert "T-fixed-point" in passed.certificate.theorems


def test_without_a_tolerance_there_is_room_for_a_guess_that_is_a_little_off() -> None:
    with checked() as session:
        answer = session.ask("x > 0.9", guess=0.105)

        assert answer.released == Fraction(105, 1000)
        assert 0.01 < answer.radius < 0.05


def test_the_past_is_in_the_ledger(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with checked(ledger=place) as session:
        first = session.ask("x > 0.3", guess=0.5, tolerance=0.05)
        session.ask("x > 0.4", guess=0.6, tolerance=0.05)
    with peekproof.open(DATA, ledger=place) as session:
        assert session.failures == 1
        again = session.ask("x > 0.3")
        assert (again.released, again.interval) == (first.released, first.interval)
        assert again.replayed
        terms = next(iter(session.ledger.answers().values())).terms
        session.ask("x > 0.5", guess=0.5, tolerance=0.05)
        later = list(session.ledger.answers().values())[-1].terms
        assert (later["questions"], later["failures"]) == ("2", "1")
        assert int(later["values"]) == int(terms["bins"])
        assert session.ledger.verify() == 4


def test_two_sessions_on_one_file_count_together(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with checked(ledger=place) as one, peekproof.open(DATA, ledger=place) as other:
        one.ask("x > 0.3", guess=0.5, tolerance=0.05)
        other.ask("x > 0.2", guess=0.5, tolerance=0.05)

        assert one.failures == other.failures == 2
        terms = list(other.ledger.answers().values())[-1].terms
        assert (terms["questions"], terms["failures"]) == ("1", "1")


def test_what_was_never_answered_counts_as_failed() -> None:
    with checked() as session:
        session.ask("x > 0.4", guess=0.6, tolerance=0.05)
        terms = next(iter(session.ledger.answers().values())).terms
        offer = Offer(cost=Draws(Fraction(1)), terms=terms)
        lost = session.ledger.lose({"0" * 64: "x > 0.7"}, offers=lambda _: [offer])

        assert isinstance(lost, Written)
        assert session.failures == 1


def test_numbers_without_a_guess_and_other_forms_are_refused() -> None:
    with checked() as session:
        for refused in (
            lambda: session.ask("x > 0.5"),
            lambda: session.ask("x > 0.5", guess=1.5),
            lambda: session.ask("x > 0.5", guess=float("nan")),
            lambda: session.ask("x > 0.5", guess=0.5, tolerance=-1.0),
            lambda: session.ask("x > 0.5", guess=0.5, radius=0.1),
            lambda: session.ask("x > 0.5", tolerance=0.1),
            lambda: session.histogram("histogram(x, (0.5))"),
            lambda: session.best(["x > 0.5", "x > 0.6"], loss=0.1),
        ):
            with pytest.raises(InvalidInput):
                refused()
        assert session.remaining == 500
    with (
        peekproof.open(DATA, mechanisms=[peekproof.Gaussian]) as noisy,
        pytest.raises(InvalidInput, match="checks no guesses"),
    ):
        noisy.ask("x > 0.5", guess=0.5, tolerance=0.1)


def test_levels_shrink_with_every_failure() -> None:
    past, beta = Transcript(questions=10), Fraction(1, 20)
    worse = past.failed(bins=50)

    assert log_inverse_level(beta=beta, transcript=worse) > 3 + log_inverse_level(
        beta=beta, transcript=past
    )


def test_training_rows_guess_in_place_of_the_analyst() -> None:
    training = {"x": np.random.default_rng(9).random(30_000), "y": np.arange(30_000) % 100}
    with checked(guesser=peekproof.Training(training)) as session:
        answers = session.ask_many([f"x > 0.{number}" for number in range(1, 10)])
        mean = session.ask("mean(y, 0, 100, 0)")

        assert session.failures == 0
        for number, answer in enumerate(answers, 1):
            assert 1 - number / 10 in answer
            assert answer.radius < 0.05
        assert 49.5 in mean
        assert session.ask("x > 0.55", guess=0.2, tolerance=0.05).value == pytest.approx(
            0.45, abs=0.01
        )
        assert session.failures == 1


def test_weights_learn_from_failures_and_again_from_the_ledger(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    skewed = {"a": rng.random(ROWS) < 0.9, "b": rng.random(ROWS) < 0.2}
    domain = peekproof.Domain({"a": (True, False), "b": (True, False)})
    place = tmp_path / "l.peekproof"
    opened = {"questions": 200, "mechanisms": [peekproof.Checking], "ledger": place}
    with peekproof.open(
        skewed,
        guesser=peekproof.learned_weights(domain),
        **opened,  # type: ignore[arg-type]
    ) as session:
        session.ask_many(["a", "b"])
        assert session.failures == 2  # uniform weights guess one half
        both = session.ask("a and b")
        assert session.failures == 2
        assert 0.18 in both
    fresh = peekproof.learned_weights(domain)
    with peekproof.open(skewed, guesser=fresh, ledger=place) as session:
        session.ask("a and not b")
        assert session.failures == 2
        assert fresh.updates == 2


def test_the_median_of_what_is_possible_learns_too() -> None:
    rng = np.random.default_rng(5)
    skewed = {"a": rng.random(ROWS) < 0.9, "b": rng.random(ROWS) < 0.2}
    domain = peekproof.Domain({"a": (True, False), "b": (True, False)})
    for holder in (None, ExactHolder(cells=4, size=40), SampledHolder(cells=4, size=60, seed=1)):
        guesser = peekproof.consistent_median(domain, holder=holder)
        with peekproof.open(
            skewed, questions=200, mechanisms=[peekproof.Checking], guesser=guesser
        ) as session:
            session.ask_many(["a", "b"])
            assert session.failures == 2
            both = session.ask("a and b", tolerance=0.08)
            assert session.failures == 2
            assert 0.18 in both


def test_training_rows_come_as_arrays_or_frames() -> None:
    frame = pl.DataFrame({"x": [0.1, 0.9], "name": ["a", None]})
    for rows in (frame, frame.to_pandas(), {"x": np.array([0.1, 0.9])}):
        guesser = peekproof.Training(rows)
        with checked(guesser=guesser) as session:
            assert guesser.guess(parse_question("x > 0.5", session.schema)) == Fraction(1, 2)
    with pytest.raises(InvalidInput, match="data frame"):
        peekproof.Training([1, 2, 3])
