"""The comparisons with the field: what is recorded, and the page that is made of it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench/results"
# Taken apart from the others: they need a disk with room, or a cluster.
APART = {"large_file", "spark"}
MADE = {
    "name": "made",
    "title": "Made up",
    "about": "Nothing was measured.",
    "machine": {"processor": "x"},
}


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder bench as the runner sees it; its modules have plain names, so they leave again."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(ROOT / "bench")):
            del sys.modules[name]


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_every_comparison_that_is_run_has_its_place_on_the_page_and_the_reverse() -> None:
    assert set(module("run").COMPARISONS) | APART == set(module("page").ORDER)


def test_every_comparison_is_recorded_in_full() -> None:
    found = {each.name: each for each in module("page").results(RESULTS)}

    assert set(found) >= set(module("run").COMPARISONS)
    assert [name for name, each in found.items() if each.quick] == []
    assert all(each.machine.keys() >= {"processor", "cores", "memory"} for each in found.values())


def test_records_are_ratios() -> None:
    """A column of times in seconds would say more about the machine than about anybody."""
    heads = [
        (each.name, head)
        for each in module("page").results(RESULTS)
        for sheet in (*each.sheets, *each.details)
        for head in sheet.columns
    ]

    assert heads
    assert [head for head in heads if re.search(r"\b(ms|µs|us|s|seconds?)\b", head[1])] == []


def test_the_page_is_what_the_records_give() -> None:
    """If it fails: python bench/page.py."""
    page = module("page")
    found = page.results(RESULTS)

    assert (RESULTS / "README.md").read_text() == page.page(found, failed={})
    for each in found:
        pictures = [module("charts").picture_of(each, chart) for chart in each.charts]
        assert [name for name in pictures if not (RESULTS / name).is_file()] == []
        if each.details:
            assert (RESULTS / f"{each.name}.md").read_text() == page.details(each)


def test_the_readme_says_what_the_records_say() -> None:
    readme = (ROOT / "README.md").read_text()
    found = {each.name: each.sheets[0] for each in module("page").results(RESULTS)}
    compared = re.findall(r"^\| (.*) \| ([\d.,]+) \| .* \|$", readme, re.M)
    ratios = {str(row[0]): row[1] for row in found["latency"].rows}

    assert len(compared) == 4
    assert compared == [(name, module("charts").number(ratios[name])) for name, _ in compared]

    held = {
        str(row[0]).rpartition(" ")[2]: round(row[1] * row[2]) for row in found["coverage"].rows
    }
    text = " ".join(readme.split())
    assert {row[2] for row in found["coverage"].rows} == {80}
    assert f"held in {held['Peekproof']} of 80 conversations with Peekproof" in text
    assert f"in {held['holdout']} with a plain holdout" in text
    assert f"and in {held['10']}, {held['100']} and {held['1000']} with the noise" in text


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    of = module("result")
    sheet = of.Sheet.of("A table", {"ours": {"a": 1.5, "b": "word"}, "theirs": {"c": 2.0}})
    chart = of.Chart("bars", "Bars", "over", column="a", ours=("ours",))
    written = of.Result(**MADE, sheets=(sheet,), charts=(chart,), missing={"it": "not there"})

    assert of.Result.read(written.write(tmp_path)) == written
    assert sheet.rows == (("ours", 1.5, "word", None), ("theirs", None, None, 2.0))


def test_the_page_says_who_takes_no_part_and_what_did_not_run() -> None:
    of, page = module("result"), module("page")
    sheet = of.Sheet.of("A table", {"ours": {"a": 0.00012345, "b": None}, "theirs": {"a": 98765.4}})
    made = of.Result(**MADE, sheets=(sheet,), missing={"A peer": "not installed (no such thing)"})
    text = page.page([made], failed={"another": "KeyError: 'x'"})

    assert "- A peer takes no part: not installed (no such thing)" in text
    assert "- `another`: KeyError: 'x'" in text
    assert "| ours | 0.000123 | – |" in text
    assert "| theirs | 98,765 | – |" in text


@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_a_chart_is_drawn(kind: str, tmp_path: Path) -> None:
    of = module("result")
    sheet = of.Sheet.of("Growth", {"ours": {"10": 1.0, "1,000": 1.1}, "theirs": {"10": 90.0}})
    chart = of.Chart(kind, "A title", "over", column="10", mark="10", across="asked")
    (path,) = module("charts").draw(of.Result(**MADE, sheets=(sheet,), charts=(chart,)), tmp_path)

    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_peer_that_does_not_install_is_told_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments, told = module("environments"), module("peers.told")
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    monkeypatch.setattr(environments.venv, "create", lambda *_, **__: None)
    monkeypatch.setattr(environments, "_install", lambda *_: "No matching distribution")
    found = told.told("latency", "10", "1")

    assert found.found == {}
    assert found.missing == dict.fromkeys(
        told.PEERS.values(), "not installed (No matching distribution)"
    )


def test_a_comparison_that_there_is_not_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["run.py", "--only", "nothing"])
    with pytest.raises(SystemExit) as stopped:
        module("run").main()

    assert stopped.value.code == 2
    assert "no comparison nothing; there are latency," in capsys.readouterr().err
