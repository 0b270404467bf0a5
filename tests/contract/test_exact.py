"""Exact values are opened inside mechanisms and nowhere else."""

from __future__ import annotations

import ast

import pytest

from contract.sources import TREES

ALLOWED = "mechanisms/"
HOME = "core/secret.py"  # defines the method and the hidden attribute


def openings(tree: ast.Module) -> list[int]:
    """Lines that name `reveal` as an attribute, or its hidden attribute, in any way."""
    found = []
    for node in ast.walk(tree):
        named = node.attr if isinstance(node, ast.Attribute) else None
        quoted = node.value if isinstance(node, ast.Constant) else None
        if "reveal" in (named, quoted) or "_Exact__value" in (named, quoted):
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


def test_nothing_outside_mechanisms_opens_an_exact_value() -> None:
    outside = {file: openings(tree) for file, tree in TREES.items() if not file.startswith(ALLOWED)}
    assert {file: lines for file, lines in outside.items() if lines} == {}


def test_mechanisms_do_open_exact_values() -> None:
    """Otherwise the check above looks for the wrong word."""
    assert openings(TREES["mechanisms/gaussian.py"])
    assert "def reveal" in ast.unparse(TREES[HOME])


@pytest.mark.parametrize(
    "source",
    [
        "x = count.reveal()",
        "f = Exact.reveal",
        "getattr(count, 'reveal')()",
        "[each.reveal() for each in counts]",
        "count._Exact__value",
        "object.__getattribute__(count, '_Exact__value')",
    ],
)
def test_the_check_rejects_a_made_up_opening(source: str) -> None:
    assert openings(ast.parse(source)) == [1]
