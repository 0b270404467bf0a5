"""The notebooks of the tutorial run, and what is stored in them is what they print.

If it fails: make notebooks.
"""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from documents import ROOT, Block, links
from peekproof.testing.statistics import statistical

pytestmark = pytest.mark.one_budget  # as whoever follows the pages

NOTEBOOKS = sorted((ROOT / "docs/tutorial").glob("*.ipynb"))
LARGEST = 200_000  # bytes
ROUNDING = 0.002  # processors round sums of floats differently
MACHINE = re.compile(r"/(tmp|home|root|Users|usr|var)/|site-packages|Traceback")


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def outputs(cell: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each for each in cell["outputs"] if each["output_type"] == kind]


def run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all cells in order, and compare what each prints and draws with what is stored."""
    figures: list[object] = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    namespace: dict[str, object] = {}
    for cell in cells(path, "code"):
        figures.clear()
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile("".join(cell["source"]), path.name, "exec", dont_inherit=True), namespace)
        plt.close("all")

        stored = "".join(line for each in outputs(cell, "stream") for line in each["text"])
        shown = Block(
            page=path, line=cell["execution_count"], language="text", text=stored, noise=ROUNDING
        )
        assert shown.shows(printed.getvalue()), (shown.place, printed.getvalue())
        assert len(outputs(cell, "display_data")) == len(figures)


# One of seven answers would have to be off by noise of six deviations.
@statistical(false_alarm=1e-8)
def test_attack_and_defence_is_what_its_cells_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(ROOT / "docs/tutorial/attack-and-defence.ipynb", monkeypatch)


@pytest.mark.parametrize("name", ["choose-a-budget", "search-on-a-holdout"])
def test_notebooks_without_noise_are_what_their_cells_show(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(ROOT / f"docs/tutorial/{name}.ipynb", monkeypatch)


def test_these_are_all_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "attack-and-defence",
        "choose-a-budget",
        "search-on-a-holdout",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_whole_small_and_of_no_machine(path: Path) -> None:
    found = cells(path, "code")
    assert [cell["execution_count"] for cell in found] == list(range(1, len(found) + 1))
    assert path.stat().st_size < LARGEST
    for cell in found:
        assert cell["metadata"] == {}
        kinds = {each["output_type"] for each in cell["outputs"]}
        assert kinds <= {"stream", "display_data"}
        assert {each["name"] for each in outputs(cell, "stream")} <= {"stdout"}
        for each in outputs(cell, "display_data"):
            assert "image/png" in each["data"]
            each["data"].pop("image/png")  # letters by chance
        assert not MACHINE.search(json.dumps(cell))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_notebooks_lead_somewhere(path: Path) -> None:
    text = "".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    targets = links(text)
    assert targets
    assert [target for target in targets if not (path.parent / target).exists()] == []
