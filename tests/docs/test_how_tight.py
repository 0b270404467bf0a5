"""The page on tightness says what was recorded, and what was recorded is possible."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lab.figures.tightness import COMMAND, Record, draw_tightness
from lab.forcing.routes import routes
from peekproof.audit.opponents.catalogue import CERTIFIED
from peekproof.core.certificate import Target

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/generate_tightness.py"))


@pytest.fixture(scope="module")
def record(generator: dict[str, Any]) -> Record:
    return Record.read(generator["RECORD"])


def test_tables_are_those_of_the_record(generator: dict[str, Any], record: Record) -> None:
    text = generator["PAGE"].read_text(encoding="utf-8")
    emptied = text.replace("| gaussian |", "| other |")

    assert generator["page"](text, record) == text
    assert generator["page"](emptied, record) == text != emptied


def test_no_attack_forces_more_than_was_certified(record: Record) -> None:
    for found in record.findings:
        assert 1 <= found.ratio <= found.ratio_at_most, found
        assert found.ratio == pytest.approx(found.radius / found.forced), found


def test_everything_that_is_certified_is_attacked(record: Record) -> None:
    """`planned` is the narrowest of three that are."""
    assert set(record.names(ours=True)) == {each.name for each in CERTIFIED} - {"planned"}
    assert len(record.sizes) == 6
    assert len(record.names(ours=False)) >= 10


def test_radii_are_still_those_that_routes_have(record: Record) -> None:
    """Where an interval depends on the answer, the recorded one reaches no further."""
    rows, questions = record.sizes[0]
    target = Target.of(confidence=record.confidence, questions=questions)
    now = {each.name: each.radius for each in routes(rows=rows, target=target)}
    recorded = [
        each for each in record.findings if (each.rows, each.questions) == (rows, questions)
    ]

    assert {each.route for each in recorded} == set(now)
    for each in recorded:
        assert each.radius <= now[each.route] * (1 + 1e-9), each.route
        if not each.ours or each.route in ("gaussian", "laplace"):
            assert each.radius == pytest.approx(now[each.route]), each.route


def test_the_picture_names_every_route_every_size_and_its_command(
    record: Record, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    path = draw_tightness(tmp_path / "tightness.svg", record)
    root = ElementTree.parse(path).getroot()
    written = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]

    for name in (*record.names(ours=True), *record.names(ours=False)):
        assert name in written
    for rows, questions in record.sizes:
        assert f"n = {rows:,}, k = {questions:,}" in written
    (caption,) = [text for text in written if text.endswith(COMMAND)]
    assert f"seed {record.seed}" in caption
