"""What `import peekproof` offers, what it costs, and the rules every file keeps."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib import import_module

import pytest

import peekproof
from contract.sources import PACKAGE, TREES

HEAVY = ("polars", "numpy", "rich", "click", "matplotlib", "numba", "psycopg", "sqlite3")
PRINTS = "cli/render.py"


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    ).stdout


# Exports --------------------------------------------------------------------------------------


def test_all_is_what_is_exported_lazily() -> None:
    assert list(peekproof.__all__) == sorted(peekproof._HOMES)
    assert len(set(peekproof.__all__)) == len(peekproof.__all__)
    assert dir(peekproof) == sorted([*peekproof.__all__, "__version__"])


def test_type_checkers_see_the_same_names_from_the_same_homes() -> None:
    guards = [node for node in TREES["__init__.py"].body if isinstance(node, ast.If)]
    declared = {
        alias.name: node.module
        for guard in guards
        for node in guard.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == peekproof._HOMES


@pytest.mark.parametrize("name", peekproof.__all__)
def test_every_export_is_importable_and_is_the_thing_itself(name: str) -> None:
    assert getattr(peekproof, name) is getattr(import_module(peekproof._HOMES[name]), name)


def test_every_error_is_exported() -> None:
    errors = import_module("peekproof.core.errors")
    kinds = [value for value in vars(errors).values() if isinstance(value, type)]
    named = {kind.__name__ for kind in kinds if issubclass(kind, errors.PeekproofError)}
    assert named <= set(peekproof.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'peekproof' has no attribute 'ask'"):
        peekproof.ask  # noqa: B018


def test_importing_is_cheap() -> None:
    code = f"import sys, peekproof; print([name for name in {HEAVY} if name in sys.modules])"
    assert fresh(code) == "[]\n"


def test_the_cost_of_importing_can_be_seen() -> None:
    """Otherwise the test above looks in the wrong place."""
    code = f"import sys, peekproof; peekproof.open; print([n for n in {HEAVY} if n in sys.modules])"
    assert "polars" in fresh(code)


def test_a_star_import_brings_exactly_the_exports() -> None:
    code = "from peekproof import *; print(sorted(n for n in dir() if not n.startswith('__')))"
    assert fresh(code) == f"{sorted(peekproof.__all__)}\n"


# Rules for every file -------------------------------------------------------------------------


def asserts_and_prints(tree: ast.Module) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        )
    ]


def test_no_file_asserts_or_prints() -> None:
    found = {file: asserts_and_prints(tree) for file, tree in TREES.items() if file != PRINTS}
    assert {file: lines for file, lines in found.items() if lines} == {}


@pytest.mark.parametrize("source", ["assert x", "def f():\n    print(1)", "print()"])
def test_the_check_rejects_a_made_up_print(source: str) -> None:
    assert len(asserts_and_prints(ast.parse(source))) == 1


def test_every_file_says_what_it_is_for() -> None:
    assert [file for file, tree in TREES.items() if not ast.get_docstring(tree)] == []
