"""What holds for every analyst, whatever it is told: above all that it knows the population."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import product

import numpy as np
import pytest

from audit.analysts.attempts import Noisy
from peekproof.audit.analysts.averaging import Averaging
from peekproof.audit.analysts.boosting import Boosting
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.fingerprinting import Fingerprinting
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.audit.analysts.protocol import Analyst, Columns, Conversation, ExactSample
from peekproof.audit.analysts.reconstruction import Reconstruction
from peekproof.core.errors import BudgetExhausted, InvalidInput

SIGNS = 6
SIZE = 24

SMALL: dict[str, Analyst] = {
    each.kind: each
    for each in (
        Correlation(rows=20, features=SIGNS),
        Boosting(rows=20, submissions=SIGNS),
        Freedman(rows=20, features=SIGNS),
        ReusedHoldout(rows=20, variables=SIGNS, chosen=3),
        Averaging(rows=20, features=SIGNS, spellings=5),
        Reconstruction(rows=20, size=SIZE),
        Digits(rows=20, size=SIZE),
        Fingerprinting(rows=20, size=SIZE, columns=9, rounds=3),
    )
}


def population(analyst: Analyst) -> Columns:
    """Every kind of row once: all signs, or one row for each number of the list."""
    rng = np.random.default_rng(0)
    columns = analyst.data(rng)
    if "i" in columns:
        samples = [analyst.data(rng) for _ in range(50)]
        joined = {name: np.concatenate([each[name] for each in samples]) for name in columns}
        numbers, first = np.unique(joined["i"], return_index=True)
        assert len(numbers) == SIZE  # none was left out
        return {name: column[first] for name, column in joined.items()}
    signs = np.array(list(product([-1, 1], repeat=len(columns))), np.int8).T
    return dict(zip(columns, signs, strict=True))


def talk(analyst: Analyst, *, sigma: float, seed: int) -> Conversation:
    rng = np.random.default_rng(seed)
    return analyst.play(Noisy(ExactSample(analyst.data(rng)), sigma=sigma, rng=rng), rng=rng)


def test_there_are_eight_and_each_is_found_under_its_name() -> None:
    assert len(ANALYSTS) == 8
    assert ANALYSTS.keys() == SMALL.keys()
    for name, kind in ANALYSTS.items():
        assert name == kind.kind
        assert type(SMALL[name]) is kind


@pytest.mark.parametrize("name", ANALYSTS)
def test_an_analyst_is_a_value_with_a_size_of_its_own(name: str) -> None:
    analyst = ANALYSTS[name]()

    assert is_dataclass(analyst)
    assert fields(analyst)
    assert analyst == ANALYSTS[name]()
    assert hash(analyst) == hash(ANALYSTS[name]())
    assert 0.1 < analyst.predicted < 0.7


@pytest.mark.parametrize("questions", [13, 40, 401])
@pytest.mark.parametrize("rows", [50, 2000])
@pytest.mark.parametrize("name", ANALYSTS)
def test_an_analyst_of_a_size_asks_no_more_than_it_may(
    name: str, rows: int, questions: int
) -> None:
    analyst = ANALYSTS[name].sized(rows=rows, questions=questions)

    assert 2 <= analyst.questions <= questions
    assert 0 < analyst.predicted < 1
    if questions < 401:
        columns = analyst.data(np.random.default_rng(1))
        assert {len(column) for column in columns.values()} == {rows}
        asked = analyst.play(ExactSample(columns), rng=np.random.default_rng(2)).asked
        assert len(asked) <= analyst.questions
        if name != Freedman.kind:  # which asks about pairs of what it finds
            assert len(asked) == analyst.questions


@pytest.mark.parametrize("name", ANALYSTS)
def test_no_analyst_can_do_with_one_question(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"^questions must be at least .* for {name}, got 1$"):
        ANALYSTS[name].sized(rows=50, questions=1)


@pytest.mark.parametrize("sigma", [0.0, 0.1, 3.0])
@pytest.mark.parametrize("name", ANALYSTS)
def test_the_truth_of_every_question_is_the_populations_value(name: str, sigma: float) -> None:
    everyone = ExactSample(population(SMALL[name]))

    for seed in range(5):
        conversation = talk(SMALL[name], sigma=sigma, seed=seed)
        for asked in conversation.asked:
            assert everyone(asked.question) == pytest.approx(float(asked.truth), abs=1e-15)


@pytest.mark.parametrize("name", ANALYSTS)
def test_what_is_asked_last_depends_on_what_was_told(name: str) -> None:
    last = {talk(SMALL[name], sigma=0.1, seed=seed).decisive.question for seed in range(8)}

    assert len(last) > 1


@pytest.mark.parametrize("name", ANALYSTS)
def test_samples_and_conversations_repeat_with_their_seed(name: str) -> None:
    assert talk(SMALL[name], sigma=0.1, seed=1) == talk(SMALL[name], sigma=0.1, seed=1)
    assert talk(SMALL[name], sigma=0.1, seed=1) != talk(SMALL[name], sigma=0.1, seed=2)


@pytest.mark.parametrize("name", ANALYSTS)
def test_guesses_lie_where_answers_can_and_a_refused_analyst_goes_on_with_them(name: str) -> None:
    def silent(
        question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        assert guess is not None
        assert 0 <= guess <= 1
        raise BudgetExhausted(asked=1, remaining=0, questions=1)

    refused = SMALL[name].play(silent, rng=np.random.default_rng(1))

    assert all(asked.told is None for asked in refused.asked)
    assert refused.decisive.error == 0


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (name, field.name)
        for name, kind in ANALYSTS.items()
        for field in fields(kind)  # type: ignore[arg-type]
        if field.name != "seed"
    ],
)
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_sizes_are_positive(name: str, field: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=f"^{field} must be"):
        replace(SMALL[name], **{field: value})  # type: ignore[type-var]


def test_a_regression_has_no_more_features_than_rows() -> None:
    with pytest.raises(InvalidInput, match="features must be at most the rows, got 11"):
        Freedman(rows=10, features=11)
