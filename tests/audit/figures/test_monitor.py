"""The picture of a monitor: a panel for each report, and every allowance below 1 drawn."""

import runpy
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from audit.voting import Claims, Voting
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.figures.monitor import (
    COMMAND,
    EPSILON,
    QUESTIONS,
    REPEATS,
    ROWS,
    SAMPLES,
    SEED,
    draw_monitor,
)
from peekproof.audit.monitor import MonitorReport, monitor
from peekproof.audit.opponents.controls import HALF_NOISE, HONEST
from peekproof.audit.opponents.protocol import Setup


def test_panels_name_what_they_show(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = [
        monitor(Claims(name=name, part=part), Voting(rows=8, features=32), samples=1, repeats=40)
        for name, part in ((HONEST.name, Fraction(1)), (HALF_NOISE.name, Fraction(1, 100)))
    ]
    path = draw_monitor(found, tmp_path / "monitor.svg", command="peekproof monitor")
    written = ["".join(node.itertext()).strip() for node in ElementTree.parse(path).iter()]

    assert [each.flagged for each in found] == [False, True]
    for words in (
        "the noise that is claimed",
        "half of the noise that is claimed",
        "allowed, by the drift",
        "allowed, by the founding notes",
        "more than allowed",
    ):
        assert words in written
    assert any("8 rows, 33 questions, 40 × 1 conversations" in each for each in written)
    assert "error of answers" not in written


def test_the_module_draws_honest_noise_a_liar_and_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")

    def quickly(setup: Setup, analyst: Correlation, **given: object) -> MonitorReport:
        assert (analyst.rows, analyst.questions) == (ROWS, QUESTIONS)
        assert given == {"samples": SAMPLES, "repeats": REPEATS, "epsilon": EPSILON, "seed": SEED}
        return monitor(setup, Correlation(rows=10, features=9), samples=1, repeats=2)

    monkeypatch.setattr("peekproof.audit.monitor.monitor", quickly)
    monkeypatch.setattr(sys, "argv", ["monitor", str(tmp_path / "drawn.svg")])
    monkeypatch.delitem(sys.modules, "peekproof.audit.figures.monitor")
    runpy.run_module("peekproof.audit.figures.monitor", run_name="__main__")
    written = ["".join(n.itertext()) for n in ElementTree.parse(tmp_path / "drawn.svg").iter()]

    assert "no noise, and no claim" in written
    assert any(COMMAND in each for each in written)
