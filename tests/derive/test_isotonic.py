"""Nested answers: sound and sharp intervals, values by the min-max formula, errors that shrink."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.answers import answer, answers, ends, errors, few, inside
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import isotonic
from peekproof.derive.derived import Range

several = st.lists(answers(), min_size=1, max_size=6)
values = st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=9)


def fits(asked: list[Answer]) -> bool:
    """Whether a sequence that does not decrease runs through all intervals."""
    return all(
        asked[j].low <= asked[k].high for j in range(len(asked)) for k in range(j, len(asked))
    )


@st.composite
def nested(draw: st.DrawFn) -> list[Answer]:
    """Answers through which such a sequence runs: those drawn, without the ones in its way."""
    kept: list[Answer] = []
    for each in draw(several):
        if fits([*kept, each]):
            kept.append(each)
    return kept


def by_minmax(v: list[Fraction], i: int) -> Fraction:
    """max_{j ≤ i} min_{k ≥ i} of the mean of v_j … v_k, term by term."""
    return max(
        min(sum(v[j : k + 1], Fraction(0)) / (k + 1 - j) for k in range(i, len(v)))
        for j in range(i + 1)
    )


@few
@given(st.data(), nested())
def test_every_truth_that_does_not_decrease_is_kept(
    data: st.DataObject, asked: list[Answer]
) -> None:
    truths: list[Fraction] = []
    for i, each in enumerate(asked):
        least = max([Fraction(each.low), *truths])
        truths.append(data.draw(inside(least, min(later.high for later in asked[i:]))))
    found = isotonic(asked)

    for narrowed, truth in zip(found, truths, strict=True):
        assert truth in narrowed
        assert narrowed.released in narrowed
    assert all(a.released <= b.released for a, b in pairwise(found))
    # Within intervals that hold no error grows; the values before may have been outside.
    before, after = (errors([each.released for each in some], truths) for some in (asked, found))
    assert after[0] <= before[0]
    assert after[1] <= before[1]


@few
@given(nested())
def test_both_ends_are_truths_that_do_not_decrease(asked: list[Answer]) -> None:
    for sequence in zip(*map(ends, isotonic(asked)), strict=True):
        assert all(a <= b for a, b in pairwise(sequence))
        assert all(end in each for end, each in zip(sequence, asked, strict=True))


@few
@given(several)
def test_intervals_through_which_nothing_runs_are_a_contradiction(asked: list[Answer]) -> None:
    if fits(asked):
        isotonic(asked)
    else:
        with pytest.raises(InvalidInput, match=r"^answers must be in an order in which shares do"):
            isotonic(asked)


@few
@given(values)
def test_values_are_those_of_the_minmax_formula(v: list[Fraction]) -> None:
    found = [each.released for each in isotonic([answer(0, 1, value) for value in v])]

    assert found == [by_minmax(v, i) for i in range(len(v))]
    assert sum(found) == sum(v)


@few
@given(values)
def test_no_sequence_of_the_cone_is_nearer(v: list[Fraction]) -> None:
    """The projection on a cone: v − x is orthogonal to x, and at most 0 along each generator."""
    x = [each.released for each in isotonic([answer(0, 1, value) for value in v])]
    gaps = [a - b for a, b in zip(v, x, strict=True)]

    assert sum(gap * at for gap, at in zip(gaps, x, strict=True)) == 0
    assert all(sum(gaps[i:]) <= 0 for i in range(len(v)))  # generators: 0 … 0 1 … 1, and −1 … −1


def test_a_running_maximum_would_be_caught() -> None:
    """Wrong variant: it does not decrease either, but moves away from the truth."""
    v = [Fraction(3, 4), Fraction(1, 4), Fraction(1, 4)]
    truths = [Fraction(5, 12)] * 3
    found = [each.released for each in isotonic([answer(0, 1, value) for value in v])]

    assert found == truths
    assert errors([max(v[: i + 1]) for i in range(3)], truths) > errors(v, truths)


def test_intervals_narrow_from_both_sides() -> None:
    found = isotonic([answer(0.5, 0.75), answer(0.25, 1.0), answer(0.0, 0.625)])

    assert [each.interval for each in found] == [Range(low=0.5, high=0.625)] * 3
    assert [each.label for each in found] == ["age > 50"] * 3


def test_a_thousand_answers_in_reverse_take_no_time() -> None:
    v = [Fraction(1000 - i, 1000) for i in range(1000)]

    assert {each.released for each in isotonic([answer(0, 1, value) for value in v])} == {
        Fraction(1001, 2000)
    }
