"""Knowledge about one number is intersected with its interval, or contradicts it."""

from fractions import Fraction
from math import inf, nan, nextafter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.answers import answer, answers, derived, few, inside
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import clip
from peekproof.derive.derived import Range

levels = st.fractions(0, 1)


@few
@given(st.data(), answers(), levels, levels)
def test_a_truth_that_fits_both_is_kept_and_the_value_comes_no_further_from_it(
    data: st.DataObject, given_: Answer, one: Fraction, other: Fraction
) -> None:
    low, high = sorted((one, other))
    least, most = max(low, Fraction(given_.low)), min(high, Fraction(given_.high))
    assume(least <= most)
    truth = data.draw(inside(least, most))
    found = clip(given_, low=low, high=high)

    assert truth in found
    assert abs(found.released - truth) <= abs(given_.released - truth)
    assert found.released in found
    assert given_.low <= found.low <= found.high <= given_.high


@few
@given(answers(), levels, levels)
def test_knowledge_that_no_truth_fits_is_refused(
    given_: Answer, one: Fraction, other: Fraction
) -> None:
    low, high = sorted((one, other))
    if max(low, Fraction(given_.low)) <= min(high, Fraction(given_.high)):
        clip(given_, low=low, high=high)
    else:
        with pytest.raises(InvalidInput, match=r"^low and high must be bounds that meet"):
            clip(given_, low=low, high=high)


def test_a_contradiction_is_seen_below_an_ulp() -> None:
    hair = Fraction(1, 10**40)

    assert clip(answer(0.25, 0.5), low=Fraction(1, 2), high=1).interval == Range(low=0.5, high=0.5)
    for low, high in ((Fraction(1, 2) + hair, 1), (Fraction(0), Fraction(1, 4) - hair)):
        with pytest.raises(InvalidInput, match=r"^low and high must be bounds that meet"):
            clip(answer(0.25, 0.5), low=low, high=high)


def test_the_error_says_both_intervals_and_how_likely_the_answer_is_to_blame() -> None:
    with pytest.raises(InvalidInput) as caught:
        clip(answer(0.25, 0.5), low=0.75, high=1)
    assert str(caught.value) == (
        "low and high must be bounds that meet the interval [0.2500, 0.5000], got "
        "[0.7500, 1.0000]; what is taken to be known is wrong, or the answers are among those "
        "that miss, which has probability at most 0.05"
    )


def test_a_float_is_the_decimal_it_prints_as_and_rounds_outward() -> None:
    found = clip(answer(0.0, 1.0), low=0.1, high=Fraction(3, 10))

    assert Fraction(found.low) <= Fraction(1, 10) < Fraction(nextafter(found.low, 1))
    assert Fraction(nextafter(found.high, 0)) < Fraction(3, 10) <= Fraction(found.high)
    assert Fraction(1, 10) in found  # the double 0.1 is above 1/10, and would have lost it
    assert Fraction(0.1) > Fraction(1, 10)


def test_the_value_moves_only_if_it_must() -> None:
    assert clip(answer(0, 1, Fraction(1, 3)), low=0, high=0.5).released == Fraction(1, 3)
    assert clip(answer(0, 1, Fraction(2, 3)), low=0, high=0.5).released == Fraction(1, 2)
    assert clip(answer(0, 0.5, Fraction(2, 3)), low=0, high=1).released == Fraction(1, 2)


def test_an_unbounded_interval_becomes_bounded() -> None:
    assert clip(derived(2.0, inf, Fraction(10)), low=0, high=5).interval == Range(low=2, high=5)
    assert clip(derived(-inf, inf, Fraction(10)), low=-1, high=5).released == 5


@pytest.mark.parametrize("wrong", [nan, inf, -inf, True, "0.5", None])
def test_what_is_no_number_is_refused(wrong: float) -> None:
    with pytest.raises(InvalidInput, match=r"^low must be a finite number"):
        clip(answer(0, 1), low=wrong, high=1)
    with pytest.raises(InvalidInput, match=r"^high must be a finite number"):
        clip(answer(0, 1), low=0, high=wrong)


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^low must be at most high = 1/4, got 1/2"):
        clip(answer(0, 1), low=0.5, high=0.25)
