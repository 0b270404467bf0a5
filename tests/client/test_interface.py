"""A remote session is asked as a session is, and needs nothing that a session does not."""

from __future__ import annotations

import ast
import inspect
import sys

import pytest

import peekproof
from contract.sources import TREES

# What needs the rows or the ledger, and what is refused because of the token.
HERE_ONLY = {"answer", "source", "recall", "past"}
REFUSED = {"measure", "as_analyst"}


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_all_that_a_session_has_a_remote_one_has() -> None:
    assert public(peekproof.Session) - HERE_ONLY <= public(peekproof.RemoteSession)
    assert public(peekproof.RemoteSession) - public(peekproof.Session) <= {
        "answers", "plan", "schema", "analyst",
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(public(peekproof.Session) - HERE_ONLY - REFUSED))
def test_methods_take_the_same(name: str) -> None:
    ours, theirs = (vars(kind)[name] for kind in (peekproof.RemoteSession, peekproof.Session))
    if isinstance(theirs, property):
        ours, theirs = ours.fget, theirs.fget
    said = [inspect.signature(each, eval_str=False) for each in (ours, theirs)]
    assert list(said[0].parameters.values()) == list(said[1].parameters.values())


def test_the_client_needs_the_standard_library_alone() -> None:
    for file, tree in TREES.items():
        if not file.startswith("client/"):
            continue
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] in {"peekproof", *sys.stdlib_module_names}, file
