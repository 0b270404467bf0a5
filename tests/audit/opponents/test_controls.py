"""The controls do what textbooks say, about right for questions that were fixed beforehand."""

from __future__ import annotations

from fractions import Fraction
from math import comb, fsum, sqrt

import numpy as np
import pytest

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.evidence import chance
from peekproof.audit.opponents.controls import NoiseOnly, Plain, Told
from peekproof.audit.opponents.protocol import Terms
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.testing.statistics import statistical

FALSE_ALARM = 2e-9
COLUMNS = {"a": np.array([1.0, 2.0, 3.0, 6.0])}
# From tables of the normal law: two-sided, at 0.05 and at 0.05/10.
ONE, TEN = 1.959963984540054, 2.807033768343811


def told(setup: Plain | NoiseOnly, *, questions: int = 1, seed: int = 1) -> Told:
    terms = Terms(confidence=Fraction(19, 20), questions=questions, seed=seed)
    return setup.open(COLUMNS, terms=terms)


@pytest.mark.parametrize(("questions", "deviations"), [(1, ONE), (10, TEN)])
@pytest.mark.parametrize(
    ("question", "value", "variance"),
    [("a > 1", 0.75, 3 / 16), ("mean(a, 0, 8, 0)", 3.0, 3.5), ("mean(a, 2, 4, 2)", 2.75, 11 / 16)],
)
def test_plain_answers_are_exact_and_their_intervals_bonferronis(
    question: str, value: float, variance: float, questions: int, deviations: float
) -> None:
    reply = told(Plain(), questions=questions).reply(question, guess=0.1, tolerance=1e-9)

    assert reply.value == value
    assert reply.radius == pytest.approx(deviations * sqrt(variance / 4), rel=1e-6)
    assert reply.low + reply.high == pytest.approx(2 * value)


@pytest.mark.parametrize(("question", "width"), [("a > 1", 1.0), ("mean(a, 0, 8, 0)", 8.0)])
def test_noise_is_as_large_as_samples_scatter_in_the_units_of_the_question(
    question: str, width: float
) -> None:
    reply = told(NoiseOnly(), questions=10).reply(question)

    assert reply.radius == pytest.approx(TEN * width / (2 * sqrt(4)), rel=1e-6)
    assert (reply.low + reply.high) / 2 == pytest.approx(reply.value)
    assert reply.value != told(Plain()).reply(question).value


def test_noise_is_that_of_the_seed_and_exact_answers_have_none() -> None:
    first, again, other = (told(NoiseOnly(), seed=seed).reply("a > 1") for seed in (1, 1, 2))

    assert first == again != other
    assert told(Plain(), seed=1).reply("a > 1") == told(Plain(), seed=2).reply("a > 1")


@pytest.mark.parametrize("setup", [Plain(), NoiseOnly()])
def test_more_questions_than_were_agreed_are_refused(setup: Plain | NoiseOnly) -> None:
    opponent = told(setup, questions=2)
    opponent.reply("a > 1")
    opponent.reply("a > 1")

    with pytest.raises(BudgetExhausted):
        opponent.reply("a > 2")
    opponent.close()


def test_they_claim_what_was_asked_last_and_are_certified_by_nobody() -> None:
    truths = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]

    assert told(Plain()).claimed(truths) == Fraction(1, 4)
    assert not Plain().certified
    assert not NoiseOnly().certified


@pytest.mark.parametrize("question", ["histogram(a, (1, 2))", "quantile(a, 0.5, 0, 8)"])
def test_they_answer_shares_and_means(question: str) -> None:
    with pytest.raises(InvalidInput, match="a share or a mean"):
        told(Plain()).reply(question)


def test_intervals_exist_however_sure_they_shall_be() -> None:
    terms = Terms(confidence=1 - Fraction(1, 10**30), questions=1, seed=1)

    reply = Plain().open(COLUMNS, terms=terms).reply("a > 1")
    # Φ⁻¹(5·10⁻³¹), from tables
    assert reply.radius == pytest.approx(11.52 * sqrt(3 / 64), rel=1e-2)


@pytest.mark.parametrize(
    ("field", "value"), [("confidence", Fraction(1)), ("confidence", Fraction(0)), ("questions", 0)]
)
def test_terms_are_checked(field: str, value: object) -> None:
    given = {"confidence": Fraction(19, 20), "questions": 1, "seed": 1, field: value}

    with pytest.raises(InvalidInput, match=f"^{field} must be"):
        Terms(**given)  # type: ignore[arg-type]


ROWS, TRIALS = 400, 300


def misses(terms: Terms) -> int:
    """How often the interval of a fixed question is wrong about fair coins."""
    rng, found = np.random.default_rng(7), 0
    for _ in range(TRIALS):
        coins: Columns = {"x": rng.random(ROWS) < 0.5}
        found += 0.5 not in Plain().open(coins, terms=terms).reply("x")
    return found


def law(deviations: float) -> float:
    """How probable that is, by the binomial law itself."""
    return fsum(
        comb(ROWS, heads) * 0.5**ROWS
        for heads in range(ROWS + 1)
        if abs(heads / ROWS - 0.5) > deviations * sqrt(heads * (ROWS - heads) / ROWS**3)
    )


@statistical(false_alarm=2 * FALSE_ALARM)
def test_plain_intervals_are_right_for_questions_that_were_fixed() -> None:
    single = Terms(confidence=Fraction(19, 20), questions=1, seed=1)
    shared = Terms(confidence=Fraction(1, 2), questions=10, seed=1)  # 0.05 for each

    for terms in (single, shared):
        found = chance(misses(terms), trials=TRIALS, false_alarm=FALSE_ALARM)
        assert found.low <= law(ONE) <= found.high
        # The mutants: half of the width, twice the width, one level for all questions.
        for wrong in (ONE / 2, 2 * ONE, 0.674):
            assert not found.low <= law(wrong) <= found.high
