"""Quotients hold for every truth inside the intervals, and are attained at corners."""

from fractions import Fraction
from itertools import product
from math import inf, nextafter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.answers import answer, answers, derived, few, inside
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import Derived, conditional, portion, ratio, total
from peekproof.derive.derived import Range

signed = st.fractions(-2, 2, max_denominator=64)


@st.composite
def numbers(draw: st.DrawFn) -> Derived:
    """Any interval of numbers, also negative ones."""
    low, high = sorted((float(draw(signed)), float(draw(signed))))
    return derived(low, high, draw(signed))


def corners(a: Answer | Derived, b: Answer | Derived) -> list[Fraction]:
    pairs = product((a.low, a.high), (b.low, b.high))
    return [Fraction(over) / Fraction(under) for over, under in pairs]


def is_span_of(found: Derived, low: Fraction, high: Fraction) -> bool:
    """Whether the ends are these, each rounded to the nearest float outside."""
    return Fraction(found.low) <= low < Fraction(nextafter(found.low, inf)) and Fraction(
        nextafter(found.high, -inf)
    ) < high <= Fraction(found.high)


@few
@given(st.data(), numbers() | answers(), numbers() | answers())
def test_every_truth_with_a_positive_denominator_is_kept(
    data: st.DataObject, a: Answer | Derived, b: Answer | Derived
) -> None:
    over, under = data.draw(inside(a.low, a.high)), data.draw(inside(b.low, b.high))
    assume(under > 0)
    found = ratio(a, b)

    assert over / under in found
    assert found.released in found


@few
@given(numbers() | answers(), numbers() | answers())
def test_the_ends_are_attained_at_corners(a: Answer | Derived, b: Answer | Derived) -> None:
    assume(b.low > 1e-200)  # beyond, quotients leave the floats
    assert is_span_of(ratio(a, b), min(corners(a, b)), max(corners(a, b)))


def test_quotients_of_the_same_ends_would_be_caught() -> None:
    """Wrong variant: [a.low/b.low, a.high/b.high] loses truths at two corners."""
    a, b = answer(0.25, 0.5), answer(0.5, 1.0)
    wrong = Range(low=a.low / b.low, high=a.high / b.high)

    assert ratio(a, b).interval == Range(low=0.25, high=1.0)
    assert [corner in wrong for corner in corners(a, b)] == [True, False, False, True]


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        (answer(0.25, 0.5), answer(0.0, 0.5), 0.5, inf),
        (answer(0.0, 0.0), answer(0.0, 0.5), 0.0, 0.0),
        (derived(-1.0, 0.5, Fraction(0)), answer(0.0, 0.5), -inf, inf),
        (derived(-1.0, -0.5, Fraction(0)), answer(0.0, 0.5), -inf, -1.0),
        (derived(-1.0, -0.5, Fraction(0)), answer(0.25, 0.5), -4.0, -1.0),
        (answer(0.25, 0.5), derived(-1.0, 0.5, Fraction(0)), 0.5, inf),
    ],
)
def test_what_may_be_divided_by_next_to_nothing_is_unbounded(
    a: Answer | Derived, b: Answer | Derived, low: float, high: float
) -> None:
    assert ratio(a, b).interval == Range(low=low, high=high)


@pytest.mark.parametrize("b", [answer(0.0, 0.0), derived(-1.0, -0.5, Fraction(-1))])
def test_a_denominator_that_cannot_be_positive_is_refused(b: Answer | Derived) -> None:
    with pytest.raises(InvalidInput, match=r"^the denominator must be one that may be positive"):
        ratio(answer(0, 1), b)
    with pytest.raises(InvalidInput, match=r"^the denominator must be one that may be positive"):
        conditional(answer(0, 0), given=b)


def test_the_value_is_exact_and_comes_from_the_released_numbers() -> None:
    a, b = answer(0.1, 0.9, Fraction(1, 7)), answer(0.1, 0.9, Fraction(1, 3))

    assert ratio(a, b).released == conditional(a, given=b).released == Fraction(3, 7)
    assert ratio(b, a).released == Fraction(7, 3)
    assert conditional(b, given=a).released == 1


