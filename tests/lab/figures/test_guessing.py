"""The picture of checked guesses: its numbers by other means, and every line named."""

import runpy
import sys
from math import comb, log, sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lab.figures.guessing import (
    BETA,
    FAILURES,
    QUESTIONS,
    ROWS,
    draw_guessing,
    panels,
)
from peekproof.core.certificate import Target
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan

SVG = "{http://www.w3.org/2000/svg}"


def naive(rows: int, failures: int) -> float:
    """Half of the rows guess; transcripts counted by where failures can be."""
    half, exponent = rows // 2, log(2 * QUESTIONS / BETA)
    tolerance = sqrt(exponent / half)
    bins = -int(-2 // tolerance)
    count = sum(comb(QUESTIONS, j + 1) * bins**j for j in range(failures + 1))
    return min(1.0, tolerance + sqrt((log(2 / BETA) + log(count)) / (2 * half)))


def test_guesses_are_as_wide_as_the_transcripts_counted_directly() -> None:
    for panel in panels():
        assert len(panel.guesses) == FAILURES + 1
        for failures in (0, 1, 10, 30, 77, 200):
            assert panel.guesses[failures] == pytest.approx(naive(panel.rows, failures), rel=1e-9)


def test_lines_are_what_sessions_and_hoeffding_promise() -> None:
    exponent = log(2 * QUESTIONS / BETA)
    target = Target(confidence=1 - BETA, questions=QUESTIONS)
    for panel in panels():
        session = plan(rows=panel.rows, target=target, mechanisms=(Gaussian,))
        assert panel.noise == session.radius
        assert panel.fixed == pytest.approx(sqrt(exponent / (2 * panel.rows)), rel=1e-9)
        each = panel.rows // QUESTIONS
        assert panel.fresh == pytest.approx(min(1.0, sqrt(exponent / (2 * each))), rel=1e-9)
    assert tuple(panel.rows for panel in panels()) == ROWS


def test_dots_stand_at_the_last_failure_before_guesses_stop_serving() -> None:
    for panel in panels():
        serving = [radius for radius in panel.guesses if radius <= panel.noise and radius < VACUOUS]
        assert panel.most == len(serving) - 1
    assert [panel.most for panel in panels()] == [15, 25, 22]


def test_the_picture_names_every_line_and_its_own_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    path = draw_guessing(tmp_path / "guessing.svg")
    root = ElementTree.parse(path).getroot()
    written = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]

    for panel in panels():
        for words in (
            f"{panel.rows:,} rows",
            f"Gaussian noise, {panel.noise:.3f}",
            f"fresh rows, {panel.fresh:.3g}",
            f"if nothing adapts, {panel.fixed:.2g}",
            f"{panel.guesses[0]:.3f} if none fails",
            f"up to {panel.most} failures",
        ):
            assert words in written
    (caption,) = [text for text in written if "β = 0.05" in text]
    assert "1,000 questions" in caption
    command = caption.split("·")[1].strip()
    assert command == "python -m lab.figures.guessing FILE"
    again = tmp_path / "again.svg"
    monkeypatch.setattr(sys, "argv", ["guessing", str(again)])
    monkeypatch.delitem(sys.modules, "lab.figures.guessing")
    runpy.run_module("lab.figures.guessing", run_name="__main__")
    assert again.read_bytes() == path.read_bytes()
