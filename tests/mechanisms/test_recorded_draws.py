"""Draws that a ledger records, and records that no honest one has."""

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import MechanismMissing
from peekproof.mechanisms.base import Ask, Past, recorded_draw
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.plan import certificate_of, open_ended_plan, plan
from peekproof.mechanisms.truncation import Truncation
from peekproof.session.queries import ANY_SHARE

TARGET = Target.of(confidence=0.95, questions=200)
ROWS = 50_000
NOISY = plan(rows=ROWS, target=TARGET, mechanisms=(Gaussian,))
STAGED = open_ended_plan(OpenEnded, rows=ROWS, confidence=Fraction(19, 20))
BINS = plan(rows=ROWS, target=TARGET, mechanisms=(Truncation,))
OWN = NOISY.mechanism.offer(Ask(what=ANY_SHARE, radius=0.05), NOISY.nothing_asked)
NINTH = STAGED.mechanism.offer(Ask(what=ANY_SHARE), Past(target=STAGED.target, draws=8))


def test_a_record_gives_back_the_draw_and_its_certificate() -> None:
    for promise, draw in ((NOISY, OWN), (STAGED, NINTH)):
        again = recorded_draw(draw.record(), rows=ROWS)
        assert again == draw
        assert certificate_of(promise, again) == certificate_of(promise, draw)


@pytest.mark.parametrize("stage", ["-1", "99", "4"])
def test_a_stage_must_be_the_one_of_its_noise(stage: str) -> None:
    assert NINTH.record()["stage"] == "3"
    draw = recorded_draw({**NINTH.record(), "stage": stage}, rows=ROWS)
    with pytest.raises(ValueError, match="a stage that the promise does not have"):
        certificate_of(STAGED, draw)


@pytest.mark.parametrize("stage", ["", "x"])
def test_a_stage_is_a_number(stage: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        recorded_draw({**NINTH.record(), "stage": stage}, rows=ROWS)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="gaussian lacks sigma"):
        recorded_draw({"kind": "gaussian", "step": "1/2"}, rows=ROWS)
    with pytest.raises(ZeroDivisionError):
        recorded_draw({"kind": "gaussian", "sigma": "1/0", "step": "1/2"}, rows=ROWS)
    with pytest.raises(MechanismMissing, match="'magic'"):
        recorded_draw({"kind": "magic"}, rows=ROWS)
    silent = recorded_draw({"kind": "gaussian", "sigma": "0", "step": "1/2"}, rows=ROWS)
    with pytest.raises(ValueError, match="sigma must be"):
        certificate_of(NOISY, silent)


def test_noise_has_no_place_in_a_promise_without_it() -> None:
    with pytest.raises(ValueError, match="noise where the promise has none"):
        certificate_of(BINS, OWN)
    with pytest.raises(ValueError, match="bins where the promise has none"):
        certificate_of(NOISY, recorded_draw({"kind": "truncation", "bins": "3"}, rows=ROWS))
