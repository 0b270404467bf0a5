"""T-bassily: its numbers, its conditions, and the steps of its proof."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, expm1, log, log1p, mpf, mpmathify, workdps

from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.bassily import bassily
from peekproof.theory.generalization.noise import SampleAccuracy

SAMPLE = SampleAccuracy(radius=0.01, beta=Fraction(1, 100))


@given(
    epsilon=st.fractions(Fraction(1, 100), Fraction(1, 8)),
    share=st.fractions(0, 1),
    rows=st.integers(120_000, 10**9),
    questions=st.integers(1, 1000),
)
def test_radius_and_failure_are_the_corrected_ones(
    epsilon: Fraction, share: Fraction, rows: int, questions: int
) -> None:
    loss = ApproxDP(epsilon=epsilon, delta=share**8 * epsilon / 16)
    bound = bassily(SAMPLE, loss, rows=rows, questions=questions)
    with workdps(50):
        eps = mpmathify(epsilon)
        radius = mpf(SAMPLE.radius) + 6 * eps
        each = max(4 * mpmathify(loss.delta) / eps, 2 * exp(-eps * eps * rows / 8))
        failure = mpmathify(SAMPLE.beta) + questions * each

        assert radius <= bound.radius <= radius * (1 + mpf("1e-9"))
        assert min(1, failure) <= mpmathify(bound.beta) * (1 + mpf("1e-45"))
        # Below 1e-304 the tail is held there.
        assert mpmathify(bound.beta) <= min(1, failure * (1 + mpf("1e-9")) + mpf("1e-290"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "argument"),
    [
        (Fraction(126, 1000), Fraction(0), "epsilon"),
        (Fraction(34, 1000), Fraction(0), "epsilon"),  # √(12/10⁴) = 0.0346
        (Fraction(0), Fraction(0), "epsilon"),
        (Fraction(1, 10), Fraction(1, 159), "delta"),
    ],
)
def test_outside_its_conditions_it_is_refused(
    epsilon: Fraction, delta: Fraction, argument: str
) -> None:
    with pytest.raises(InvalidInput, match=argument):
        bassily(SAMPLE, ApproxDP(epsilon=epsilon, delta=delta), rows=10_000, questions=1)


@given(epsilon=st.floats(0.001, 0.125), delta=st.floats(0, 0.01), exponent=st.floats(1, 40))
def test_the_monitor_forbids_any_larger_failure(
    epsilon: float, delta: float, exponent: float
) -> None:
    """The inequality of the proof fails at every p just above the claimed one."""
    rows = ceil(8 * exponent / epsilon**2)
    with workdps(40):
        eps = mpf(epsilon)
        claimed = max(4 * mpf(delta) / eps, 2 * exp(-eps * eps * rows / 8))
        for p in (claimed * factor for factor in (mpf("1.0001"), 2, 10)):
            copies = int(1 / p)
            if copies:
                overfits = 6 * eps * -expm1(copies * log1p(-min(p, mpf("0.999999"))))
                least = overfits - 2 * log(2 * copies) / (eps * rows)

                assert least > expm1(2 * eps) + copies * mpf(delta)