def test_without_a_positive_released_denominator_the_value_is_still_a_number() -> None:
    nothing = answer(0.0, 0.5, Fraction(0))

    assert ratio(answer(0.25, 0.5), nothing).released == 0.5  # of [0.5, ∞], nearest to 0
    assert ratio(derived(-1.0, 1.0, Fraction(1)), nothing).released == 0
    assert ratio(answer(0.0, 0.0), nothing).released == 0
    assert conditional(nothing, given=nothing).released == 0.5  # the middle of [0, 1]


# Within a part of the population --------------------------------------------------------------


@few
@given(st.data(), answers(), answers())
def test_every_conditional_truth_is_kept(data: st.DataObject, a: Answer, b: Answer) -> None:
    least, most = max(Fraction(b.low), Fraction(a.low)), Fraction(b.high)
    assume(least <= most)
    under = data.draw(inside(least, most))
    assume(under > 0)
    over = data.draw(inside(a.low, min(Fraction(a.high), under)))
    found = conditional(a, given=b)

    assert over / under in found
    assert found.released in found
    assert 0 <= found.low <= found.high <= 1


@few
@given(answers(), answers())
def test_the_ends_of_a_conditional_are_attained(a: Answer, b: Answer) -> None:
    assume(a.low <= b.high and b.high > 0 and b.low > 1e-200)
    low = Fraction(a.low) / Fraction(b.high)  # a.low ≤ b.high are a share and a share of it
    high = min(Fraction(1), Fraction(a.high) / Fraction(b.low))  # these, or two that are equal
    assert is_span_of(conditional(a, given=b), low, high)


def test_a_part_that_exceeds_its_whole_is_a_contradiction() -> None:
    with pytest.raises(InvalidInput, match=r"^a must be a share of a part of given, got \[0\.75"):
        conditional(answer(0.75, 1.0), given=answer(0.0, 0.5))
    with pytest.raises(InvalidInput, match=r"^a must be a share of a part of given, got \[-1\.0"):
        conditional(derived(-1.0, -0.5, Fraction(-1)), given=answer(0.0, 0.5))


def test_what_can_be_negative_still_gives_a_share() -> None:
    found = conditional(derived(-0.5, 0.25, Fraction(-1, 4)), given=answer(0.5, 1.0))

    assert found.interval == Range(low=0.0, high=0.5)
    assert found.released == 0


def test_labels_say_what_was_computed() -> None:
    a, b = answer(0, 1, question="x and y"), answer(0, 1, question="y")

    assert ratio(a, b).label == "(x and y) / (y)"
    assert conditional(a, given=b).label == "(x and y) given (y)"


shares = st.fractions(0, 1, max_denominator=64)


@st.composite
def amounts(draw: st.DrawFn) -> Derived:
    """Any interval of a quantity that is not negative, released a little below 0 perhaps."""
    low, high = sorted((float(draw(shares)), float(draw(shares))))
    return derived(low - 0.125 * draw(st.booleans()), high, draw(signed))


@few
@given(st.data(), amounts(), amounts())
def test_a_portion_keeps_every_truth(data: st.DataObject, a: Derived, rest: Derived) -> None:
    part = data.draw(inside(max(a.low, 0.0), a.high))
    other = data.draw(inside(max(rest.low, 0.0), rest.high))
    assume(part + other > 0)
    found = portion(a, rest=rest)
    assert part / (part + other) in found
    assert found.released in found
    assert 0 <= found.low <= found.high <= 1


@few
@given(amounts(), amounts())
def test_a_portion_is_attained_and_narrower_than_what_forgets_the_sum(
    a: Derived, rest: Derived
) -> None:
    assume(a.low > 0 and rest.low > 0)
    low, high = Fraction(a.low), Fraction(a.high)
    found = portion(a, rest=rest)
    assert is_span_of(found, low / (low + Fraction(rest.high)), high / (high + Fraction(rest.low)))
    whole = conditional(a, given=total([a, rest]))
    assert whole.low <= found.low
    assert found.high <= whole.high


def test_a_portion_of_nothing_seen_is_in_the_middle() -> None:
    nothing = derived(0.0, 0.25, Fraction(0))
    assert portion(nothing, rest=nothing).released == Fraction(1, 2)


def test_a_portion_of_something_negative_is_refused() -> None:
    below = derived(-2.0, -1.0, Fraction(-1))
    with pytest.raises(InvalidInput, match="0 or above"):
        portion(below, rest=derived(0.0, 1.0, Fraction(1)))
