"""The pictures of attacks: every outcome can be read, without its colour."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from peekproof.audit.fight import Decisive, Outcome
from peekproof.audit.figures.attack import draw_attack
from peekproof.audit.figures.matrix import COMMAND, draw_matrix
from peekproof.audit.matrix import Matrix

SVG = "{http://www.w3.org/2000/svg}"

LAST = Decisive(value=0.7, low=0.6, high=0.8, truth=0.5, holds=False)
MISSED: dict[str, Any] = {
    "attack": "correlation", "mechanism": "plain", "certified": False, "seed": 4,
    "predicted": 0.21, "questions": 30, "asked": 30, "refused": 0, "missed": 2, "forced": 0.234,
    "widest": 0.111, "decisive": LAST, "applies": True, "refusal": "",
}  # fmt: skip
HELD = {
    **MISSED, "mechanism": "planned", "certified": True, "missed": 0, "forced": 0.045,
    "widest": 0.321, "refused": 3,
    "decisive": Decisive(value=0.4, low=0.1, high=0.7, truth=0.5, holds=True),
}  # fmt: skip
SILENT = {**HELD, "asked": 0, "forced": 0.0, "widest": 0.0, "decisive": None}
REFUSED = {**SILENT, "mechanism": "rounds", "refusal": "refused: too few rows"}
INAPT = {**SILENT, "mechanism": "ladder", "applies": False}
OUTCOMES = tuple(Outcome(**each) for each in (MISSED, HELD, REFUSED, INAPT))
FOUND = Matrix(rows=1234, questions=30, confidence=Fraction(9, 10), seed=4, outcomes=OUTCOMES)


def read(path: Path) -> tuple[list[str], str]:
    """All texts of a picture, and its source."""
    pytest.importorskip("matplotlib")
    root = ElementTree.parse(path).getroot()
    return ["".join(node.itertext()).strip() for node in root.iter(f"{SVG}text")], path.read_text()


def test_every_cell_says_in_words_and_signs_what_came_of_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    texts, source = read(draw_matrix(tmp_path / "matrix.svg", FOUND))

    for words in ("0.234 ✗", "±0.111", "0.045 ✓ r", "±0.321", "refused", "–"):
        assert texts.count(words) == 1, words
    assert {"plain", "planned", "rounds", "ladder", "correlation", "0.210 at the end"} <= set(texts)
    assert "<pattern" in source  # hatching, for grey


def test_the_caption_says_how_to_draw_it_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    texts, _ = read(draw_matrix(tmp_path / "matrix.svg", FOUND))
    caption = " ".join(texts)

    assert "n = 1,234, up to 30 questions, confidence 0.9" in caption
    assert "seed 4" in caption
    assert COMMAND == "peekproof attack all --plot FILE"
    assert COMMAND in caption


def test_a_picture_repeats_byte_by_byte(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    one, other = (draw_matrix(tmp_path / f"{name}.svg", FOUND) for name in "ab")

    assert one.read_bytes() == other.read_bytes()


def test_certified_ones_alone_need_no_rule(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    alone = Matrix(rows=9, questions=3, confidence=Fraction(9, 10), seed=4, outcomes=OUTCOMES[1:])
    texts, _ = read(draw_matrix(tmp_path / "matrix.svg", alone))

    assert "plain" not in texts
    assert "planned" in texts


def test_one_attack_is_drawn_around_the_truth(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = "peekproof attack correlation --plot FILE"
    path = draw_attack(tmp_path / "one.svg", OUTCOMES, rows=1234, confidence=0.9, command=command)
    texts, source = read(path)

    for words in ("misses", "holds", "refused", "does not answer such questions", "truth"):
        assert texts.count(words) == 1, words
    assert "0.210: expected of exact answers" in texts
    assert {"plain", "planned", "rounds", "ladder"} <= set(texts)
    assert command in " ".join(texts)
    assert "<pattern" in source
