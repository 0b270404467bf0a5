"""Mixtures on a grid against enumeration, quadrature and other accountants' numbers."""

import csv
from fractions import Fraction
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, expm1, mpf, mpmathify, quad, sqrt, workdps

from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.loss_law import LossLaw, composed_law
from theory.composition.enumeration import exact_delta

NONE = GDP(Fraction(0))
ZERO = Fraction(0)
ROWS = list(csv.DictReader((Path(__file__).parent / "pld_map.csv").read_text().splitlines()))


def law_of(
    *,
    responses: dict[Fraction, int] | None = None,
    laplaces: dict[Fraction, int] | None = None,
    gaussian: GDP = NONE,
    step: Fraction = Fraction(1, 20),
    lost: float = 1e-60,
) -> LossLaw:
    return composed_law(
        responses=responses or {},
        laplaces=laplaces or {},
        gaussian=gaussian,
        step=step,
        lost=lost,
    )


small = st.dictionaries(
    st.fractions(0, 3, max_denominator=20), st.integers(1, 3), min_size=1, max_size=3
)


@settings(max_examples=60)
@given(small, st.integers(0, 60), st.integers(1, 4))
def test_responses_are_enumerated(
    responses: dict[Fraction, int], twentieths: int, finer: int
) -> None:
    each = [
        ApproxDP(epsilon=epsilon, delta=ZERO)
        for epsilon, count in responses.items()
        for _ in range(count)
    ]
    line = Fraction(float(Fraction(twentieths, 20)))
    exact = exact_delta(each, line)
    common = 20  # a step that every ε with this denominator lies on
    for epsilon in responses:
        common *= epsilon.denominator
    claimed = law_of(responses=responses, step=Fraction(1, 20 * finer)).delta_at(float(line))
    assert exact <= mpf(claimed)
    if common <= 20**3:
        sharp = law_of(responses=responses, step=Fraction(1, common)).delta_at(float(line))
        assert exact <= mpf(sharp) <= exact * (1 + mpf("1e-11")) + mpf("1e-14")
        assert sharp <= claimed * (1 + 1e-11) + 1e-14


def laplace_tail(epsilon: mpf, level: mpf) -> mpf:
    """Hockey stick of Lap(0), Lap(ε) at every real level."""
    return -expm1(min((level - epsilon) / 2, level, mpf(0)))


@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 2), Fraction(3, 2)])
def test_two_laplace_answers_are_a_convolution(level: Fraction) -> None:
    one, other = Fraction(1), Fraction(3, 4)
    with workdps(30):
        a, b, e = mpmathify(one), mpmathify(other), mpmathify(level)
        exact = laplace_tail(b, e - a) / 2 + exp(-a) / 2 * laplace_tail(b, e + a)
        kinks = sorted({-a, a, *(k for k in (e - b, e + b, e) if -a < k < a)})
        exact += quad(lambda t: exp((t - a) / 2) / 4 * laplace_tail(b, e - t), kinks)
    claims = [
        law_of(laplaces={one: 1, other: 1}, step=Fraction(1, parts)).delta_at(float(level))
        for parts in (4, 40, 400)
    ]
    assert all(exact <= mpf(claim) for claim in claims)
    assert claims[0] >= claims[1] >= claims[2]
    assert claims[2] <= exact * (1 + mpf("1e-5"))


@pytest.mark.parametrize("level", [Fraction(0), Fraction(1), Fraction(2)])
def test_laplace_and_gaussian_noise_are_a_convolution(level: Fraction) -> None:
    epsilon, mu = Fraction(1), Fraction(1, 2)
    with workdps(30):
        a, m, e = mpmathify(epsilon), mpmathify(mu), mpmathify(level)

        def tail(at: mpf) -> mpf:
            near, far = (at / m - m / 2) / sqrt(2), (at / m + m / 2) / sqrt(2)
            return (erfc(near) - exp(at) * erfc(far)) / 2

        exact = tail(e - a) / 2 + exp(-a) / 2 * tail(e + a)
        exact += quad(lambda t: exp((t - a) / 2) / 4 * tail(e - t), [-a, 0, a])
    claims = [
        law_of(laplaces={epsilon: 1}, gaussian=GDP(mu**2), step=Fraction(1, parts)).delta_at(
            float(level)
        )
        for parts in (10, 100)
    ]
    assert exact <= mpf(claims[1]) <= exact * (1 + mpf("1e-3"))
    assert claims[1] <= claims[0]


def ours(scenario: str, count: int) -> Fraction:
    one = Fraction(1, 100)
    if scenario == "laplace":
        law = law_of(laplaces={one: count}, step=one / 16, lost=1e-14)
    else:
        law = law_of(gaussian=GDP(one**2 * count), step=one / 16, lost=1e-14)
    return law.epsilon_at(1e-6)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['scenario']}-{row['count']}")
def test_it_lies_between_the_bounds_of_a_library(row: dict[str, str]) -> None:
    epsilon = ours(row["scenario"], int(row["count"]))
    lower, upper = Fraction(row["optimistic"]), Fraction(row["pessimistic"])
    assert lower <= epsilon
    assert abs(epsilon - upper) <= upper / 1000


def test_what_may_be_lost_is_added() -> None:
    kept = law_of(responses={Fraction(1, 10): 200}, step=Fraction(1, 10), lost=0.0)
    cut = law_of(responses={Fraction(1, 10): 200}, step=Fraction(1, 10), lost=1e-4)
    assert len(cut.losses) < len(kept.losses)
    for tenths in range(0, 60, 5):
        low, high = kept.delta_at(tenths / 10), cut.delta_at(tenths / 10)
        assert low <= high <= low + 1e-4


def test_nothing_is_nothing() -> None:
    assert law_of().delta_at(0.0) == 0
    assert law_of().epsilon_at(1e-300) == 0


@pytest.mark.parametrize("lost", [nan, inf, -1.0, 4.0])
def test_absurd_losses_are_refused(lost: float) -> None:
    with pytest.raises(InvalidInput, match=r"^lost must be"):
        law_of(gaussian=GDP(Fraction(1)), lost=lost)


def test_negative_losses_are_refused() -> None:
    for kind in ("responses", "laplaces"):
        with pytest.raises(InvalidInput, match=r"^epsilon must be"):
            law_of(**{kind: {Fraction(-1): 1}})  # type: ignore[arg-type]


def test_absurd_steps_and_counts_are_refused() -> None:
    for step in (Fraction(0), Fraction(-1), Fraction(1, 10**9)):
        with pytest.raises(InvalidInput, match=r"^step must be"):
            law_of(laplaces={Fraction(1): 1}, step=step)
    with pytest.raises(InvalidInput, match=r"^count must be"):
        law_of(laplaces={Fraction(1): 0})
    assert law_of(laplaces={Fraction(1): 3}, step=Fraction(10**9)).delta_at(1.0) > 0.3
