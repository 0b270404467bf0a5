"""Max-information against randomised response, where everything is binomial."""

from fractions import Fraction
from math import comb, exp, inf, log, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log as mlog
from mpmath import mpf, mpmathify, workdps
from mpmath import sqrt as msqrt

from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.max_information import (
    corrected_p_value,
    max_information,
    max_information_sharp,
)

epsilons = st.fractions(Fraction(1, 10**6), 3)
betas = st.fractions(Fraction(1, 10**9), Fraction(99, 100))
rows_ = st.integers(1, 10**7)


@given(epsilon=epsilons, rows=rows_, beta=betas)
def test_both_are_their_formulas_and_the_sharp_one_is_smaller(
    epsilon: Fraction, rows: int, beta: Fraction
) -> None:
    published = max_information(PureDP(epsilon), rows=rows, beta=beta)
    sharp = max_information_sharp(PureDP(epsilon), rows=rows, beta=beta)
    with workdps(50):
        eps, b = mpmathify(epsilon), mpmathify(beta)
        first = (eps**2 * rows / 2 + eps * msqrt(rows * mlog(2 / b) / 2)) / mlog(2)
        v = eps**2 * rows / 4
        second = (v + msqrt(v * v + 2 * v * mlog(1 / b))) / mlog(2)

        assert first <= published <= first * (1 + mpf("1e-9"))
        assert second <= sharp <= second * (1 + mpf("1e-9"))
    assert sharp < published


def beyond(*, epsilon: float, rows: int, nats: float) -> float:
    """Pr[ln(joint/product) > nats] for fair bits behind randomised response, exactly.

    Each record adds ln(2p) if its bit is told truly, with p = e^ε/(1 + e^ε), and ln(2(1−p)) if not.
    """
    p = 1 / (1 + exp(-epsilon))
    gain, loss = log(2 * p), log(2 * (1 - p))
    return sum(
        comb(rows, i) * p**i * (1 - p) ** (rows - i)
        for i in range(rows + 1)
        if i * gain + (rows - i) * loss > nats
    )


@given(epsilon=st.floats(0.01, 2), rows=st.integers(1, 150), beta=st.floats(1e-6, 0.5))
def test_randomised_response_stays_within_it(epsilon: float, rows: int, beta: float) -> None:
    bits = max_information_sharp(PureDP(Fraction(epsilon)), rows=rows, beta=Fraction(beta))

    assert beyond(epsilon=epsilon, rows=rows, nats=bits * log(2)) <= beta


def test_without_the_drift_of_the_loss_it_would_be_refuted() -> None:
    epsilon, rows, beta = 1.5, 150, 0.3
    wrong = sqrt(2 * epsilon**2 * rows / 4 * log(1 / beta))  # v left out

    assert beyond(epsilon=epsilon, rows=rows, nats=wrong) > beta


@given(p=st.fractions(0, 1), bits=st.floats(0, 60), beta=betas)
def test_a_corrected_p_value_is_the_formula(p: Fraction, bits: float, beta: Fraction) -> None:
    claimed = corrected_p_value(p, bits=bits, beta=beta)
    with workdps(50):
        exact = min(mpf(1), mpmathify(p) * mpf(2) ** mpf(bits) + mpmathify(beta))

        assert exact <= claimed <= min(mpf(1), exact * (1 + mpf("1e-9")))


def test_no_information_costs_only_the_failure() -> None:
    assert corrected_p_value(Fraction(0), bits=5000.0, beta=Fraction(1, 100)) == pytest.approx(0.01)
    assert corrected_p_value(Fraction(1, 10), bits=5000.0, beta=Fraction(1, 100)) == 1
    assert max_information(PureDP(Fraction(0)), rows=10, beta=Fraction(1, 2)) < 1e-300


@pytest.mark.parametrize("bits", [nan, inf, -1.0])
def test_absurd_information_is_refused(bits: float) -> None:
    with pytest.raises(InvalidInput, match="bits"):
        corrected_p_value(Fraction(1, 10), bits=bits, beta=Fraction(1, 100))


def test_absurd_arguments_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rows"):
        max_information(PureDP(Fraction(1)), rows=0, beta=Fraction(1, 2))
    with pytest.raises(InvalidInput, match="p_value"):
        corrected_p_value(Fraction(11, 10), bits=1.0, beta=Fraction(1, 100))
    with pytest.raises(InvalidInput, match="beta"):
        max_information_sharp(PureDP(Fraction(1)), rows=1, beta=Fraction(1))
