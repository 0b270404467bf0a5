"""The inverse questions agree with the plans they invert."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.plan import (
    MOST_QUESTIONS,
    MOST_ROWS,
    Plan,
    plan,
    questions_affordable,
    rows_needed,
)


def at(rows: int, questions: int, confidence: float = 0.95) -> Plan:
    return plan(rows=rows, target=Target.of(confidence=confidence, questions=questions))


@pytest.mark.parametrize(
    ("rows", "confidence", "radius"),
    [(1000, 0.95, 0.5), (5000, 0.99, 0.1), (100_000, 0.95, 0.05)],
)
def test_one_question_more_would_not_fit(rows: int, confidence: float, radius: float) -> None:
    affordable = questions_affordable(rows=rows, confidence=confidence, radius=radius)

    assert at(rows, affordable, confidence).radius <= radius
    assert at(rows, affordable + 1, confidence).radius > radius


@pytest.mark.parametrize(
    ("questions", "confidence", "radius"), [(1000, 0.95, 0.5), (50, 0.99, 0.1), (1, 0.5, 0.01)]
)
def test_one_row_less_would_not_do(questions: int, confidence: float, radius: float) -> None:
    needed = rows_needed(
        target=Target.of(confidence=confidence, questions=questions), radius=radius
    )

    assert at(needed, questions, confidence).radius <= radius
    assert at(needed - 1, questions, confidence).radius > radius


def test_the_two_are_inverse_to_one_another() -> None:
    target = Target.of(confidence=0.95, questions=200)
    needed = rows_needed(target=target, radius=0.1)

    assert questions_affordable(rows=needed, confidence=0.95, radius=0.1) >= 200
    assert questions_affordable(rows=needed - 1, confidence=0.95, radius=0.1) < 200


def test_without_a_radius_the_plan_must_only_say_something() -> None:
    affordable = questions_affordable(rows=1000, confidence=0.95)
    needed = rows_needed(target=Target.of(confidence=0.95, questions=1000))

    assert affordable == questions_affordable(rows=1000, confidence=0.95, radius=VACUOUS)
    assert not at(1000, affordable).vacuous
    assert at(1000, affordable + 1).vacuous
    assert not at(needed, 1000).vacuous
    assert at(needed - 1, 1000).vacuous


def test_too_few_rows_afford_nothing() -> None:
    assert questions_affordable(rows=1, confidence=0.95) == 0
    assert questions_affordable(rows=1000, confidence=0.95, radius=1e-6) == 0


def test_a_narrow_enough_radius_is_out_of_reach() -> None:
    with pytest.raises(InvalidInput) as caught:
        rows_needed(target=Target.of(confidence=0.95, questions=1), radius=1e-10)

    assert caught.value.fields() == {
        "argument": "radius",
        "accepted": f"reachable with at most {MOST_ROWS:,} rows",
        "given": "1e-10",
        "hint": "ask fewer questions or accept a wider interval",
    }


def test_the_search_for_questions_ends() -> None:
    assert questions_affordable(rows=10**15, confidence=0.95) == MOST_QUESTIONS


BOTH: tuple[Callable[[float], int], ...] = (
    lambda radius: questions_affordable(rows=1000, confidence=0.95, radius=radius),
    lambda radius: rows_needed(target=Target.of(confidence=0.95, questions=1), radius=radius),
)


@pytest.mark.parametrize("invert", BOTH)
@pytest.mark.parametrize("radius", [0.7, 0.5000001, 1, nan, inf, 0, -0.1, True, "0.1"])
def test_a_radius_is_above_0_and_says_something(
    invert: Callable[[float], int], radius: float
) -> None:
    with pytest.raises(InvalidInput) as caught:
        invert(radius)

    assert caught.value.argument == "radius"
    assert caught.value.given == repr(radius)


@pytest.mark.parametrize("confidence", [1.5, 1, 0, -0.5, nan, True])
def test_a_confidence_is_strictly_between_0_and_1(confidence: float) -> None:
    with pytest.raises(InvalidInput, match=r"^confidence must be"):
        questions_affordable(rows=1000, confidence=confidence)
    with pytest.raises(InvalidInput, match=r"^confidence must be"):
        Target.of(confidence=confidence, questions=1)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_are_a_positive_integer(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be"):
        questions_affordable(rows=rows, confidence=0.95)


@pytest.mark.parametrize("questions", [0, -1, 1.5, True])
def test_questions_are_a_positive_integer(questions: int) -> None:
    with pytest.raises(InvalidInput, match=r"^questions must be"):
        rows_needed(target=Target.of(confidence=0.95, questions=questions))


def test_a_fraction_is_as_good_as_its_decimal() -> None:
    exact = questions_affordable(rows=1000, confidence=Fraction(19, 20), radius=0.2)

    assert exact == questions_affordable(rows=1000, confidence=0.95, radius=0.2)
