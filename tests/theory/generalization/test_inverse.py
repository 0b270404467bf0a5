"""Advanced composition, there and back."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import ApproxDP
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.generalization.search import each_within


@given(total=st.floats(1e-6, 2), count=st.integers(1, 10**6), slack=st.floats(1e-12, 0.5))
def test_composing_what_it_returns_uses_up_the_total(
    total: float, count: int, slack: float
) -> None:
    epsilon = each_within(total, count=count, slack=slack)
    each = ApproxDP(epsilon=Fraction(epsilon), delta=Fraction(0))
    composed = float(advanced_sharp(each, count=count, slack=Fraction(slack)).epsilon)

    assert composed <= total * (1 + 1e-9)
    # tanh(ε/2) falls short of ε/2 by ε³/24.
    assert composed >= total * (1 - 1e-9) - count * epsilon**4 / 24
