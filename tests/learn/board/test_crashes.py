"""A process that ends anywhere loses nothing that was acknowledged, and others go on."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from learn.board.contests import Contest
from peekproof.learn.board.board import Board
from peekproof.learn.board.store import BoardStore
from peekproof.ledger.ledger import Ledger

_CHILD = """
import os, sys
from peekproof.learn.board.board import Board
from peekproof.learn.board.store import BoardStore
from peekproof.ledger.ledger import Ledger

folder, step, files = sys.argv[1], sys.argv[2], sys.argv[3:]
if step != "-":
    home, name, when = step.split(":")
    home = {"Ledger": Ledger, "BoardStore": BoardStore}[home]
    plain = getattr(home, name)
    def deadly(*arguments, **keywords):
        if when == "after":
            plain(*arguments, **keywords)
        os._exit(9)
    setattr(home, name, deadly)
with Board.open(folder) as board:
    for each in files:
        print(board.submit(os.path.basename(each)[:3], each).digest, flush=True)
    if not files:
        board.close()
"""


def child(folder: Path, step: str, *files: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CHILD, str(folder), step, *map(str, files)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))


class Killed(BaseException):
    """Stands for the end of a process where an exception does as well."""


def killing(monkeypatch: pytest.MonkeyPatch, home: type, name: str, *, after: bool) -> None:
    plain = getattr(home, name)

    def deadly(*arguments: object, **keywords: object) -> None:
        if after:
            plain(*arguments, **keywords)
        raise Killed

    monkeypatch.setattr(home, name, deadly)


@pytest.mark.parametrize(
    ("home", "name", "after", "paid"),
    [
        (Ledger, "write", False, 1),
        (Ledger, "write", True, 1),  # recorded, and never told: to ask again is free
        (BoardStore, "add", False, 1),
        (BoardStore, "add", True, 1),
    ],
)
def test_a_submission_that_was_cut_off_can_be_made_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    home: type,
    name: str,
    after: bool,
    paid: int,
) -> None:
    contest = Contest(tmp_path, rows=400, per_team="1/2")
    given = contest.right(0.8)
    with monkeypatch.context() as patch:
        killing(patch, home, name, after=after)
        with pytest.raises(Killed):
            contest.board.submit("ann", given)
    contest.board.release()
    with Board.open(contest.board.folder) as again:
        assert again.entries() == []
        entry = again.submit("ann", given)
        assert again.entries() == [entry]
        assert again._desk.session.ledger.draws() == paid
        assert entry.low < 0.8 < entry.high


@pytest.mark.parametrize(
    ("home", "name", "after"),
    [
        (Ledger, "write", False),
        (Ledger, "write", True),
        (Ledger, "retire", True),
        (BoardStore, "say", True),
    ],
)
def test_a_close_that_was_cut_off_is_finished_with_the_same_finalists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: type, name: str, after: bool
) -> None:
    contest = Contest(tmp_path, rows=400)
    board = contest.board
    for team, share in (("ann", 0.9), ("bob", 0.6)):
        board.submit(team, contest.right(share))
    with monkeypatch.context() as patch:
        killing(patch, home, name, after=after)
        with pytest.raises(Killed):
            board.close()
    board.release()
    with Board.open(board.folder) as again:
        final = again.close()
        assert [each.team for each in final.finalists] == ["ann", "bob"]
        assert final.questions == 4
        assert again.close() == final


def test_a_process_that_is_killed_while_it_closes_leaves_a_board_that_goes_on(
    tmp_path: Path,
) -> None:
    contest = Contest(tmp_path, rows=400)
    folder = contest.board.folder
    kept = contest.board.submit("bob", contest.right(0.7))
    process = child(folder, "Ledger:write:before")
    told, _ = process.communicate()
    assert (process.returncode, told) == (9, "")
    with Board.open(folder) as again:
        assert again.closed
        assert again.final is None
        assert again.entries() == [kept]
        assert [each.team for each in again.close().finalists] == ["bob"]


def test_threads_submit_at_once(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=400)
    given = [contest.right(0.5) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: contest.board.submit("ann", each), [*given, *given]))
    assert found[:8] == found[8:]
    assert sorted(each.number for each in found[:8]) == list(range(1, 9))
    assert contest.draws == 8


def test_two_processes_submit_at_once(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=400)
    folder = contest.board.folder
    files: dict[str, list[Path]] = {"ann": [], "bob": []}
    for team, found in files.items():
        for number in range(8):
            found.append(tmp_path / f"{team}{number}.csv")
            contest.right(0.5 + number / 20).write_csv(found[-1])
    running = [child(folder, "-", *found) for found in files.values()]
    receipts = [process.communicate()[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    entries = contest.board.entries()
    assert [each.number for each in entries] == list(range(1, 17))
    assert contest.draws == 16
    for team, mine in zip(files, receipts, strict=True):
        assert [each.digest for each in entries if each.team == team] == mine
