"""An answer is its released value, its certificate and what it cost."""

import json
import re
from fractions import Fraction
from math import nextafter

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.answer import Answer
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.charge import FREE, GDP
from peekproof.theory.generalization import gaussian, noise

PROVIDERS = (gaussian, noise)  # imported so that their theorems register


def answer(
    released: Fraction = Fraction(3, 8),
    *,
    radius: float = 0.125,
    cost: GDP = FREE,
    confidence: Fraction = Fraction(19, 20),
) -> Answer:
    part = Part(theorem="T-noise", covers="noise", radius=radius, numbers=())
    target = Target(confidence=confidence, questions=10)
    certificate = Certificate(target=target, rows=100, joins="T-joint", parts=(part,))
    return Answer(
        question="age > 50", released=released, certificate=certificate, cost=cost, remaining=7
    )


def test_the_interval_is_the_released_value_and_the_certified_radius() -> None:
    given = answer()

    assert (given.value, given.radius, given.confidence) == (0.375, 0.125, 0.95)
    assert given.interval == Interval(low=0.25, high=0.5)
    assert (given.low, given.high) == (0.25, 0.5)


def test_membership_is_that_of_the_interval() -> None:
    given = answer()

    assert 0.25 in given
    assert 0.5 in given
    assert nextafter(0.25, 0) not in given
    assert nextafter(0.5, 1) not in given


def test_only_a_free_answer_is_a_replay() -> None:
    assert answer(cost=FREE).replayed
    assert not answer(cost=GDP(Fraction(1, 10**400))).replayed


def test_the_dictionary_is_json_and_complete() -> None:
    given = answer(cost=GDP(Fraction(1, 3)))

    assert json.loads(json.dumps(given.to_dict(), allow_nan=False)) == {
        "question": "age > 50",
        "value": 0.375,
        "low": 0.25,
        "high": 0.5,
        "radius": 0.125,
        "confidence": 0.95,
        "cost": "1/3",
        "replayed": False,
        "remaining": 7,
        "theorems": ["T-joint", "T-noise"],
    }


def test_the_text_shows_value_interval_and_question() -> None:
    assert str(answer()) == "0.3750  [0.2500, 0.5000]  age > 50"


@given(released=st.fractions(0, 1), radius=st.floats(1e-6, 0.5))
def test_the_text_never_narrows_the_interval(released: Fraction, radius: float) -> None:
    given = answer(released, radius=radius)
    low, high = re.findall(r"[\d.]+(?=[,\]])", str(given))

    assert Fraction(low) <= Fraction(given.low)
    assert Fraction(high) >= Fraction(given.high)


def test_the_confidence_is_never_overstated() -> None:
    # A float stands for the decimal it prints as; see core/check.
    for confidence in (Fraction(9, 10), 1 - Fraction(1, 10**20)):
        assert Fraction(repr(answer(confidence=confidence).confidence)) <= confidence
