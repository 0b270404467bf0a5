"""What a question with its own radius costs."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.truncation import Truncation
from peekproof.planner.plan import plan
from peekproof.planner.price import narrowest, planned_price, price

PLAN = plan(rows=50_000, target=Target.of(confidence=0.95, questions=200), mechanisms=(Gaussian,))
BINS = plan(rows=1000, target=Target.of(confidence=0.95, questions=10), mechanisms=(Truncation,))


@settings(max_examples=60)
@given(st.floats(0.0364, 0.5, exclude_max=True))
def test_the_price_keeps_the_radius_and_nothing_cheaper_on_the_grid_does(radius: float) -> None:
    found = price(PLAN, radius=radius)

    assert found.certificate.radius <= radius
    assert found.offer.cost == found.mechanism.cost()
    assert found.questions == found.mechanism.cost().mu_squared / PLAN.mechanism.cost().mu_squared  # type: ignore[union-attr]
    if radius >= PLAN.radius:
        assert found.questions <= 1
    if found.offer.terms:
        assert isinstance(found.mechanism, Gaussian)
        more = Gaussian(
            rows=PLAN.rows,
            sigma=found.mechanism.sigma * Fraction(104, 100),
            step=Fraction(1, 2**20),
        )
        assert more.certify_own(PLAN.target, budget=PLAN.budget).radius > radius  # type: ignore[arg-type]


def test_what_no_noise_reaches_is_refused_by_name() -> None:
    least = narrowest(PLAN)
    with pytest.raises(InvalidInput, match=r"^radius must be above 0\.036\d, which no noise"):
        price(PLAN, radius=least)
    assert price(PLAN, radius=least * 1.01).questions > 100


@pytest.mark.parametrize("radius", [0.0, -0.1, float("nan"), float("inf"), True])
def test_absurd_radii_are_refused(radius: float) -> None:
    with pytest.raises(InvalidInput, match=r"^radius must be"):
        price(PLAN, radius=radius)


def test_answers_without_noise_have_one_radius() -> None:
    assert price(BINS, radius=0.4) == planned_price(BINS)
    assert narrowest(BINS) == BINS.radius
    with pytest.raises(InvalidInput, match=r"^radius must be at least 0\.14"):
        price(BINS, radius=0.1)
