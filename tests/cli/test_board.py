"""`peekproof board`: from labels to a signed result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cli.running import Outcome, Run
from learn.board.contests import frame_of, labels_of
from peekproof.cli.board import bar


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> str:
    """The board coins of the current folder, and predictions that are right more or less often."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 2000)
    labels_of(labels)[:1000].write_csv("labels.csv")
    labels_of(labels)[1000:].write_csv("final.csv")
    for share in (60, 70, 90):
        hit = rng.random(2000) < share / 100
        frame_of(np.where(hit, labels, 1 - labels)).write_csv(f"{share}.csv")
    made = run(
        "board", "create", "coins", "--labels", "labels.csv", "--final", "final.csv",
        "--per-team", "1/4", "--submissions", "8", "--json",
    )  # fmt: skip
    assert made.code == 0, made
    return str(json.loads(made.out)["public_key"])


def submit(run: Run, share: int, team: str, *more: str) -> Outcome:
    return run("board", "submit", "coins", f"{share}.csv", "--team", team, *more)


def test_a_contest_from_its_first_entry_to_its_signed_result(run: Run, board: str) -> None:
    first = submit(run, 70, "ann").out
    assert first.startswith("entry 1 of ann: 0.7")
    assert first.endswith("; 1 submission left\n")
    assert "not above" in submit(run, 60, "bob").out
    told = json.loads(submit(run, 90, "bob", "--declared", "0.9", "--name", "b", "--json").out)
    assert (told["told"], told["value"], told["left"]) == ("confirmed", 0.9, 0)
    shown = run("board", "show", "coins").out
    assert "1     bob   3 b" in shown
    assert "5 of 8 submissions left" in shown
    assert run("board", "choose", "coins", "2", "--team", "bob").code == 0
    closed = run("board", "close", "coins", "--yes")
    assert closed.code == 0
    assert closed.out.splitlines()[1].startswith("1     ann   1")
    assert "(T-split)" in closed.out
    final = json.loads(run("board", "close", "coins", "--yes", "--json").out)
    assert [each["entry"] for each in final["finalists"]] == [1, 2]
    assert json.loads(run("board", "show", "coins", "--json").out)["final"] == final
    assert "Final" in run("board", "show", "coins").out

    assert run("board", "export", "coins", "--out", "result.json").code == 0
    verify = ("board", "verify", "result.json", "--public-key", board)
    assert "first: ann" in run(*verify, "--receipt", told["receipt"]).out
    assert run(*verify, "--receipt", "00").code == 2
    Path("result.json").write_text(Path("result.json").read_text().replace("ann", "eve"))
    refused = run(*verify)
    assert (refused.code, refused.out) == (2, "")
    assert "changed since" in refused.err


def test_codes_tell_what_went_wrong(run: Run, board: str) -> None:
    for share in (60, 70):
        assert submit(run, share, "ann").code == 0
    assert submit(run, 90, "ann").code == 3  # the share is used up
    assert submit(run, 60, "ann").code == 0  # and what was there is free
    assert run("board", "show", "other").code == 2
    assert run("board", "export", "coins").code == 2
    assert run("board", "close", "coins", "--yes").code == 0
    assert submit(run, 90, "bob").code == 4


@pytest.mark.parametrize("final", ["0", "1.5", "missing.csv"])
def test_a_board_needs_rows_for_its_final(run: Run, board: str, final: str) -> None:
    made = run("board", "create", "x", "--labels", "labels.csv", "--final", final)
    assert made.code == 2
    assert not Path("x.board").exists()


def test_codabench_calls_the_board(run: Run, board: str) -> None:
    Path("in/res").mkdir(parents=True)
    Path("90.csv").rename("in/res/predictions.csv")
    words = ("board", "program", "codabench", "in", "out", "--board", "coins", "--team", "cy")
    assert "cy is at rank 1" in run(*words).out
    assert json.loads(Path("out/scores.json").read_text())["entry"] == 1


def test_a_bar_shows_where_an_interval_is() -> None:
    assert bar(0.0, 1.0, axis=(0.0, 1.0)) == "━" * 30
    assert bar(0.5, 0.5, axis=(0.0, 1.0)) == "·" * 15 + "━" + "·" * 14
    assert bar(0.0, 0.1, axis=(0.4, 1.0))[0] == "━"
    assert len(bar(0.9, 1.0, axis=(0.2, 0.95))) == 30
