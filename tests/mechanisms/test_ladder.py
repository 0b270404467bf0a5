"""Ladder: the stated rule, its closeness to the sample's best, and what is refused."""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.ladder import Improved, Ladder, Unimproved
from peekproof.mechanisms.protocol import Interactive, Run
from peekproof.noise.entropy import Seeded


def climbs(ladder: Ladder, counts: list[int]) -> list[Improved | Unimproved]:
    run = ladder.start(rng=Seeded(0))
    return [run.release(Exact(count)) for count in counts]


@st.composite
def contests(draw: st.DrawFn) -> tuple[Ladder, list[int]]:
    rows = draw(st.integers(2, 300))
    counts = draw(st.lists(st.integers(0, rows), min_size=1, max_size=12))
    step = Fraction(1, draw(st.integers(2, rows)))
    return Ladder(rows=rows, step=step, questions=len(counts)), counts


def test_a_contest_by_hand() -> None:
    ladder = Ladder(rows=100, step=Fraction(1, 10), questions=9)
    said = climbs(ladder, [10, 47, 60, 61, 65, 75, 80, 90, 95])

    assert said == [
        Unimproved(Fraction(0)),  # one step above nothing, and not more
        Improved(Fraction(5, 10)),
        Unimproved(Fraction(5, 10)),
        Improved(Fraction(6, 10)),
        Unimproved(Fraction(6, 10)),
        Improved(Fraction(8, 10)),  # a half goes up
        Unimproved(Fraction(8, 10)),
        Unimproved(Fraction(8, 10)),
        Improved(Fraction(1)),
    ]


@given(contests())
def test_the_best_moves_only_for_a_gain_above_a_step(contest: tuple[Ladder, list[int]]) -> None:
    ladder, counts = contest
    best = Fraction(0)
    for count, said in zip(counts, climbs(ladder, counts), strict=True):
        share = Fraction(count, ladder.rows)
        if share > best + ladder.step:
            assert isinstance(said, Improved)
            assert said.best >= best + ladder.step
            assert abs(said.best - share) <= ladder.step / 2
            assert (said.best / ladder.step).denominator == 1
        else:
            assert said == Unimproved(best)
        best = said.best


@given(contests())
def test_the_best_is_near_the_best_of_the_sample(contest: tuple[Ladder, list[int]]) -> None:
    ladder, counts = contest
    for place, said in enumerate(climbs(ladder, counts), start=1):
        gap = Fraction(max(counts[:place]), ladder.rows) - said.best
        assert -ladder.step / 2 <= gap <= ladder.step <= ladder.radius(beta=Fraction(1, 2))


def test_a_step_is_not_more_than_is_needed() -> None:
    """Both ends of the gap are reached, so neither may be claimed smaller."""
    ladder = Ladder(rows=100, step=Fraction(1, 10), questions=2)

    assert climbs(ladder, [45, 60])[-1] == Unimproved(Fraction(1, 2))
    assert climbs(ladder, [45, 45])[-1] == Unimproved(Fraction(1, 2))


def test_a_run_stops_after_its_questions_and_cannot_be_copied() -> None:
    run = Ladder(rows=10, step=Fraction(1, 5), questions=2).start(rng=Seeded(0))
    run.release(Exact(5))
    run.release(Exact(9))
    with pytest.raises(BudgetExhausted) as refused:
        run.release(Exact(10))
    assert refused.value.fields() == {
        "asked": 1,
        "remaining": 0,
        "questions": 2,
        "of_several": False,
    }
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(run)


def test_it_keeps_the_protocol() -> None:
    ladder = Ladder(rows=10, step=Fraction(1, 5), questions=7)
    typed: Interactive[int, Improved | Unimproved] = ladder
    run: Run[int, Improved | Unimproved] = typed.start(rng=Seeded(0))
    recorded = ladder.describe()

    assert run.release(Exact(6)) == Improved(Fraction(3, 5))
    assert ladder.cost() == Draws(Fraction(7))
    assert recorded["kind"] == Ladder.kind == "ladder"
    assert ladder == Ladder(
        rows=10, step=Fraction(recorded["step"]), questions=int(recorded["questions"])
    )


def test_a_promise_is_for_as_many_questions_as_a_run_has() -> None:
    ladder = Ladder(rows=10_000, step=Fraction(1, 20), questions=3)
    for certify in (ladder.certify, ladder.certify_improvement):
        assert certify(Target.of(confidence=0.9, questions=3)).radius < 0.2
        with pytest.raises(InvalidInput, match=r"^target must be one of 3 questions"):
            certify(Target.of(confidence=0.9, questions=2))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("rows", 2.0),
        ("step", Fraction(0)),
        ("step", Fraction(1)),
        ("step", Fraction(2, 5)),
        ("step", Fraction(1, 11)),
        ("step", 0.2),
        ("questions", 0),
        ("questions", True),
        ("questions", 10**101),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"rows": 10, "step": Fraction(1, 5), "questions": 3}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        Ladder(**{**good, name: value})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^beta must be "):
        Ladder(**good).radius(beta=Fraction(1))  # type: ignore[arg-type]
