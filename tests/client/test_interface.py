"""The client needs nothing that Python has not."""

from __future__ import annotations

import ast
import sys

from contract.sources import TREES


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
