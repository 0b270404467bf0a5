"""Group privacy against the sum it abbreviates, and against pairs of normals."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, mpmathify, workdps

from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.composition import group_approx, group_gdp, group_pure, group_zcdp
from peekproof.theory.conversion import gdp_to_zcdp

deltas = st.fractions(0, Fraction(1, 1000)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 400)
)


@given(st.fractions(Fraction(1, 10**6), 30), deltas, st.integers(1, 60))
def test_approx_is_the_sum_of_its_steps(epsilon: Fraction, delta: Fraction, records: int) -> None:
    loss = group_approx(ApproxDP(epsilon=epsilon, delta=delta), records=records)
    with workdps(50):
        eps, claimed = mpmathify(epsilon), mpmathify(loss.delta)
        exact = mpmathify(delta) * sum(exp(j * eps) for j in range(records))
        if (records - 1) * epsilon > 700:
            assert claimed == (1 if delta else 0)
        else:
            # Growth and ratio each leave through `up`; the chain may use an eighth of a margin.
            assert min(mpf(1), exact * (1 + 7 * mpf(MARGIN) / 8)) <= claimed or records == 1
            assert exact <= claimed or claimed == 1
            assert claimed <= exact * (1 + 3 * mpf(MARGIN))
        assert loss.epsilon == records * epsilon


@given(deltas, st.integers(1, 10**6), st.integers(101, 500))
def test_without_epsilon_the_deltas_add(delta: Fraction, records: int, exponent: int) -> None:
    speck = Fraction(1, 10**exponent)
    nothing = group_approx(ApproxDP(epsilon=Fraction(0), delta=delta), records=records)
    little = group_approx(ApproxDP(epsilon=speck, delta=delta), records=records)

    assert nothing.delta == min(1, records * delta)
    assert nothing.delta <= little.delta <= records * delta * (1 + Fraction(1, 10**11))


@given(st.fractions(0, 100), st.integers(1, 1000))
def test_gaussians_and_their_zcdp_agree(amount: Fraction, records: int) -> None:
    grouped = group_gdp(GDP(amount), records=records)

    assert grouped == GDP(amount * records**2)
    assert gdp_to_zcdp(grouped) == group_zcdp(gdp_to_zcdp(GDP(amount)), records=records)
    assert group_pure(PureDP(amount), records=records) == PureDP(amount * records)


@given(st.fractions(0, 5), st.fractions(0, 1), st.integers(1, 9), st.integers(1, 9))
def test_groups_of_groups(epsilon: Fraction, delta: Fraction, few: int, many: int) -> None:
    loss = ApproxDP(epsilon=epsilon, delta=delta)
    at_once = group_approx(loss, records=few * many)
    in_turn = group_approx(group_approx(loss, records=few), records=many)

    assert at_once.epsilon == in_turn.epsilon
    assert abs(at_once.delta - in_turn.delta) <= at_once.delta * Fraction(1, 10**11)


@pytest.mark.parametrize("records", [0, -1, True])
def test_a_group_has_members(records: int) -> None:
    with pytest.raises(InvalidInput, match=r"^records must be"):
        group_pure(PureDP(Fraction(1)), records=records)
    with pytest.raises(InvalidInput, match=r"^records must be"):
        group_approx(ApproxDP(epsilon=Fraction(1), delta=Fraction(0)), records=records)
    with pytest.raises(InvalidInput, match=r"^records must be"):
        group_zcdp(ZCDP(Fraction(1)), records=records)
    with pytest.raises(InvalidInput, match=r"^records must be"):
        group_gdp(GDP(Fraction(1)), records=records)


def test_a_crowd_hides_nothing_but_costs_no_delta_that_was_not_there() -> None:
    crowd = 10**400

    assert group_approx(ApproxDP(epsilon=Fraction(1), delta=Fraction(0)), records=crowd).delta == 0
    tiny = ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**400))
    assert group_approx(tiny, records=crowd).delta == 1
