"""The documentation is run: every Python block, every name and link."""

from __future__ import annotations

import re
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import peekproof
from documents import PAGES, ROOT, blocks, links
from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.mechanisms import base
from peekproof.theory.discrete_noise import bounded_range

pytestmark = pytest.mark.one_budget  # as whoever follows the pages

# The tutorial is one story, which tests/docs/test_tutorial.py follows.
RUN = [page for page in PAGES if page.parent.name != "tutorial" and blocks(page, "python")]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with people.csv, as the pages assume, and the current directory in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    columns = {"age": rng.integers(18, 90, 20_000), "income": rng.lognormal(10, 1, 20_000)}
    pl.DataFrame(columns).write_csv("people.csv")
    return tmp_path


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_python_blocks_run_in_order(
    page: Path, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A mechanism that a page adds is forgotten with it.
    monkeypatch.setattr(base, "_MECHANISMS", dict(base._MECHANISMS))
    monkeypatch.setattr(base, "_DRAWS", dict(base._DRAWS))
    namespace: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec", dont_inherit=True), namespace)

    if page.stem in ("README", "share-one-budget"):
        assert (people / "people.csv.peekproof").exists()


def test_budget_table_is_what_the_planner_says() -> None:
    page = (ROOT / "docs/how-to/choose-a-budget.md").read_text()
    rows = re.findall(r"^\| ([\d,]+) \|(.*)\|$", page, re.M)
    assert len(rows) == 4
    for rows_text, cells in rows:
        for questions, cell in zip((10, 100, 1_000, 10_000), cells.split("|"), strict=True):
            target = peekproof.Target.of(confidence=0.95, questions=questions)
            plan = peekproof.plan(rows=int(rows_text.replace(",", "")), target=target)
            assert cell.strip() == ("refused" if plan.vacuous else f"±{plan.radius:.3f}")


@pytest.fixture
def mechanisms(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names in docs/generate_mechanisms.py."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return runpy.run_path(str(ROOT / "docs/generate_mechanisms.py"))


def test_mechanism_page_is_what_the_generator_gives(mechanisms: dict[str, Any]) -> None:
    """If it fails: make mechanisms."""
    assert (ROOT / "docs/reference/mechanisms.md").read_text() == mechanisms["page"]()


def test_every_mechanism_says_what_it_guarantees_and_what_is_secret(
    mechanisms: dict[str, Any],
) -> None:
    found = mechanisms["kinds"]()
    assert len(found) == 20
    assert found.keys() == mechanisms["table"]().keys()
    for kind, each in found.items():
        said = {
            name: mechanisms["section"](each, name)
            for name in ("Guarantees", "Proof", "Public", "Secret")
        }
        assert all(said.values()), (kind, said)
        assert not any("Public:" in text or "Proof:" in text for text in said.values()), said


def test_mechanisms_are_compared_at_the_same_cost(mechanisms: dict[str, Any]) -> None:
    compared = 0
    for kind, about in mechanisms["table"]().items():
        match about.example.cost():
            case Draws(count=count):
                assert count == (about.example.questions if kind == "ladder" else 1)
                continue
            case GDP() if kind == "open-ended":
                continue
            case PureDP() as loss if kind in ("exponential", "quantile"):
                rho = bounded_range(loss).rho
            case PureDP(epsilon=epsilon):
                rho = epsilon**2 / 2
            case GDP(mu_squared=mu_squared):
                rho = mu_squared / 2
            case ZCDP(rho=rho):
                pass
        compared += 1
        assert 0.997 * mechanisms["RHO"] <= rho <= mechanisms["RHO"], kind
    assert compared == 12


def test_the_page_on_other_questions_shows_what_it_says(
    people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs/how-to/ask-more-than-shares.md"
    namespace: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec", dont_inherit=True), namespace)
    shown, text = capsys.readouterr().out, page.read_text()
    data, price = namespace["data"], namespace["price"]

    assert shown.startswith("±0.0476")
    assert "±6.67 minutes" in text
    assert f"{namespace['answer'].radius:.2f}" == "6.67"
    assert f"# {round(price.questions)}, instead of 200" in text
    like = namespace["question"].replace("120", "121")  # the page has asked for its own
    fine, coarse = (data.price_of(like, loss=loss) for loss in (None, 0.05))
    assert f"# {round(fine.questions)}, for levels within ±0.05" in text
    assert fine.certificate.radius <= 0.05
    assert f"# {round(coarse.questions)}, for a coarser one" in text
    many = ", ".join(str(edge) for edge in range(999))
    for cells, edges in ((3, "0, 15"), (1000, many)):
        worth = data.price_of(f"histogram(delay, ({edges}))").questions
        assert 0 <= worth - (4 - Fraction(4, cells)) < Fraction(1, 10**5)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = links(page.read_text())
    broken = [target for target in targets if not (page.parent / target).exists()]
    assert broken == []


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial/first-answer.md"])
def test_pages_that_make_a_ledger_can_be_followed_twice(name: str, people: Path) -> None:
    for _ in range(2):
        namespace: dict[str, object] = {}
        for block in blocks(ROOT / name, "python"):
            exec(compile(block, name, "exec", dont_inherit=True), namespace)
