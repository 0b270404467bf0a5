"""Terms that a ledger records for single draws, and terms that no honest one would."""

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import LedgerDamaged
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.truncation import Truncation
from peekproof.planner.open_ended import open_ended_plan
from peekproof.planner.plan import plan
from peekproof.planner.price import planned_price, price
from peekproof.planner.recorded import mechanism_under, own_certificate_of

TARGET = Target.of(confidence=0.95, questions=200)
NOISY = plan(rows=50_000, target=TARGET, mechanisms=(Gaussian,))
STAGED = open_ended_plan(rows=50_000, confidence=Fraction(19, 20))
BINS = plan(rows=50_000, target=TARGET, mechanisms=(Truncation,))


def test_terms_give_back_the_draw_and_its_certificate() -> None:
    own = price(NOISY, radius=0.05)
    staged = planned_price(STAGED, draw=9)
    for promise, priced in ((NOISY, own), (STAGED, staged)):
        terms = priced.offer.terms
        assert mechanism_under(promise, terms) == priced.mechanism
        assert own_certificate_of(promise, terms, ledger="l") == priced.certificate
    assert mechanism_under(NOISY, {}) == NOISY.mechanism


@pytest.mark.parametrize("stage", ["", "x", "-1", "99", "4"])
def test_a_stage_must_be_the_one_of_its_noise(stage: str) -> None:
    terms = {**planned_price(STAGED, draw=9).offer.terms, "stage": stage}  # draw 9 is of stage 3
    with pytest.raises(LedgerDamaged, match="records a stage its plan does not have"):
        own_certificate_of(STAGED, terms, ledger="l")


@pytest.mark.parametrize(
    "terms",
    [
        {"kind": "gaussian"},
        {"kind": "gaussian", "sigma": "0", "step": "1/2"},
        {"kind": "gaussian", "sigma": "1/0", "step": "1/2"},
        {"kind": "magic"},
    ],
)
def test_terms_of_no_known_mechanism_are_damage(terms: dict[str, str]) -> None:
    with pytest.raises(LedgerDamaged, match="describes no known mechanism"):
        own_certificate_of(NOISY, terms, ledger="l")


def test_noise_has_no_place_in_a_promise_without_it() -> None:
    with pytest.raises(LedgerDamaged, match="records noise where the promise has none"):
        own_certificate_of(BINS, price(NOISY, radius=0.05).offer.terms, ledger="l")
    with pytest.raises(LedgerDamaged, match="records noise where the promise has none"):
        own_certificate_of(NOISY, {"kind": "truncation", "bins": "3"}, ledger="l")
