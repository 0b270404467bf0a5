"""T-check-horizon: levels summed over whole trees in exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, pi, workdps

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.checking import (
    Transcript,
    log_inverse_level,
    log_inverse_level_within,
    next_log_inverse_level,
)

LEVEL = Fraction(1, 20)
DIGITS = 50
CLOSE = mpf("1e-10")


@given(
    beta=st.fractions(Fraction(1, 10**9), Fraction(999, 1000)),
    before=st.integers(0, 10**7),
    after=st.integers(0, 10**9),
    data=st.data(),
)
def test_the_level_is_the_formula_rounded_down(
    beta: Fraction, before: int, after: int, data: st.DataObject
) -> None:
    failures = data.draw(st.integers(0, min(before, 40)))
    bins = data.draw(st.lists(st.integers(1, 10**9), min_size=failures, max_size=failures))
    past = Transcript(questions=before, failures=failures, values=prod(bins))
    horizon = before + 1 + after
    claimed = log_inverse_level_within(beta=beta, transcript=past, questions=horizon)
    with workdps(DIGITS):
        place = 6 / (pi**2 * mpf(before + 1) ** 2) / 2 + mpf(1) / (2 * horizon)
        weight = place * 6 / (pi**2 * mpf(failures + 1) ** 2)
        level = mpmathify(beta) * weight / (comb(before, failures) * prod(bins))
        assert -log(level) <= claimed <= -log(level) * (1 + CLOSE)


@pytest.mark.parametrize("horizon", [1, 10**12, 10**200, 10**300])
def test_any_horizon_will_do(horizon: int) -> None:
    for before in {0, min(5, horizon - 1), horizon - 1}:
        past = Transcript(questions=before)
        claimed = log_inverse_level_within(beta=LEVEL, transcript=past, questions=horizon)
        with workdps(700):
            place = 3 / (pi**2 * mpf(before + 1) ** 2) + mpf(1) / (2 * horizon)
            exact = -log(mpmathify(LEVEL) * place * 6 / pi**2)
            assert exact <= claimed <= exact * (1 + CLOSE)


def bins_after(path: tuple[int, ...]) -> int:
    """A number of bins that depends on the whole path, as an analyst may choose it."""
    return 3 + sum((place + 2) * (outcome + 3) for place, outcome in enumerate(path)) % 3


def tree(depth: int) -> Iterator[Transcript]:
    """The past of every node with fewer than `depth` questions before it; −1 is a pass."""
    level: list[tuple[tuple[int, ...], Transcript]] = [((), Transcript())]
    for _ in range(depth):
        yield from (past for _, past in level)
        level = [
            ((*path, outcome), past.passed() if outcome < 0 else past.failed(bins=bins))
            for path, past in level
            for bins in [bins_after(path)]
            for outcome in range(-1, bins)
        ]


def as_claimed(past: Transcript, horizon: int) -> Fraction:
    """The level in units of β, from above."""
    claimed = log_inverse_level_within(beta=LEVEL, transcript=past, questions=horizon)
    with workdps(DIGITS):
        level = exp(-mpf(claimed)) / mpmathify(LEVEL)
        return Fraction(int(level * mpf(10) ** 40) + 1, 10**40)


def whole_level_for_all_alike(past: Transcript, horizon: int) -> Fraction:
    """The mutant: 1/k, of which no half was left for the early questions."""
    with workdps(DIGITS):
        early = mpf(6) / (pi**2 * (past.questions + 1) ** 2) / 2
        ratio = (early + mpf(1) / horizon) / (early + mpf(1) / (2 * horizon))
        return as_claimed(past, horizon) * Fraction(int(ratio * 10**30), 10**30)


def places_forgotten(past: Transcript, horizon: int) -> Fraction:
    """The mutant: nobody counts at which questions the failures may have been."""
    return as_claimed(past, horizon) * comb(past.questions, past.failures)


def bins_forgotten(past: Transcript, horizon: int) -> Fraction:
    """The mutant: nobody counts what the failures may have said."""
    return as_claimed(past, horizon) * past.values


def total(level: Callable[[Transcript, int], Fraction], horizon: int) -> Fraction:
    return sum((level(past, horizon) for past in tree(horizon)), Fraction(0))


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5, 6])
def test_the_levels_of_a_whole_tree_sum_to_at_most_beta(horizon: int) -> None:
    found = total(as_claimed, horizon)

    assert Fraction(1, 3) < found <= 1


@pytest.mark.parametrize("mutant", [whole_level_for_all_alike, places_forgotten, bins_forgotten])
def test_levels_that_are_too_large_sum_to_more_than_beta(
    mutant: Callable[[Transcript, int], Fraction],
) -> None:
    assert total(mutant, 6) > 1


def test_late_questions_gain_and_the_first_loses_less_than_a_half() -> None:
    def gain(before: int) -> float:
        past = Transcript(questions=before)
        within = log_inverse_level_within(beta=LEVEL, transcript=past, questions=10_000)
        return log_inverse_level(beta=LEVEL, transcript=past) - within

    with workdps(DIGITS):
        assert -log(2) < gain(0) < 0 < gain(100) < gain(9_999)
        assert abs(gain(9_999) - log((1 + pi**2 * 10_000 / 6) / 2)) < 1e-9


def test_nothing_comes_after_the_horizon() -> None:
    past = Transcript(questions=7)

    assert log_inverse_level_within(beta=LEVEL, transcript=past, questions=8) > 0
    with pytest.raises(InvalidInput, match=r"^questions must be at least 8"):
        log_inverse_level_within(beta=LEVEL, transcript=past, questions=7)
    with pytest.raises(InvalidInput, match=r"^questions must be"):
        log_inverse_level_within(beta=LEVEL, transcript=past, questions=0)


def test_a_session_has_the_levels_of_its_horizon() -> None:
    past, target = Transcript(questions=3), Target.of(confidence=0.95, questions=4)
    assert next_log_inverse_level(past=past, target=target) == (
        log_inverse_level_within(beta=LEVEL, transcript=past, questions=4)
    )


def test_late_questions_have_more_than_without_a_horizon() -> None:
    past, target = Transcript(questions=1_999), Target.of(confidence=0.95, questions=2_000)
    alone = log_inverse_level(beta=target.beta, transcript=past)
    assert next_log_inverse_level(past=past, target=target) < alone - 5
