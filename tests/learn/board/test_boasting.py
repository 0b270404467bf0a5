"""A score that somebody declared with a wide tolerance is no score that others must beat."""

from __future__ import annotations

from pathlib import Path

from learn.board.contests import Contest
from peekproof.learn.board.programs import told
from peekproof.learn.board.submission import Told


def test_a_boast_that_passes_neither_leads_nor_hides_who_is_better(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=4000)
    # From two rows anything may be expected, so anything passes.
    boast = contest.board.submit("loud", contest.right(0.5), declared=0.99, trained_on=2)
    assert boast.told is Told.CONFIRMED
    assert boast.low < 0.5
    good = contest.board.submit("good", contest.right(0.9))
    assert good.told is Told.CORRECTED
    late = contest.board.submit("late", contest.right(0.5), declared=0.99, trained_on=2)
    assert late.told is Told.CONFIRMED
    standings = contest.board.standings()
    assert standings.teams[0].entry.team == "good"
    assert standings.running[-1].team == "good"
    scores = {each.team: float(str(told(contest.board, each)["score"])) for each in (good, late)}
    assert scores["good"] > scores["late"]


def test_of_losses_a_boast_is_no_better(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=4000, metric="zero_one")
    contest.board.submit("loud", contest.right(0.5), declared=0.01, trained_on=2)
    assert contest.board.submit("good", contest.right(0.9)).told is Told.CORRECTED
    assert contest.board.standings().teams[0].entry.team == "good"
