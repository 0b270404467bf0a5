"""The laws of single mechanisms against their closed hockey-stick curves."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, expm1, mpf, mpmathify, sqrt, tanh, workdps

from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory import loss_law
from peekproof.theory.loss_law import GridLaw, gaussian_law, laplace_law, response_law

losses = st.fractions(Fraction(1, 100), 8, max_denominator=100)
steps = st.fractions(Fraction(1, 60), 12, max_denominator=60)
shares = st.integers(0, 20).map(lambda part: Fraction(part, 20))


def mass(law: GridLaw) -> Fraction:
    return sum(map(Fraction, law.weights.tolist()), Fraction(0))


def laplace_delta(epsilon: Fraction, level: Fraction) -> mpf:
    with workdps(50):
        return -expm1(min(mpf(0), mpmathify((level - epsilon) / 2)))


def response_delta(epsilon: Fraction, level: Fraction) -> mpf:
    with workdps(50):
        return -expm1(min(mpf(0), mpmathify(level - epsilon))) / (1 + exp(-mpmathify(epsilon)))


def gaussian_delta(mu: Fraction, level: Fraction) -> mpf:
    with workdps(60):
        m, e = mpmathify(mu), mpmathify(level)
        near, far = (e / m - m / 2) / sqrt(2), (e / m + m / 2) / sqrt(2)
        return (erfc(near) - exp(e) * erfc(far)) / 2


@settings(max_examples=30)
@given(losses, steps, shares)
def test_laplace_noise_has_its_own_curve_on_grid_lines_and_no_less_between(
    epsilon: Fraction, step: Fraction, share: Fraction
) -> None:
    law = laplace_law(epsilon, step=step)
    level = Fraction(float(epsilon * share))
    assert laplace_delta(epsilon, level) <= mpf(law.curve().delta_at(float(level)))
    assert 1 <= mass(law) <= 1 + Fraction(1, 10**9)
    line = ceil(epsilon * share / step) * step
    claimed = law.curve().delta_at(float(line))
    assert claimed <= laplace_delta(epsilon, Fraction(float(line))) * (1 + mpf("1e-11")) + 1e-13


@settings(max_examples=30)
@given(losses, steps, shares)
def test_randomised_response_has_its_own_curve(
    epsilon: Fraction, step: Fraction, share: Fraction
) -> None:
    law = response_law(epsilon, step=step)
    level = Fraction(float(epsilon * share))
    assert response_delta(epsilon, level) <= mpf(law.curve().delta_at(float(level)))
    assert 1 <= mass(law) <= 1 + Fraction(1, 10**9)
    exact = response_law(epsilon, step=epsilon).curve().delta_at(float(level))
    if share == 0:
        with workdps(50):
            assert abs(exact / tanh(mpmathify(epsilon) / 2) - 1) < mpf("1e-11")


@settings(max_examples=25)
@given(
    st.fractions(Fraction(1, 50), 30, max_denominator=50),
    st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(5)]),
    st.integers(-3, 9),
)
def test_gaussian_noise_has_its_own_curve_on_grid_lines(
    mu: Fraction, part: Fraction, deviations: int
) -> None:
    step = mu * part
    law = gaussian_law(GDP(mu**2), step=step, lost=1e-40)
    assert 1 <= mass(law) <= 1 + Fraction(1, 10**9)
    line = max(0, ceil((mu * mu / 2 + deviations * mu) / step)) * step
    exact, claimed = gaussian_delta(mu, Fraction(float(line))), law.curve().delta_at(float(line))
    assert exact <= mpf(claimed) <= exact * (1 + mpf("1e-9")) + float(line) * 4e-15 + 1e-39


@settings(max_examples=30)
@given(losses, st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2)]))
def test_the_second_law_has_mass_one_too(epsilon: Fraction, step: Fraction) -> None:
    for law in (laplace_law(epsilon, step=step), response_law(epsilon, step=step)):
        with workdps(50):
            second = sum(
                mpf(weight) * exp(-mpmathify((law.first + i) * step))
                for i, weight in enumerate(law.weights.tolist())
            )
            assert abs(second - 1) < mpf("1e-13")


def test_randomised_response_is_worse_than_laplace_noise() -> None:
    for tenths in range(10):
        one, other = (
            law(Fraction(1), step=Fraction(1, 50)).curve().delta_at(tenths / 10)
            for law in (laplace_law, response_law)
        )
        assert one < other


def test_no_noise_to_speak_of_and_no_loss_at_all() -> None:
    assert gaussian_law(GDP(Fraction(0)), step=Fraction(1), lost=0.0).weights.tolist() == [1.0]
    for law in (laplace_law, response_law):
        for epsilon in (Fraction(700), Fraction(5000), Fraction(1, 10**400)):
            assert mass(law(epsilon, step=max(epsilon, Fraction(1)))) >= 1


@pytest.mark.parametrize("epsilon", [Fraction(29108, 97), Fraction(67916, 97)])
def test_a_large_laplace_loss_keeps_its_whole_mass(epsilon: Fraction) -> None:
    assert mass(laplace_law(epsilon, step=Fraction(1, 7))) >= 1


@pytest.mark.parametrize("lost", [1e-301, 1e-307, 5e-324])
def test_what_is_cut_from_the_ends_is_no_more_than_is_said(lost: float) -> None:
    law = gaussian_law(GDP(Fraction(1)), step=Fraction(1, 1000), lost=lost)
    level = Fraction(37)  # δ is about 1e-294 here, and its largest part lies far out
    top = (law.first + len(law.weights) - 1) * law.step
    with workdps(50):
        beyond = erfc((mpmathify(top) - mpf(1) / 2) / sqrt(2)) / 2
    assert beyond <= mpf(law.beyond)
    assert gaussian_delta(Fraction(1), level) <= mpf(law.curve().delta_at(float(level)))


def test_a_gaussian_law_counts_its_nodes_before_it_makes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted: list[int] = []

    def refuse(cells: int, *, step: Fraction) -> int:
        wanted.append(cells)
        raise InvalidInput(argument="step", accepted="coarser", given=f"{step}")

    monkeypatch.setattr(loss_law, "length", refuse)
    with pytest.raises(InvalidInput):
        gaussian_law(GDP(Fraction(1)), step=Fraction(1, 100), lost=0.0)
    assert wanted[0] >= 12 * 7500  # twelve floats are held at once for each of 7500 cells


def test_absurd_losses_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most"):
        response_law(Fraction(10**400), step=Fraction(10**400))
    with pytest.raises(InvalidInput, match=r"^mu_squared must be at most"):
        gaussian_law(GDP(Fraction(10**400)), step=Fraction(1), lost=0.0)
    with pytest.raises(InvalidInput, match=r"^step must be"):
        gaussian_law(GDP(Fraction(1)), step=Fraction(1, 10**9), lost=0.0)
    with pytest.raises(InvalidInput, match=r"^step must be"):
        laplace_law(Fraction(1), step=Fraction(1, 10**9))
