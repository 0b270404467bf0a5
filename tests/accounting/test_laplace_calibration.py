"""Laplace noise for a target: it meets it, and a little less does not."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from peekproof.accounting.calibration import (
    laplace_scale,
    laplace_scale_within,
    most_laplace_answers,
)
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from theory.composition.enumeration import exact_delta

targets = st.builds(
    ApproxDP,
    epsilon=st.fractions(Fraction(1, 10), 6),
    delta=st.fractions(Fraction(1, 10**9), Fraction(1, 10)),
)


@settings(max_examples=25)
@given(target=targets, count=st.integers(1, 8))
def test_the_scale_meets_the_target_and_less_does_not(target: ApproxDP, count: int) -> None:
    scale = laplace_scale_within(target, sensitivity=Fraction(2), count=count)

    def delta(size: Fraction) -> mpf:
        each = ApproxDP(epsilon=2 / size, delta=Fraction(0))
        return exact_delta([each] * count, target.epsilon)

    assert delta(scale) <= target.delta
    assert delta(scale * (1 - Fraction(1, 10**6))) > target.delta
    assert scale <= laplace_scale(PureDP(target.epsilon), sensitivity=Fraction(2), count=count)


@settings(max_examples=25)
@given(target=targets, epsilon=st.fractions(Fraction(1, 2), 5))
def test_the_most_answers_fit_and_one_more_does_not(target: ApproxDP, epsilon: Fraction) -> None:
    count = most_laplace_answers(target, each=PureDP(epsilon))
    each = ApproxDP(epsilon=epsilon, delta=Fraction(0))
    if count > 9:  # more than can be enumerated
        return
    assert exact_delta([each] * count, target.epsilon) <= target.delta
    assert exact_delta([each] * (count + 1), target.epsilon) > target.delta * (
        1 - Fraction(1, 10**9)
    )


def test_absurd_targets_are_refused() -> None:
    target = ApproxDP(epsilon=Fraction(1), delta=Fraction(0))
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        laplace_scale_within(target, sensitivity=Fraction(1))
    with pytest.raises(InvalidInput, match=r"^each must be"):
        most_laplace_answers(
            ApproxDP(epsilon=Fraction(100), delta=Fraction(1, 2)), each=PureDP(Fraction(1, 10**12))
        )
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        most_laplace_answers(
            ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 2)), each=PureDP(Fraction(0))
        )
