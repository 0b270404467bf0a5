"""Linear combinations hold for every truth inside the intervals, and are attained at corners."""

from fractions import Fraction
from itertools import product
from math import inf, nan, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.answers import answer, answers, few, inside
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import Derived, affine, difference, total, weighted
from peekproof.derive.derived import LARGEST

several = st.lists(answers(), min_size=1, max_size=4)
weights = st.fractions(-10, 10, max_denominator=50)


def corners(asked: list[Answer]) -> list[tuple[Fraction, ...]]:
    return list(product(*((Fraction(each.low), Fraction(each.high)) for each in asked)))


def attained(found: Derived, values: list[Fraction]) -> bool:
    """Whether the ends are the extremes of `values`, each rounded to the nearest float outside."""
    low, high = min(values), max(values)
    return Fraction(found.low) <= low < Fraction(nextafter(found.low, inf)) and Fraction(
        nextafter(found.high, -inf)
    ) < high <= Fraction(found.high)


@few
@given(st.data(), several)
def test_every_truth_inside_the_intervals_is_kept(data: st.DataObject, asked: list[Answer]) -> None:
    factors = [data.draw(weights) for _ in asked]
    truths = [data.draw(inside(each.low, each.high)) for each in asked]
    found = weighted(asked, factors)

    assert sum(w * t for w, t in zip(factors, truths, strict=True)) in found
    assert found.released in found
    assert sum(truths) in total(asked)


@few
@given(st.data(), several)
def test_the_ends_are_attained_at_corners(data: st.DataObject, asked: list[Answer]) -> None:
    factors = [data.draw(weights) for _ in asked]
    sums = [
        sum((w * t for w, t in zip(factors, corner, strict=True)), Fraction(0))
        for corner in corners(asked)
    ]
    assert attained(weighted(asked, factors), sums)
    assert attained(total(asked), [sum(corner, Fraction(0)) for corner in corners(asked)])


@few
@given(answers(), answers())
def test_a_difference_is_attained_at_corners(a: Answer, b: Answer) -> None:
    assert attained(difference(a, b), [x - y for x, y in corners([a, b])])


@few
@given(answers(), answers())
def test_a_difference_of_the_same_ends_would_be_caught(a: Answer, b: Answer) -> None:
    """Wrong variant: [a.low − b.low, a.high − b.high]."""
    ends = sorted((Fraction(a.low) - Fraction(b.low), Fraction(a.high) - Fraction(b.high)))
    truths = [x - y for x, y in corners([a, b])]
    narrower = ends[0] > min(truths) or ends[1] < max(truths)
    assert narrower == (a.low != a.high and b.low != b.high)


def test_the_value_is_exact_and_comes_from_the_released_numbers() -> None:
    third, seventh = answer(0, 1, Fraction(1, 3)), answer(0, 1, Fraction(1, 7))

    assert difference(third, seventh).released == Fraction(4, 21)
    assert total([third, seventh]).released == Fraction(10, 21)
    assert weighted([third, seventh], [3, -0.7]).released == Fraction(9, 10)


def test_a_value_outside_of_its_interval_is_moved_to_the_end() -> None:
    assert difference(answer(0, 0.25, Fraction(1)), answer(0, 0, Fraction(0))).released == 0.25


def test_a_decimal_weight_is_exact_and_the_interval_holds_it() -> None:
    found = weighted([answer(1, 1)], [0.1])

    assert Fraction(found.low) < Fraction(1, 10) < Fraction(found.high)


def test_labels_say_what_was_computed() -> None:
    a, b = answer(0, 1, question="x"), answer(0, 1, question="y")

    assert difference(a, b).label == "(x) − (y)"
    assert total([a, b]).label == "(x) + (y)"
    assert total([a, a, a, b]).label == "(x) + … + (y)"
    assert weighted([a, b], [0.5, -1]).label == "1/2·(x) + -1·(y)"


def test_weights_beyond_the_floats_leave_the_interval_open() -> None:
    found = weighted([answer(0.5, 1)], [Fraction(10) ** 400])

    assert (found.low, found.high, found.value) == (LARGEST, inf, LARGEST)


@pytest.mark.parametrize("wrong", [nan, inf, True, "1", None])
def test_what_is_no_number_is_no_weight(wrong: float) -> None:
    with pytest.raises(InvalidInput, match=r"^weights must be a finite number"):
        weighted([answer(0, 1)], [wrong])


def test_there_are_as_many_weights_as_answers() -> None:
    with pytest.raises(InvalidInput, match=r"^weights must be as many as answers, 2, got 1"):
        weighted([answer(0, 1), answer(0, 1)], [1])


def test_a_weight_that_cannot_be_printed_is_refused() -> None:
    for wrong in (10**5000, Fraction(1, 10**5000)):
        with pytest.raises(InvalidInput, match=r"^weights must be .* at most 1,000 digits"):
            weighted([answer(0, 1)], [wrong])


@few
@given(st.data(), answers(), st.fractions(-3, 3, max_denominator=8), st.fractions(-3, 3))
def test_other_units_keep_every_truth(
    data: st.DataObject, answer: Answer, scale: Fraction, shift: Fraction
) -> None:
    truth = data.draw(inside(answer.low, answer.high))
    found = affine(answer, scale=scale, shift=shift)
    assert scale * truth + shift in found
    assert found.released == found.interval.nearest(scale * answer.released + shift)
    assert found.joint.confidence == answer.certificate.target.confidence
