"""Histograms: sound and sharp intervals, exact projections, errors that shrink."""

from fractions import Fraction
from itertools import product
from math import inf, nan, nextafter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.answers import answer, answers, derived, ends, errors, few, inside
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import Derived, project, project_at_most
from peekproof.derive.derived import LARGEST, Range

several = st.lists(answers(), min_size=1, max_size=5)
totals = st.fractions(Fraction(1, 20), 3, max_denominator=60)
values = st.lists(st.fractions(-1, 2, max_denominator=60), min_size=1, max_size=7)


def least(asked: list[Answer]) -> Fraction:
    return sum((Fraction(each.low) for each in asked), Fraction(0))


def most(asked: list[Answer]) -> Fraction:
    return sum((Fraction(each.high) for each in asked), Fraction(0))


def truths_of(data: st.DataObject, asked: list[Answer], total: Fraction) -> list[Fraction]:
    """Truths inside the intervals that add up to `total`, drawn one after the other."""
    found: list[Fraction] = []
    for i, each in enumerate(asked):
        left, rest = total - sum(found), asked[i + 1 :]
        low = max(Fraction(each.low), left - most(rest))
        high = min(Fraction(each.high), left - least(rest))
        found.append(data.draw(inside(low, high)))
    return found


def check(found: list[Derived], asked: list[Answer], truths: list[Fraction]) -> None:
    for narrowed, each, truth in zip(found, asked, truths, strict=True):
        assert truth in narrowed
        assert narrowed.released in narrowed
        assert each.low <= narrowed.low <= narrowed.high <= each.high
    after = errors([each.released for each in found], truths)
    assert after[0] <= errors([each.released for each in asked], truths)[0]


# Soundness and sharpness ----------------------------------------------------------------------


@few
@given(st.data(), several)
def test_every_truth_that_adds_up_is_kept(data: st.DataObject, asked: list[Answer]) -> None:
    total = data.draw(inside(least(asked), most(asked)))
    assume(total > 0)
    found = project(asked, total=total)

    check(found, asked, truths_of(data, asked, total))
    assert sum(each.released for each in found) == total


@few
@given(st.data(), several, totals)
def test_every_truth_that_adds_up_to_at_most_the_total_is_kept(
    data: st.DataObject, asked: list[Answer], total: Fraction
) -> None:
    assume(least(asked) <= total)
    reached = data.draw(inside(least(asked), min(total, most(asked))))
    found = project_at_most(asked, total=total)

    check(found, asked, truths_of(data, asked, reached))
    assert sum(each.released for each in found) <= total


Point = tuple[Fraction, ...]


def on_the_plane(asked: list[Answer], total: Fraction) -> list[Point]:
    """The vertices of the box cut by Σ x = total, by enumeration."""
    cells = [(Fraction(each.low), Fraction(each.high)) for each in asked]
    found = []
    for free, (low, high) in enumerate(cells):
        for corner in product(*(cells[:free] + cells[free + 1 :])):
            rest = total - sum(corner)
            if low <= rest <= high:
                found.append((*corner[:free], rest, *corner[free:]))
    return found


def below_the_plane(asked: list[Answer], total: Fraction) -> list[Point]:
    """The corners of the box with Σ x ≤ total."""
    corners = product(*((Fraction(each.low), Fraction(each.high)) for each in asked))
    return [corner for corner in corners if sum(corner) <= total]


def check_ends(found: list[Derived], vertices: list[Point]) -> None:
    """The ends are the extremes over the vertices, each rounded to the nearest float outside."""
    for each, reached in zip(found, zip(*vertices, strict=True), strict=True):
        assert Fraction(each.low) <= min(reached) < Fraction(nextafter(each.low, inf))
        assert Fraction(nextafter(each.high, -inf)) < max(reached) <= Fraction(each.high)


@few
@given(st.data(), st.lists(answers(), min_size=1, max_size=4))
def test_the_ends_are_attained_at_vertices(data: st.DataObject, asked: list[Answer]) -> None:
    total = data.draw(inside(least(asked), most(asked)))
    assume(total > 0)

    check_ends(project(asked, total=total), on_the_plane(asked, total))
    below = on_the_plane(asked, total) + below_the_plane(asked, total)
    check_ends(project_at_most(asked, total=total), below)


def test_the_lows_of_others_do_not_bound_from_below() -> None:
    """Wrong variant: total − Σ low of the others as the new low would lose the truth."""
    asked = [answer(0.25, 0.75), answer(0.25, 0.5)]
    truths = [Fraction(1, 2), Fraction(1, 2)]
    found = project(asked)

    first, second = Range(low=0.5, high=0.75), Range(low=0.25, high=0.5)
    assert [each.interval for each in found] == [first, second]
    assert truths[0] < 1 - Fraction(asked[1].low)


