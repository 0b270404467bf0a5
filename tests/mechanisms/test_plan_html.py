"""Plans and prices in notebooks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from core.markup import read
from peekproof.core.certificate import Target
from peekproof.mechanisms.base import Ask, Limit, Mechanism
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.plan import Price, open_ended_plan, plan
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.mechanisms.truncation import Truncation
from peekproof.session.queries import ANY_SHARE

ROWS = 100_000
TARGET = Target.of(confidence=0.95, questions=100)
PLAN = plan(rows=ROWS, target=TARGET)


def priced(radius: float | None = None) -> Price:
    draw = PLAN.mechanism.offer(Ask(what=ANY_SHARE, radius=radius), PLAN.nothing_asked)
    return Price.of(draw, PLAN)


def test_a_plan_shows_its_promise_its_mechanism_and_its_certificate() -> None:
    shown = read(PLAN._repr_html_())
    promise = "for all of 100 adaptively chosen questions about 100,000 rows, all together with "
    assert f"±0.0324 {promise}confidence 0.95" in shown.text
    assert "drawn by gaussian (sigma = " in shown.text
    assert shown.tags.count("details") == 1
    for part in PLAN.certificate.parts:
        assert part.covers in shown.text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Laplace, "adaptively chosen questions"),
        (Truncation, "drawn by truncation (bins = "),
        (FreshRows, "drawn by fresh-rows (rounds = 100)"),
        (Checking, "Checked guesses for at most 100 questions"),
    ],
)
def test_every_mechanism_has_words_and_no_key(kind: type[Mechanism], said: str) -> None:
    found = plan(rows=ROWS, target=TARGET, mechanisms=[kind])
    shown = read(found._repr_html_()).text
    assert said in shown
    assert "key" not in shown


def test_limits_are_told() -> None:
    rounds = plan(rows=ROWS, target=TARGET, mechanisms=[FreshRows], rounds=4)
    halting = plan(rows=ROWS, target=TARGET, mechanisms=[LimitedChecking], limit=Limit(failures=5))
    holdout = plan(rows=ROWS, target=TARGET, mechanisms=[Thresholdout], limit=Limit(failures=7))
    assert "in 4 adaptively chosen rounds about" in read(rounds._repr_html_()).text
    assert "the last of 5 failed guesses" in read(halting._repr_html_()).text
    assert "7 of them can be corrected" in read(holdout._repr_html_()).text


def test_an_open_ended_plan_says_how_wide_it_ends() -> None:
    found = open_ended_plan(OpenEnded, rows=ROWS, confidence=Fraction(19, 20))
    shown = read(found._repr_html_()).text
    assert "At most ±0." in shown
    assert "for any number of questions" in shown
    assert "drawn by open-ended" in shown


def test_a_plan_that_says_nothing_says_so() -> None:
    said = "no more than that a share is between 0 and 1"
    few = plan(rows=10, target=TARGET)
    assert said in read(few._repr_html_()).text
    assert said not in read(PLAN._repr_html_()).text


def test_a_price_shows_its_radius_and_what_it_is_worth() -> None:
    shown = read(priced(radius=0.025)._repr_html_()).text
    assert shown.startswith("At most ±0.0250for as much as ")
    assert "what is drawn" not in shown
    assert "planned questions; it counts as 1 of" in shown
    assert "as much as 1 planned question; it" in read(priced()._repr_html_()).text


def test_a_price_beyond_all_numbers_can_be_shown() -> None:
    dear = replace(priced(), questions=Fraction(10) ** 400)
    assert "more than 1,000,000,000,000 planned questions" in read(dear._repr_html_()).text
