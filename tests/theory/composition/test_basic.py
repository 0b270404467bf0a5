"""Sums: many at once is one at a time, and δ and TV end at 1."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import TV, ApproxDP, PureDP
from peekproof.theory.composition import basic, basic_pure, total_variation
from peekproof.theory.conversion import pure_to_approx, tv_to_approx

approx = st.builds(
    ApproxDP, epsilon=st.fractions(0, 10, max_denominator=10**6), delta=st.fractions(0, 1)
)
pure = st.builds(PureDP, st.fractions(0, 10, max_denominator=10**6))
distances = st.builds(TV, st.fractions(0, 1))


@given(st.lists(approx, max_size=5))
def test_all_at_once_is_one_at_a_time(losses: list[ApproxDP]) -> None:
    running = ApproxDP(epsilon=Fraction(0), delta=Fraction(0))
    for loss in losses:
        running = basic([running, loss])

    assert basic(losses) == running
    assert running.delta == min(1, sum(loss.delta for loss in losses))


@given(st.lists(pure, max_size=5))
def test_pure_losses_add_as_approximate_ones(losses: list[PureDP]) -> None:
    assert basic(map(pure_to_approx, losses)) == pure_to_approx(basic_pure(losses))
    assert basic_pure(losses).epsilon == sum(loss.epsilon for loss in losses)


@given(st.lists(distances, max_size=5))
def test_total_variation_adds_as_delta(losses: list[TV]) -> None:
    assert tv_to_approx(total_variation(losses)) == basic(map(tv_to_approx, losses))


def test_by_hand() -> None:
    losses = [
        ApproxDP(epsilon=Fraction(1, 3), delta=Fraction(1, 10)),
        ApproxDP(epsilon=Fraction(2, 3), delta=Fraction(1, 5)),
    ]

    assert basic(losses) == ApproxDP(epsilon=Fraction(1), delta=Fraction(3, 10))
    assert basic([]) == ApproxDP(epsilon=Fraction(0), delta=Fraction(0))
    assert total_variation([TV(Fraction(2, 3)), TV(Fraction(2, 3))]) == TV(Fraction(1))
