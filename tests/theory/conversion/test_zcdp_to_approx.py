"""zCDP to approximate, against mpmath, in both directions."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import exp, findroot, log, mpf, mpmathify, sqrt, workdps

from peekproof.core.charge import ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.conversion import (
    pure_to_zcdp,
    zcdp_to_approx,
    zcdp_to_approx_at,
    zcdp_to_approx_closed,
)
from peekproof.theory.optimal_composition import optimal

rhos = st.fractions(Fraction(1, 1000), 100) | st.builds(
    lambda exponent: Fraction(10) ** exponent, st.integers(-40, 6)
)
deltas = st.fractions(Fraction(1, 10**9), Fraction(1, 2)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)


def exact_log_delta(rho: mpf, eps: mpf) -> mpf:
    """min over x = a − 1 of the exponent, where its slope vanishes (sought in ln x)."""
    furthest = log(eps / rho + 1 / sqrt(rho) + 1)
    x = exp(
        findroot(
            lambda u: (2 * exp(u) + 1) * rho - eps - log(1 + exp(-u)),
            (-3 * rho - 80, furthest),
            solver="anderson",
            maxsteps=2000,
            tol=mpf("1e-40"),
            verify=False,
        )
    )
    return x * ((1 + x) * rho - eps) - (1 + x) * log(1 + 1 / x) - log(x)


@given(rhos, deltas)
def test_the_closed_form(rho: Fraction, delta: Fraction) -> None:
    claimed = mpmathify(zcdp_to_approx_closed(ZCDP(rho), delta=delta).epsilon)
    with workdps(50):
        r = mpmathify(rho)
        exact = r + 2 * sqrt(-r * log(mpmathify(delta)))
        assert exact * (1 + 7 * mpf(MARGIN) / 8) <= claimed <= exact * (1 + 9 * mpf(MARGIN) / 8)


@given(st.fractions(Fraction(1, 1000), 20), st.fractions(Fraction(1, 100), 300))
@example(Fraction(1, 2), Fraction(40))
def test_delta_at_epsilon_is_the_infimum_and_never_below(rho: Fraction, epsilon: Fraction) -> None:
    claimed = mpmathify(zcdp_to_approx_at(ZCDP(rho), epsilon=epsilon).delta)
    with workdps(60):
        exact = exact_log_delta(mpmathify(rho), mpmathify(epsilon))
        if exact < -690:
            assert 0 < claimed < mpf("1e-299")
        else:
            # The terms of the exponent are at most a few thousand here, and each has a margin.
            assert exp(exact) <= claimed <= min(mpf(1), exp(exact + mpf("1e-8")))


@given(rhos, deltas, st.floats(-20, 20))
def test_no_order_gives_less(rho: Fraction, delta: Fraction, log_x: float) -> None:
    claimed = mpmathify(zcdp_to_approx(ZCDP(rho), delta=delta).epsilon)
    with workdps(50):
        r, d, x = mpmathify(rho), mpmathify(delta), exp(mpf(log_x))
        bound = (1 + x) * r - log(1 + 1 / x) - (log(d) + log(1 + x)) / x
        assert claimed <= max(bound * (1 + mpf("1e-10")), mpf("1e-10"))


@given(st.fractions(Fraction(1, 1000), 50), deltas)
def test_epsilon_at_delta_is_where_delta_at_epsilon_is(rho: Fraction, delta: Fraction) -> None:
    epsilon = zcdp_to_approx(ZCDP(rho), delta=delta).epsilon
    with workdps(60):
        if epsilon > 0:
            at = exact_log_delta(mpmathify(rho), mpmathify(epsilon))
            below = exact_log_delta(mpmathify(rho), mpmathify(epsilon) * (1 - mpf("1e-9")))
            assert at <= log(mpmathify(delta)) <= below + mpf("1e-9")


@given(rhos, deltas)
def test_the_sharper_is_never_looser(rho: Fraction, delta: Fraction) -> None:
    sharp = zcdp_to_approx(ZCDP(rho), delta=delta)

    assert sharp.epsilon <= zcdp_to_approx_closed(ZCDP(rho), delta=delta).epsilon


@given(st.fractions(Fraction(1, 1000), 20), deltas)
def test_pure_by_way_of_zcdp_is_never_below_randomised_response(
    epsilon: Fraction, delta: Fraction
) -> None:
    exact = optimal(ApproxDP(epsilon=epsilon, delta=Fraction(0)), count=1, delta=delta).epsilon
    detour = zcdp_to_approx(pure_to_zcdp(PureDP(epsilon)), delta=delta).epsilon

    assert detour >= min(exact, epsilon) * (1 - Fraction(1, 10**9))


def test_no_loss_is_no_loss() -> None:
    free, delta = ZCDP(Fraction(0)), Fraction(1, 10**6)

    assert zcdp_to_approx(free, delta=delta) == ApproxDP(epsilon=Fraction(0), delta=delta)
    assert zcdp_to_approx_closed(free, delta=delta).epsilon == 0
    assert zcdp_to_approx_at(free, epsilon=Fraction(0)).delta == 0


def test_absurd_amounts_are_refused_or_said_to_be_costly() -> None:
    delta = Fraction(1, 10**6)
    for convert in (zcdp_to_approx, zcdp_to_approx_closed):
        with pytest.raises(InvalidInput, match=r"^rho must be at most"):
            convert(ZCDP(Fraction(10**400)), delta=delta)
        for bad in (Fraction(0), Fraction(1), Fraction(1, 10**301)):
            with pytest.raises(InvalidInput, match=r"^delta must be"):
                convert(ZCDP(Fraction(1)), delta=bad)
        speck = convert(ZCDP(Fraction(1, 10**400)), delta=delta).epsilon
        assert 0 <= speck < Fraction(1, 10**40)
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        zcdp_to_approx_at(ZCDP(Fraction(1)), epsilon=Fraction(-1))
    assert zcdp_to_approx_at(ZCDP(Fraction(10**90)), epsilon=Fraction(1)).delta == 1