# Values ---------------------------------------------------------------------------------------


def nearest_by_faces(v: list[Fraction], total: Fraction) -> list[Fraction]:
    """The nearest point of the simplex: the best of the feasible projections on all its faces."""
    best: tuple[Fraction, list[Fraction]] | None = None
    for kept in product((0, 1), repeat=len(v)):
        size = sum(kept)
        if not size:
            continue
        shift = (sum(a for a, k in zip(v, kept, strict=True) if k) - total) / size
        x = [(a - shift) * k for a, k in zip(v, kept, strict=True)]
        if min(x) >= 0:
            distance = errors(x, v)[0]
            best = min(best, (distance, x)) if best else (distance, x)
    assert best
    return best[1]


def free(v: list[Fraction]) -> list[Derived]:
    """Cells whose intervals do not bind."""
    return [derived(-10.0, 10.0, value) for value in v]


@few
@given(values, totals)
def test_values_are_the_nearest_of_the_simplex(v: list[Fraction], total: Fraction) -> None:
    found = [each.released for each in project(free(v), total=total)]

    assert found == nearest_by_faces(v, total)


@few
@given(values, totals)
def test_at_most_leaves_what_fits_and_projects_the_rest(v: list[Fraction], total: Fraction) -> None:
    found = [each.released for each in project_at_most(free(v), total=total)]
    positive = [max(value, Fraction(0)) for value in v]

    assert found == (positive if sum(positive) <= total else nearest_by_faces(v, total))


@few
@given(st.data(), several)
def test_no_point_within_the_intervals_is_nearer(data: st.DataObject, asked: list[Answer]) -> None:
    """⟨v − P, x − P⟩ ≤ 0 for every x that is allowed: this is what makes P the nearest."""
    total = data.draw(inside(least(asked), most(asked)))
    assume(total > 0)
    p = [each.released for each in project(asked, total=total)]
    x = truths_of(data, asked, total)

    assert (
        sum(
            (each.released - near) * (other - near)
            for each, near, other in zip(asked, p, x, strict=True)
        )
        <= 0
    )


def test_clipping_and_rescaling_would_be_caught() -> None:
    """Wrong variant: it adds up too, but is further from the released values."""
    v = [Fraction(3, 4), Fraction(1, 2), Fraction(-1, 4)]
    rescaled = [Fraction(3, 5), Fraction(2, 5), Fraction(0)]
    found = [each.released for each in project(free(v))]

    assert found == [Fraction(5, 8), Fraction(3, 8), 0]
    assert errors(found, v)[0] < errors(rescaled, v)[0]


def test_thirds_add_up_exactly() -> None:
    found = project([answer(0, 1, Fraction(1, 2))] * 3)

    assert [each.released for each in found] == [Fraction(1, 3)] * 3
    assert all(Fraction(1, 3) in each for each in found)


# Contradictions and input ---------------------------------------------------------------------


@few
@given(several, totals)
def test_intervals_that_cannot_add_up_are_a_contradiction(
    asked: list[Answer], total: Fraction
) -> None:
    for function, fits in (
        (project, least(asked) <= total <= most(asked)),
        (project_at_most, least(asked) <= total),
    ):
        if fits:
            function(asked, total=total)
        else:
            with pytest.raises(InvalidInput, match=r"^answers must be shares of at least 0 that"):
                function(asked, total=total)


def test_a_cell_that_is_negative_is_a_contradiction() -> None:
    negative = derived(-1.0, -0.5, Fraction(-1))

    for function in (project, project_at_most):
        with pytest.raises(InvalidInput, match=r"^answers must be shares of at least 0 that may"):
            function([negative, answer(0, 1)])


@pytest.mark.parametrize("wrong", [0, -1, nan, inf, True, "1"])
def test_a_total_is_a_positive_number(wrong: float) -> None:
    with pytest.raises(InvalidInput, match=r"^total must be"):
        project([answer(0, 1)], total=wrong)


def test_cells_beyond_the_floats_are_a_contradiction_too() -> None:
    huge = derived(LARGEST, LARGEST, Fraction(LARGEST))

    with pytest.raises(
        InvalidInput, match=r"add up to 1, got intervals whose lows add up to 1\.797"
    ):
        project([huge, huge])


def test_a_float_total_is_the_decimal_it_prints_as() -> None:
    (only,) = project([answer(0, 1)], total=0.1)

    assert only.released == Fraction(1, 10)
    assert ends(only)[0] < Fraction(1, 10) < ends(only)[1]


def test_cells_keep_their_questions() -> None:
    found = project([answer(0, 1, question=name) for name in "abc"])

    assert [each.label for each in found] == ["a", "b", "c"]
    assert {each.confidence for each in found} == {0.95}
