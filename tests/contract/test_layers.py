"""A module imports from its own package and from packages of lower rank, and from nothing else.

Every import counts: at the top, inside a function, and under TYPE_CHECKING.
`testing.statistics` is a library for tests: no module of the package imports it.
"""

from __future__ import annotations

import ast

import pytest

from contract.sources import TREES

RANKS = {
    "core": 0,
    "theory": 1,
    "derive": 1,
    "noise": 1,
    "query": 1,
    "guess": 2,
    "accounting": 2,
    "data": 2,
    "ledger": 2,
    "mechanisms": 3,
    "session": 4,
    "learn": 5,
    "audit": 5,
    "testing": 6,
    "peekproof": 5,  # the package itself: a façade that only programs may import
    "server": 6,
    "client": 6,
    "cli": 7,
    "__main__": 8,
}
EXEMPT = "__init__.py"  # the façade names what every layer offers


def package_of(file: str) -> str:
    return file.split("/", maxsplit=1)[0].removesuffix(".py")


def imported(tree: ast.Module, file: str) -> list[tuple[int, str]]:
    """Line and full name of everything of Peekproof that a module imports."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                home = ["peekproof", *file.split("/")[:-1]]
                base = ".".join([*home[: len(home) - node.level + 1], *filter(None, [base])])
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return [(line, name) for line, name in found if name.split(".")[0] == "peekproof"]


def violations(tree: ast.Module, file: str) -> list[str]:
    """One line for each import that reaches sideways or up, or to a package without a rank."""
    own, found = package_of(file), []
    for line, name in imported(tree, file):
        parts = name.split(".")
        target = parts[1] if len(parts) > 1 and parts[1] in RANKS else "peekproof"
        if len(parts) > 2 and parts[1] not in RANKS:
            found.append(f"{file}:{line} imports {name}, which has no rank")
        elif target != own and RANKS[target] >= RANKS[own]:
            found.append(f"{file}:{line} imports {name}")
        elif name.startswith("peekproof.testing.statistics") and own != "testing":
            found.append(f"{file}:{line} imports {name}, which is for tests")
    return found


def test_every_package_has_a_rank() -> None:
    assert {package_of(file) for file in TREES if file != EXEMPT} <= set(RANKS)


def test_imports_point_downwards() -> None:
    files = (file for file in TREES if file != EXEMPT)
    assert [found for file in files for found in violations(TREES[file], file)] == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/loss.py", "from peekproof.theory.generalization.drift import drift"),
        ("core/loss.py", "import peekproof.session"),
        ("core/loss.py", "import peekproof"),
        ("core/loss.py", "from peekproof import Session"),
        ("core/loss.py", "from peekproof import session"),
        ("query/parser.py", "from peekproof.noise import entropy"),
        ("data/table.py", "def f():\n    from peekproof.ledger.sqlite import Ledger"),
        ("ledger/file.py", "if TYPE_CHECKING:\n    from peekproof.mechanisms.plan import Plan"),
        ("ledger/file.py", "from ..data import load"),
        ("ledger/file.py", "from ..data.load import load"),
        ("session/session.py", "import os, peekproof.cli.main as main"),
        ("session/session.py", "from peekproof.testing.statistics import statistical"),
        ("client/session.py", "from peekproof.server.app import app"),
        ("cli/main.py", "from peekproof.testing.statistics import statistical"),
        ("cli/main.py", "from peekproof.helpers.odds import ends"),
    ],
)
def test_the_check_rejects_a_made_up_violation(file: str, source: str) -> None:
    assert len(violations(ast.parse(source), file)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/loss.py", "import math\nfrom peekproof.core.errors import InvalidInput"),
        ("core/loss.py", "from .errors import InvalidInput\nfrom . import check"),
        ("ledger/file.py", "from ..core.errors import LedgerError\nfrom ..core import check"),
        ("session/session.py", "from peekproof.data.table import Table"),
        ("cli/main.py", "from peekproof import __version__\nfrom peekproof.session import open"),
        ("__main__.py", "from peekproof.cli.main import main"),
    ],
)
def test_the_check_accepts_what_the_rule_allows(file: str, source: str) -> None:
    assert violations(ast.parse(source), file) == []


def test_the_check_reads_the_imports_that_are_there() -> None:
    names = {
        name for _, name in imported(TREES["session/local_backend.py"], "session/local_backend.py")
    }
    assert {"peekproof.data.source.Source", "peekproof.ledger.ledger.Ledger"} <= names
