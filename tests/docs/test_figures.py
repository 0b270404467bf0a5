"""Figures of the documentation: each can be drawn again, is there, and is shown somewhere."""

from __future__ import annotations

import importlib.util
import re
import runpy
import struct
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/figures"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def table() -> dict[str, Any]:
    """The table in bench/figures.py."""
    figures = runpy.run_path(str(ROOT / "bench/figures.py"))["FIGURES"]
    assert isinstance(figures, dict)
    return figures


def drawn() -> dict[str, str]:
    """Every file that is drawn again, and the name of its figure."""
    return {file: name for name, figure in table().items() for file in figure.files}


def shown() -> set[Path]:
    """Every image of the README and of docs."""
    return {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    }


def test_every_image_of_the_documentation_is_there_and_can_be_drawn_again() -> None:
    images = shown()

    assert len(images) >= 8
    assert [image for image in images if not image.is_file()] == []
    assert {image.parent for image in images} == {FOLDER}
    assert {image.name for image in images} <= set(drawn())


def test_no_figure_is_kept_that_is_not_shown_and_none_is_drawn_that_is_not_kept() -> None:
    kept = {path.name for path in FOLDER.iterdir()}
    stems = {image.stem for image in shown()}

    assert kept == set(drawn())
    assert [name for name in kept if Path(name).stem not in stems] == []


def test_every_command_names_a_module_that_there_is_and_writes_its_own_file() -> None:
    for name, figure in table().items():
        module, *_ = figure.words
        assert importlib.util.find_spec(module) is not None, name
        assert {"FILE", "FOLDER"} & set(figure.words), name
        assert all(Path(file).stem == name for file in figure.files)
        assert f"docs/figures/{figure.files[0]}" in figure.command() or "FOLDER" in figure.words


def test_figures_are_large_enough_to_be_read() -> None:
    for path in FOLDER.glob("*.png"):
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        assert width > height > 600, path.name


def test_a_figure_that_there_is_not_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["figures.py", "nothing"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(ROOT / "bench/figures.py"), run_name="__main__")

    assert stopped.value.code == 2
    assert "no figure nothing; there are peekproof-demo, routes," in capsys.readouterr().err
