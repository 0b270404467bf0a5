"""The choice of a grid costs tightness only."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.accounting.calibration import few, step_for
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.loss_law import composed_law

NONE = GDP(Fraction(0))
sizes = st.fractions(Fraction(1, 1000), 5)
counted = st.dictionaries(sizes, st.integers(1, 1000), max_size=5)


@settings(max_examples=30)
@given(counted, counted, st.just(NONE) | st.builds(GDP, sizes))
def test_a_step_is_positive_and_not_above_the_largest_loss(
    responses: dict[Fraction, int], laplaces: dict[Fraction, int], gaussian: GDP
) -> None:
    step = step_for(responses=responses, laplaces=laplaces, gaussian=gaussian)
    assert step > 0
    if responses or laplaces or gaussian.mu_squared:
        # A root mean square: its square is at most the largest one, but for rounding.
        largest = max([*(x * x for x in (*responses, *laplaces)), gaussian.mu_squared])
        assert step * step <= largest * (1 + Fraction(1, 10**12))


def test_one_parameter_lies_on_its_own_grid() -> None:
    for epsilon in (Fraction(1, 3), Fraction(7), Fraction(1, 10**9)):
        step = step_for(responses={epsilon: 9}, laplaces={}, gaussian=NONE)
        assert (epsilon / step).denominator == 1
    assert step_for(responses={}, laplaces={}, gaussian=NONE) > 0


@settings(max_examples=20)
@given(sizes, st.integers(60, 200))
def test_what_the_grid_adds_is_small(epsilon: Fraction, count: int) -> None:
    """Against a grid on which every loss lies, which adds nothing."""
    responses = {epsilon: count, epsilon / 7: count}
    chosen = step_for(responses=responses, laplaces={}, gaussian=NONE)
    mixed, exact = (
        composed_law(
            responses=responses, laplaces={}, gaussian=NONE, step=step, lost=1e-20
        ).epsilon_at(1e-5)
        for step in (chosen, epsilon / 7)
    )
    assert exact * (1 - Fraction(1, 10**9)) <= mixed <= exact * Fraction(1001, 1000)


def test_few_losses_stay_as_they_are() -> None:
    given_losses = {Fraction(i, 7): i for i in range(1, 2001)}
    assert few(given_losses) == given_losses
    assert few(given_losses) is not given_losses


@pytest.mark.parametrize("spread", [1, 10**6])
def test_many_are_rounded_up_a_little_and_all_are_kept(spread: int) -> None:
    many = {Fraction(i * i * spread + 1, 10**9): 1 + i % 3 for i in range(1, 5000)}
    rounded = few({**many, Fraction(0): 5})
    assert sum(rounded.values()) == sum(many.values())
    total = sum(x * count for x, count in many.items())
    raised = sum(x * count for x, count in rounded.items())
    assert total <= raised <= total * (1 + Fraction(1, 2000))
    exact, after = (sorted(x for x, k in of.items() for _ in range(k)) for of in (many, rounded))
    assert all(less <= more for less, more in zip(exact, after, strict=True))


@pytest.mark.parametrize(
    "responses",
    [
        {Fraction(10**400): 1},
        {Fraction(10**160): 1},
        {Fraction(1): 10**400},
        {Fraction(23, 10**163): 1, Fraction(1, 10**170): 1},
    ],
    ids=range(4),
)
def test_absurd_sizes_get_some_step_or_are_refused(responses: dict[Fraction, int]) -> None:
    try:
        assert step_for(responses=responses, laplaces={}, gaussian=NONE) > 0
    except InvalidInput:
        return
