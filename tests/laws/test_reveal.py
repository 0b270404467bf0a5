"""Nothing but a mechanism opens an exact value; the sources themselves are the evidence."""

import ast
from pathlib import Path

import pytest

import peekproof

PACKAGE = Path(peekproof.__file__).parent


def openings(source: str) -> list[int]:
    """Lines that name `reveal` or reach for the slot behind it."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in ("reveal", "_Exact__value"))
        or (isinstance(node, ast.Constant) and node.value in ("reveal", "_Exact__value"))
    ]


def test_only_mechanisms_reveal() -> None:
    found = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if openings(path.read_text(encoding="utf-8"))
    }

    assert found == {"mechanisms"}


@pytest.mark.parametrize(
    "mutant",
    ["count.reveal()", "f = Exact.reveal", "getattr(count, 'reveal')()", "count._Exact__value"],
)
def test_a_leak_would_be_seen(mutant: str) -> None:
    assert openings(mutant) == [1]
