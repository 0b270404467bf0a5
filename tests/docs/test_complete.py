"""Everything has its place in the documentation, and what is generated is up to date."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click
import pytest

import peekproof
import peekproof.derive
from peekproof.cli.main import cli
from peekproof.core import errors
from peekproof.core.theorem import SOURCES, Theorem, registered
from peekproof.learn.metrics.named import COMPOSITES, METRICS
from peekproof.server.metrics import FAMILIES

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"
IN_DOCSTRING = ("proof in its docstring", "proof in the docstring")


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names in docs/generate_theorems.py, with every theorem registered."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    names = runpy.run_path(str(ROOT / "docs/generate_theorems.py"))
    names["import_all"]()
    return names


# Names ----------------------------------------------------------------------------------------


def described(pages: Path) -> list[str]:
    """Every name that a page of the generated reference asks autodoc for."""
    text = "".join(page.read_text(encoding="utf-8") for page in pages.glob("*.md"))
    return re.findall(r"^\.\. auto(?:class|function|exception|data):: (\S+)$", text, re.M)


def test_every_public_name_is_in_the_generated_reference_once() -> None:
    names = described(REFERENCE / "api")

    assert [name for name in peekproof.__all__ if names.count(f"peekproof.{name}") != 1] == []
    assert len(names) == len(set(names))


def test_every_function_of_derive_is_in_the_guide() -> None:
    guide = (REFERENCE / "python.md").read_text(encoding="utf-8")
    assert [name for name in peekproof.derive.__all__ if f"`{name}" not in guide] == []


def test_every_dotted_name_of_the_reference_exists() -> None:
    named = {
        name
        for page in REFERENCE.rglob("*.md")
        for name in re.findall(r"(?<![\w/.])peekproof(?:\.[A-Za-z_]\w*)+", page.read_text())
    }

    assert len(named) > 150
    for name in named:
        resolve_name(name)


def test_every_error_is_documented() -> None:
    page = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    kinds = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.PeekproofError)
    ]
    assert kinds
    assert [name for name in kinds if f"`{name}`" not in page] == []


def test_every_metric_is_documented() -> None:
    page = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", page))

    assert {*METRICS, *COMPOSITES} - named == set()


def test_every_count_of_a_gateway_is_documented() -> None:
    page = (REFERENCE / "http-api.md").read_text(encoding="utf-8")
    assert [name for name, *_ in FAMILIES if f"| `{name}` |" not in page] == []


# Commands -------------------------------------------------------------------------------------


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
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    missing = [
        (path, option)
        for path, option in options(cli, "peekproof")
        if path not in page or (option and option != "--version" and option not in page)
    ]
    assert missing == []


# Theorems -------------------------------------------------------------------------------------


def test_sources_and_references_agree() -> None:
    cited = re.findall(r"^@\w+\{([\w-]+),", (ROOT / "docs/references.bib").read_text(), re.M)
    assert sorted(cited) == sorted(SOURCES)


def test_pages_of_theorems_and_proofs_are_what_the_registry_says(generator: dict[str, Any]) -> None:
    """If it fails: make theorems."""
    pages = generator["pages"]()

    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text, file
    assert set((ROOT / "docs/proofs").iterdir()) == set(pages) - {ROOT / "docs/theorems.md"}


def leads_to_a_proof(theorem: Theorem, generator: dict[str, Any]) -> bool:
    """Whether it is published at a named place, proved in the certificate, or in its docstring."""
    if any(words in theorem.locator for words in IN_DOCSTRING):
        return bool(generator["proof_of"](theorem))
    if theorem.source == "peekproof":
        return bool(generator["in_certificate"](theorem))
    return bool(theorem.locator.strip())


def test_every_theorem_leads_to_its_proof(generator: dict[str, Any]) -> None:
    theorems = registered()

    assert len(theorems) >= 140
    assert [each.key for each in theorems if not leads_to_a_proof(each, generator)] == []


def test_a_theorem_without_a_proof_is_seen(generator: dict[str, Any]) -> None:
    """Its docstring promises one, or the certificate has no such heading, or nothing is named."""

    def made_up(source: str, locator: str) -> Theorem:
        return Theorem(
            key="T-made-up",
            source=source,
            locator=locator,
            statement="Two is even.",
            holds_when="always.",
            function="peekproof.theory.discrete_noise.laplace",  # published: no proof of ours
        )

    assert not leads_to_a_proof(made_up("peekproof", "The proof in its docstring"), generator)
    assert not leads_to_a_proof(made_up("peekproof", "No such heading"), generator)
    assert not leads_to_a_proof(made_up("dwork-roth-2014", " "), generator)
    assert leads_to_a_proof(made_up("dwork-roth-2014", "Theorem 3.6"), generator)


def test_every_theorem_that_a_page_names_is_registered(generator: dict[str, Any]) -> None:
    keys = {theorem.key for theorem in registered()}
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        named = re.findall(r"\bT-[a-z][a-z0-9]*(?:-[a-z0-9]+)*", page.read_text(encoding="utf-8"))
        assert set(named) <= keys, page


def test_proofs_are_marked_up_without_changing_an_equation(generator: dict[str, Any]) -> None:
    markdown = generator["proofs"].__globals__["markdown"]
    docstring = (
        "A bound a* on `x*y`.\n\n    |q*(S)| ≤ a*\n\nProof. By T-one, not\nT-two.\n\n"
        "Holds when: always.\nRounds: up."
    )

    assert markdown(docstring, frozenset({"T-one"})) == (
        "A bound a\\* on `x*y`.\n\n    |q*(S)| ≤ a*\n\n"
        "**Proof.** By [T-one](../theorems.md#t-one), not\nT-two.\n\n"
        "**Holds when:** always.\n\n**Rounds:** up."
    )
