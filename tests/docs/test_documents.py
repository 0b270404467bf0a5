"""The documentation is run: every Python block, the README's transcript, every name and link."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest

import holdfast
from holdfast.cli.main import cli, main
from holdfast.core import errors
from holdfast.core.sources import SOURCES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with people.csv, as the pages assume, and the current directory in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    columns = {"age": rng.integers(18, 90, 20_000), "income": rng.lognormal(10, 1, 20_000)}
    pl.DataFrame(columns).write_csv("people.csv")
    return tmp_path


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem
)
def test_python_blocks_run_in_order(page: Path, people: Path) -> None:
    namespace: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), namespace)

    if page.stem in ("README", "first-answer", "share-one-budget"):
        assert (people / "people.csv.holdfast").exists()


def test_tutorial_shows_what_it_says(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs/tutorial/first-answer.md"
    namespace: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), namespace)
    shown = capsys.readouterr().out

    assert "±0.0615" in shown
    assert shown.strip().endswith("997")


def test_readme_transcript_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    (transcript,) = [
        block for block in blocks(ROOT / "README.md", "console") if block.startswith("$")
    ]
    command, _, printed = transcript.partition("\n")
    with pytest.raises(SystemExit):
        main(command.removeprefix("$ holdfast ").split())

    assert capsys.readouterr().out == printed


def test_budget_table_is_what_the_planner_says() -> None:
    page = (ROOT / "docs/how-to/choose-a-budget.md").read_text()
    rows = re.findall(r"^\| ([\d,]+) \|(.*)\|$", page, re.M)
    assert len(rows) == 4
    for rows_text, cells in rows:
        for questions, cell in zip((10, 100, 1_000, 10_000), cells.split("|"), strict=True):
            target = holdfast.Target.of(confidence=0.95, questions=questions)
            plan = holdfast.plan(rows=int(rows_text.replace(",", "")), target=target)
            assert cell.strip() == ("refused" if plan.vacuous else f"±{plan.radius:.3f}")


def test_every_error_is_documented() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text()
    kinds = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.HoldfastError)
    ]
    assert kinds
    assert [name for name in kinds if f"`{name}`" not in page] == []


def options(command: click.Command, path: str) -> list[tuple[str, str]]:
    """Every option of a command and its subcommands, with the command's path."""
    found = [
        (path, option)
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    ]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            found += [(f"{path} {name}", ""), *options(inner, f"{path} {name}")]
    return found


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs/reference/command-line.md").read_text()
    missing = [
        (path, option)
        for path, option in options(cli, "holdfast")
        if path not in page or (option and option != "--version" and option not in page)
    ]
    assert missing == []


def test_public_names_are_documented() -> None:
    reference = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    assert [name for name in holdfast.__all__ if f"{name}" not in reference] == []


def test_sources_and_references_agree() -> None:
    cited = re.findall(r"^@\w+\{([\w-]+),", (ROOT / "docs/references.bib").read_text(), re.M)
    assert sorted(cited) == sorted(SOURCES)


def test_theorem_page_is_what_the_registry_says() -> None:
    """If it fails: make theorems."""
    generator = runpy.run_path(str(ROOT / "docs/generate_theorems.py"))
    assert (ROOT / "docs/theorems.md").read_text() == generator["page"]()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    broken = [target for target in targets if not (page.parent / target).exists()]
    assert broken == []


def test_locators_into_our_own_proofs_exist() -> None:
    """A theorem that cites the proof page names a heading of it."""
    import holdfast.session  # noqa: F401, PLC0415 (registers every theorem of the line)
    from holdfast.core.theorem import registered  # noqa: PLC0415

    proofs = (ROOT / "docs/explanation/certificate.md").read_text()
    headings = re.findall(r"^## (.*)$", proofs, re.M)
    own = [theorem for theorem in registered() if theorem.source == "holdfast"]
    assert len(own) >= 4
    for theorem in own:
        if theorem.locator == "The proof in its docstring":
            continue
        assert any(heading.startswith(theorem.locator) for heading in headings), theorem
