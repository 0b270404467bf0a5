"""Boards as scoring programs of platforms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learn.board.contests import Contest
from learn.board.test_unpacking import packed
from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.board import Board
from peekproof.learn.board.programs import evaluate, scored_codabench


def test_codabench_gets_scores_with_intervals(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=1000)
    contest.board.submit("ann", contest.right(0.7))
    res = tmp_path / "in" / "res"
    res.mkdir(parents=True)
    contest.right(0.9).write_csv(res / "predictions.csv")
    (res / "peekproof.json").write_text('{"team": "bob", "declared": 0.9, "trained_on": 500}')
    ref = tmp_path / "in" / "ref"
    ref.mkdir()
    (ref / "board").write_text(f"{contest.board.folder}\n")
    scores = scored_codabench(tmp_path / "in", tmp_path / "out")
    assert json.loads((tmp_path / "out" / "scores.json").read_text()) == scores
    assert (scores["score"], scores["told"], scores["rank"]) == (scores["low"], "confirmed", 1)
    assert scores["rank_text"] == "bob is at rank 1 with entry 2"
    entry = contest.board.entries("bob")[0]
    assert (entry.declared, entry.trained_on) == (0.9, 500)


def test_the_score_of_what_is_no_better_comes_last(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=1000)
    contest.board.submit("ann", contest.right(0.7))
    packed(tmp_path / "s.zip", **{"predictions.csv": contest.right(0.4).write_csv()})
    (tmp_path / "res").mkdir()
    (tmp_path / "s.zip").rename(tmp_path / "res" / "s.zip")
    board = str(contest.board.folder)
    scores = scored_codabench(tmp_path, tmp_path / "out", board=board, team="bob")
    assert (scores["score"], scores["told"]) == (0.0, "no better")


def test_a_link_in_a_submission_is_not_followed(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=400)
    contest.right(1.0).write_csv(tmp_path / "secret.csv")
    res = tmp_path / "in" / "res"
    res.mkdir(parents=True)
    (res / "predictions.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(InvalidInput, match="0 tables"):
        scored_codabench(
            tmp_path / "in", tmp_path / "out", board=str(contest.board.folder), team="eve"
        )


@pytest.mark.parametrize("text", ["[]", '{"team": "a", "more": 1}', "{", '{"declared": "x"}'])
def test_what_a_submission_says_about_itself_is_checked(tmp_path: Path, text: str) -> None:
    contest = Contest(tmp_path, rows=400)
    res = tmp_path / "in" / "res"
    res.mkdir(parents=True)
    contest.right(0.9).write_csv(res / "predictions.csv")
    (res / "peekproof.json").write_text(text)
    with pytest.raises((DataError, InvalidInput)):
        scored_codabench(
            tmp_path / "in", tmp_path / "out", board=str(contest.board.folder), team="ann"
        )
    assert contest.draws == 0


def test_without_a_board_or_a_team_nothing_is_scored(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--board"):
        scored_codabench(tmp_path, tmp_path)
    contest = Contest(tmp_path, rows=400)
    contest.right(0.9).write_csv(tmp_path / "predictions.csv")
    with pytest.raises(InvalidInput, match="team"):
        evaluate(str(contest.board.folder), str(tmp_path / "predictions.csv"), "dev")


def test_evalai_gets_its_shape_in_both_phases(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=1000)
    board = str(contest.board.folder)
    path = tmp_path / "given.csv"
    contest.right(0.8).write_csv(path)
    metadata = {"participant_team_name": "ann"}
    found = evaluate(board, str(path), "dev", submission_metadata=metadata)
    scores = found["submission_result"]
    assert found["result"] == [{"dev": scores}]
    assert isinstance(scores, dict)
    assert scores["low"] < 0.8 < scores["high"]
    with pytest.raises(InvalidInput, match="closed"):
        evaluate(board, str(path), "final", submission_metadata=metadata)
    with Board.open(board) as opened:
        final = opened.close()
    last = evaluate(board, str(path), "final", submission_metadata=metadata)["submission_result"]
    assert isinstance(last, dict)
    assert last["score"] == final.finalists[0].value
