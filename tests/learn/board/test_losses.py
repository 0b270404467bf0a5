"""Boards of losses are those of scores in the mirror."""

from __future__ import annotations

from pathlib import Path

from learn.board.contests import Contest
from peekproof.learn.board.submission import Told

LOSS = "absolute_error(0, 1)"


def test_a_lower_loss_is_an_improvement_and_a_higher_one_is_not(tmp_path: Path) -> None:
    contest = Contest(tmp_path, metric=LOSS)
    board = contest.board
    first = board.submit("ann", contest.right(0.7))
    worse = board.submit("bob", contest.right(0.5))
    better = board.submit("cy", contest.right(0.95))
    assert first.bounded
    assert first.low < 0.3 < first.high
    assert worse.told is Told.NO_BETTER
    assert worse.shown.startswith("not below 0.1")
    assert (worse.high, worse.low < 0.3) == (1.0, True)
    assert better.told is Told.CORRECTED
    assert better.low < 0.05 < better.high
    assert board.standings().teams[0].entry.team == "cy"
    assert [each.team for each in board.standings().running] == ["ann", "cy"]
    assert board.standings().failures == 2


def test_the_lowest_loss_wins_the_final(tmp_path: Path) -> None:
    contest = Contest(tmp_path, metric=LOSS)
    for team, share in (("ann", 0.6), ("bob", 0.9), ("cy", 0.3)):
        contest.board.submit(team, contest.right(share))
    final = contest.board.close()
    assert [(each.rank, each.team) for each in final.finalists] == [
        (1, "bob"), (2, "ann"), (3, "cy"),
    ]  # fmt: skip
    duel = next(each for each in final.duels if {each.first, each.second} == {"ann", "bob"})
    assert (duel.low > 0) == (duel.first == "bob")


def test_no_loss_at_all_is_told_after_a_very_small_one(tmp_path: Path) -> None:
    contest = Contest(tmp_path, metric=LOSS, step=0.1)
    contest.board.submit("ann", contest.right(0.97))
    assert contest.board.submit("bob", contest.right(1.0)).bounded
