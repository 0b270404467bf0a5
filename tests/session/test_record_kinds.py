"""Receipts and replays of sessions of guesses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.finding import Numbers
from peekproof.session.receipt import receipts
from peekproof.session.replay import replay

ROWS = 50_000
DATA = {"x": np.random.default_rng(1).random(ROWS)}


def test_a_session_by_thresholdout_is_replayed_and_has_receipts() -> None:
    with peekproof.open(
        DATA, questions=200, ledger=":memory:", mechanisms=[peekproof.Thresholdout]
    ) as session:
        answers = [session.ask("x > 0.1", guess=0.9), session.ask("x > 0.2", guess=0.1)]
        assert replay(session.ledger).certificates == 2
        for found, answer in zip(receipts(session.ledger), answers, strict=True):
            assert isinstance(found.finding, Numbers)
            assert found.finding.cells == ((answer.value, answer.interval),)
            assert found.certificate == answer.certificate


def test_nothing_is_left_after_the_last_failure() -> None:
    with peekproof.open(
        DATA,
        questions=200,
        ledger=":memory:",
        mechanisms=[peekproof.LimitedChecking],
        failures=2,
    ) as session:
        answers = [
            session.ask("x > 0.1", guess=0.9),
            session.ask("x > 0.2", guess=0.1),
            session.ask("x > 0.3", guess=0.7),
            session.ask("x > 0.4", guess=0.1),
        ]
        told = [found.left for found in receipts(session.ledger)]
        assert told == [answer.remaining for answer in answers] == [199, 198, 197, 0]


def test_receipts_in_json_go_to_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = tmp_path / "book.peekproof", tmp_path / "receipts.json"
    with peekproof.open(DATA, questions=10, ledger=place) as session:
        session.ask("x > 0.5")
    with pytest.raises(SystemExit):
        main(["ledger", "receipt", str(place), "--json", "--out", str(out)])
    assert out.exists(), capsys.readouterr().out[:80]
