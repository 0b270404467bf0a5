"""Ranks and ties follow from intervals alone."""

from __future__ import annotations

from peekproof.learn.board.standings import best_of_teams, ranked, running_best
from peekproof.learn.board.submission import Entry, Told


def entry(
    number: int, low: float, high: float, *, team: str = "", told: Told = Told.CORRECTED
) -> Entry:
    return Entry(
        number=number,
        team=team or f"t{number}",
        name="",
        made="2026-01-01T00:00:00+00:00",
        declared=None,
        trained_on=None,
        told=told,
        value=(low + high) / 2,
        low=low,
        high=high,
        predictions=str(number),
        question="",
    )


def test_a_rank_counts_those_that_are_better_for_sure() -> None:
    entries = [entry(1, 0.5, 0.6), entry(2, 0.7, 0.8), entry(3, 0.55, 0.72), entry(4, 0.1, 0.2)]
    found = {each.entry.number: each.rank for each in ranked(entries, {}, higher=True)}
    assert found == {2: 1, 3: 1, 1: 2, 4: 4}


def test_of_losses_the_lowest_are_first() -> None:
    entries = [entry(1, 0.5, 0.6), entry(2, 0.7, 0.8), entry(3, 0.1, 0.2)]
    found = [(each.rank, each.entry.number) for each in ranked(entries, {}, higher=False)]
    assert found == [(1, 3), (2, 1), (3, 2)]


def test_intervals_that_touch_are_tied() -> None:
    found = ranked([entry(1, 0.5, 0.6), entry(2, 0.6, 0.7)], {}, higher=True)
    assert [(each.rank, each.group, each.tied) for each in found] == [(1, 1, True), (1, 1, True)]


def test_a_group_is_tied_with_its_first() -> None:
    chain = [entry(1, 0.8, 0.9), entry(2, 0.75, 0.85), entry(3, 0.7, 0.78), entry(4, 0.2, 0.3)]
    found = ranked(chain, {"t1": 7}, higher=True)
    assert [each.group for each in found] == [1, 1, 2, 3]
    assert [each.tied for each in found] == [True, True, False, False]
    assert [each.left for each in found] == [7, 0, 0, 0]


def test_the_best_of_a_team_is_the_highest_that_is_known_and_of_equals_the_latest() -> None:
    unknown = entry(3, 0.0, 0.95, team="ann", told=Told.NO_BETTER)
    known = [entry(1, 0.5, 0.6, team="ann"), entry(2, 0.5, 0.6, team="ann")]
    assert best_of_teams([*known, unknown], higher=True)["ann"].number == 2
    later = entry(4, 0.0, 0.9, team="bob", told=Told.NO_BETTER)
    first = entry(3, 0.0, 0.95, team="bob", told=Told.NO_BETTER)
    assert best_of_teams([first, later], higher=True)["bob"].number == 4


def test_the_running_best_only_gets_better() -> None:
    every = [
        entry(1, 0.0, 0.9, told=Told.NO_BETTER),
        entry(2, 0.5, 0.6),
        entry(3, 0.4, 0.5),
        entry(4, 0.6, 0.7),
    ]
    assert [each.number for each in running_best(every, higher=True)] == [2, 4]
    assert [each.number for each in running_best(every, higher=False)] == [2, 3]
