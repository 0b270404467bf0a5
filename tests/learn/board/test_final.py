"""The final is scored once, on rows that nothing was read of before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from learn.board.contests import Contest
from learn.board.test_standings import entry
from peekproof.core.errors import DataError, InvalidInput, LedgerClosed
from peekproof.learn.board import board
from peekproof.learn.board.board import Board, Running, scored_final
from peekproof.learn.board.contest import FINAL, read_held
from peekproof.learn.column import labels_of, predictions_of
from peekproof.learn.metrics.classification import Accuracy, Gain
from peekproof.testing.statistics import statistical


def test_nothing_is_read_of_the_final_before_the_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = Contest(tmp_path)
    folder = contest.board.folder
    hidden = folder.with_suffix(".hidden")
    (folder / FINAL).rename(hidden)
    contest.board.release()
    with Board.open(folder) as board:
        board.submit("ann", contest.right(0.8))
        board.choose("ann", 1)
        board.standings()
        with pytest.raises(DataError, match="cannot be read"):
            board.close()
        with pytest.raises(LedgerClosed):
            board.submit("ann", contest.right(0.7))
        hidden.rename(folder / FINAL)
        assert board.close().finalists[0].team == "ann"


@statistical(false_alarm=1e-9)
def test_all_intervals_of_the_final_hold_the_truth(tmp_path: Path) -> None:
    contest = Contest(tmp_path, confidence=1 - 1e-9, rows=3000)
    shares = {"ann": 0.9, "bob": 0.7, "cy": 0.5}
    for team, share in shares.items():
        contest.board.submit(team, contest.right(share))
    final = contest.board.close()
    assert [each.team for each in final.finalists] == ["ann", "bob", "cy"]
    assert [each.rank for each in final.finalists] == [1, 2, 3]
    for each in final.finalists:
        assert each.low <= shares[each.team] <= each.high
    for duel in final.duels:
        assert duel.low <= shares[duel.first] - shares[duel.second] <= duel.high
    # The wrong variant that the same draws reject: intervals a twentieth as wide.
    assert any(
        abs(each.value - shares[each.team]) > (each.high - each.low) / 40
        for each in final.finalists
    )
    assert final.questions == 3 + 6
    assert "T-split" in final.promise
    assert any("fresh labels for the same rows" in each for each in final.assumptions)


def test_paired_differences_tell_apart_what_intervals_of_scores_do_not(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=4000)
    good = contest.right(0.7)
    spoilt = contest.rng.random(4000) < 0.04
    wrong = (good["prediction"] == pl.Series(contest.labels)).to_numpy() & spoilt
    worse = good.with_columns(
        prediction=pl.Series(np.where(wrong, 1 - contest.labels, good["prediction"].to_numpy()))
    )
    contest.board.submit("ann", worse)
    contest.board.submit("bob", good)
    first, second = contest.board.close().finalists
    assert (first.team, first.rank, second.rank) == ("bob", 1, 2)
    assert first.low < second.high  # their intervals overlap
    assert first.tied_with == second.tied_with == ()


def test_teams_with_the_same_predictions_are_tied(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    given = contest.right(0.7)
    contest.board.submit("ann", given)
    contest.board.submit("bob", given)
    contest.board.submit("cy", contest.right(0.2))
    found = contest.board.close().finalists
    assert [(each.rank, each.team, each.tied_with) for each in found] == [
        (1, "ann", ("bob",)), (1, "bob", ("ann",)), (3, "cy", ()),
    ]  # fmt: skip


def test_a_team_goes_to_the_final_with_its_choice_or_its_best(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    board = contest.board
    for team, share in (("ann", 0.6), ("bob", 0.7), ("ann", 0.9), ("bob", 0.5)):
        board.submit(team, contest.right(share))
    assert {team: each.number for team, each in board.chosen().items()} == {"ann": 3, "bob": 2}
    board.choose("bob", 4)
    with pytest.raises(InvalidInput, match="entry of ann"):
        board.choose("ann", 2)
    with pytest.raises(InvalidInput):
        board.choose("ann", 99)
    assert {each.team: each.entry for each in board.close().finalists} == {"ann": 3, "bob": 4}
    with pytest.raises(LedgerClosed):
        board.choose("bob", 2)


def test_a_closed_board_takes_nothing_and_tells_the_same_again(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    board, given = contest.board, contest.right(0.7)
    first = board.submit("ann", given)
    final = board.close()
    assert board.close() == final
    with Board.open(board.folder) as again:
        assert again.closed
        assert again.final == again.close() == final
        assert again.submit("ann", given) == first
        assert (again.left("ann"), again.standings().left) == (0, 0)
        with pytest.raises(LedgerClosed):
            again.submit("bob", given)


def test_a_board_without_entries_stays_open(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    with pytest.raises(InvalidInput, match="at least one entry"):
        contest.board.close()
    assert not contest.board.closed


def test_of_many_teams_neighbours_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "ALL_PAIRS", 3)
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 500)
    frame = pl.DataFrame({"id": [str(each) for each in range(500)], "label": labels})
    frame.write_parquet(tmp_path / "rows.parquet")
    running = [
        Running(entry(number, 0, 1), predictions_of(rng.integers(0, 2, 500), rows=500))
        for number in range(1, 6)
    ]
    final = scored_final(
        read_held(tmp_path / "rows.parquet"),
        running,
        metric=Accuracy(),
        confidence=0.95,
        ledger=tmp_path / "final.peekproof",
    )
    assert [(each.first, each.second) for each in final.duels] == [
        ("t1", "t2"), ("t2", "t3"), ("t3", "t4"), ("t4", "t5"),
    ]  # fmt: skip
    assert final.questions == 5 + 8


def test_a_gain_is_the_part_of_a_difference_above_zero() -> None:
    labels = labels_of([1, 1, 0, 0])
    one, two = predictions_of([1, 0, 0, 1], rows=4), predictions_of([0, 1, 0, 1], rows=4)
    assert Gain(Accuracy()).values(labels, one, two).tolist() == [1, 0, 0, 0]
    assert Gain(Accuracy()).values(labels, two, one).tolist() == [0, 1, 0, 0]
