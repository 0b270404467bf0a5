"""What a question with its own radius costs."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.gaussian import Gaussian, Noisy
from peekproof.mechanisms.plan import Plan, Price, plan
from peekproof.mechanisms.truncation import Truncation
from peekproof.session.queries import ANY_SHARE
from peekproof.theory.generalization.gaussian import own_drift

PLAN = plan(rows=50_000, target=Target.of(confidence=0.95, questions=200), mechanisms=(Gaussian,))
BINS = plan(rows=1000, target=Target.of(confidence=0.95, questions=10), mechanisms=(Truncation,))


def price(promise: Plan, *, radius: float | None = None) -> Price:
    ask = Ask(what=ANY_SHARE, radius=radius)
    return Price.of(promise.mechanism.offer(ask, promise.nothing_asked), promise)


def budget() -> GDP:
    assert isinstance(PLAN.budget, GDP)
    return PLAN.budget


@settings(max_examples=60)
@given(st.floats(0.0364, 0.5, exclude_max=True))
def test_the_price_keeps_the_radius_and_nothing_cheaper_on_the_grid_does(radius: float) -> None:
    found = price(PLAN, radius=radius)
    drawn, planned = found.draw, PLAN.mechanism
    assert isinstance(drawn, Noisy)
    assert isinstance(planned, Gaussian)

    assert found.certificate.radius <= radius
    assert found.cost == drawn.cost
    assert found.questions == drawn.cost.mu_squared / planned.cost().mu_squared
    if radius >= PLAN.radius:
        assert found.questions <= 1
    if drawn.sigma != planned.sigma:
        sigma = drawn.sigma * Fraction(104, 100)
        more = Gaussian(rows=PLAN.rows, sigma=sigma, step=Fraction(1, 2**20))
        assert more.certify_own(PLAN.target, budget=budget()).radius > radius


def test_what_no_noise_reaches_is_refused_by_name() -> None:
    least = own_drift(budget(), PLAN.target)
    with pytest.raises(InvalidInput, match=r"^radius must be above 0\.036\d, which no noise"):
        price(PLAN, radius=least)
    assert price(PLAN, radius=least * 1.01).questions > 100


@pytest.mark.parametrize("radius", [0.0, -0.1, float("nan"), float("inf"), True])
def test_absurd_radii_are_refused(radius: float) -> None:
    with pytest.raises(InvalidInput, match=r"^radius must be"):
        price(PLAN, radius=radius)


def test_answers_without_noise_have_one_radius() -> None:
    assert price(BINS, radius=0.4) == price(BINS)
    assert price(BINS).certificate.radius == BINS.radius
    with pytest.raises(InvalidInput, match=r"^radius must be at least 0\.14"):
        price(BINS, radius=0.1)
