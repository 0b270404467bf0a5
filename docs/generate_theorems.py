"""Writes docs/theorems.md from the registry: python docs/generate_theorems.py"""

import pkgutil
from importlib import import_module
from pathlib import Path

import holdfast.accounting
import holdfast.derive
import holdfast.theory
from holdfast.core.theorem import Theorem, registered

ROOT = Path(__file__).parents[1]
HEAD = """# Theorems

Every statement the package relies on, generated from the code by `docs/generate_theorems.py`.
References are in [references.bib](references.bib); proofs of our own are in
[the certificate](explanation/certificate.md) or in the function's docstring.
"""


def import_all() -> None:
    """Import every module that may register a theorem."""
    for package in (holdfast.theory, holdfast.derive, holdfast.accounting):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def paths(theorem: Theorem) -> tuple[str, str]:
    """The file of a theorem and the folder or file of its test."""
    parts = theorem.function.split(".")
    while not (ROOT / "src" / Path(*parts).with_suffix(".py")).exists():
        parts.pop()
    source = Path(*parts).with_suffix(".py")
    test = Path("tests", *source.parts[1:-1], f"test_{source.name}")
    return f"src/{source}", str(test if (ROOT / test).exists() else test.parent)


def page() -> str:
    """The whole page."""
    import_all()
    sections = [HEAD]
    for theorem in registered():
        source, test = paths(theorem)
        sections.append(
            f"## {theorem.key}\n\n{theorem.statement}\n\n"
            f"- **Holds when** {theorem.holds_when}\n"
            f"- **Source** {theorem.citation}\n"
            f"- **Code** [{theorem.function}](../{source}), **test** [{test}](../{test})\n"
        )
    return "\n".join(sections)


if __name__ == "__main__":
    (ROOT / "docs" / "theorems.md").write_text(page())
