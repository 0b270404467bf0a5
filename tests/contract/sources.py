"""The files of the package, parsed."""

from __future__ import annotations

import ast
from pathlib import Path

import peekproof

PACKAGE = Path(peekproof.__file__).parent

FILES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
TREES = {name: ast.parse(text, filename=name) for name, text in FILES.items()}
