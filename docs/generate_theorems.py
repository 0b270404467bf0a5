"""Writes docs/theorems.md and docs/proofs from the registry: python docs/generate_theorems.py"""

import pkgutil
import re
from importlib import import_module
from pathlib import Path

from theorem_proofs import anchor, escaped, proof_of, proofs
from theorem_subjects import Subject, by_subject, subject_of

import peekproof.accounting
import peekproof.derive
import peekproof.theory
from peekproof.core.theorem import SOURCES, Theorem, registered

ROOT = Path(__file__).parents[1]
CERTIFICATE = "explanation/certificate.md"
HEAD = """# Theorems

Every statement the package relies on, generated from the code by `docs/generate_theorems.py`:
under which conditions it holds, where it is proved, which function computes it, and which test
holds that against another way. Published ones name their source
([references.bib](references.bib)) and the place in it. All others are proved here: on the pages of
proofs, which have the equations of every theorem, or in
[the certificate](explanation/certificate.md).

| subject | theorems | |
|---|---|---|
"""


def import_all() -> None:
    """Import every module that may register a theorem."""
    for package in (peekproof.theory, peekproof.derive, peekproof.accounting):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def paths(theorem: Theorem) -> tuple[str, str]:
    """The file of a theorem and that of its test: of the same name, or the first to name it."""
    parts = theorem.function.split(".")
    named: list[str] = []
    while not (ROOT / "src" / Path(*parts).with_suffix(".py")).exists():
        named.insert(0, parts.pop())
    source = Path(*parts).with_suffix(".py")
    folder = ROOT / Path("tests", *source.parts[1:-1])
    own = folder / f"test_{source.name}"
    inside = sorted((folder / source.stem).glob("test_*.py"))
    likely = [own, *inside, *sorted(folder.rglob("test_*.py"))]
    word = re.compile(rf"\b{named[0]}\b")
    there = [each for each in likely if each.exists()]
    test = next((each for each in there if word.search(each.read_text("utf-8"))), there[0])
    return f"src/{source}", str(test.relative_to(ROOT))


def in_certificate(theorem: Theorem) -> str:
    """A link to the heading of the certificate under which it is proved; empty if it is not."""
    text = (ROOT / "docs" / CERTIFICATE).read_text(encoding="utf-8")
    for heading in re.findall(r"^## (.*)$", text, re.M):
        if theorem.source == "peekproof" and heading.startswith(theorem.locator):
            return f"[{theorem.locator}]({CERTIFICATE}#{anchor(heading)})"
    return ""


def proved(theorem: Theorem) -> str:
    """Where the proof is: on a page of proofs, in the certificate, or published."""
    page = f"proofs/{subject_of(theorem).slug}.md#{theorem.key.lower()}"
    there = in_certificate(theorem)
    said = [f"[in full]({page})" if proof_of(theorem) else f"[equation]({page})"]
    if there:
        said.append(f"in the certificate under {there}")
    elif not proof_of(theorem):
        said.append("published")
    return ", ".join(said)


def source_of(theorem: Theorem) -> str:
    """Who said it first, and where."""
    if theorem.source == "peekproof":
        return ""
    locator = re.sub(r"; proof in the docstring$", "", theorem.locator)
    return f"- **Source** {SOURCES[theorem.source]} ({locator})\n"


def entry(theorem: Theorem) -> str:
    """What the page says of one theorem."""
    source, test = paths(theorem)
    return (
        f"### {theorem.key}\n\n{escaped(theorem.statement)}\n\n"
        f"- **Holds when** {escaped(theorem.holds_when)}\n"
        f"- **Proof** {proved(theorem)}\n"
        f"{source_of(theorem)}"
        f"- **Code** [{theorem.function}](../{source}), **test** [{test}](../{test})\n"
    )


def section(subject: Subject, theorems: list[Theorem]) -> str:
    """What the page says of one subject."""
    link = f"[Statements and proofs](proofs/{subject.slug}.md)."
    head = f"## {subject.title}\n\n{subject.about} {link}\n"
    return "\n".join([head, *map(entry, theorems)])


def page() -> str:
    """The whole list."""
    import_all()
    found = by_subject(registered())
    rows = (
        f"| [{subject.title}](#{anchor(subject.title)}) | {len(theorems)} | {subject.about} |\n"
        for subject, theorems in found.items()
    )
    return "\n".join([HEAD + "".join(rows), *(section(*each) for each in found.items())])


def pages() -> dict[Path, str]:
    """Everything that is written, by its file."""
    import_all()
    keys = frozenset(theorem.key for theorem in registered())
    folder = ROOT / "docs" / "proofs"
    return {
        ROOT / "docs" / "theorems.md": page(),
        **{
            folder / f"{subject.slug}.md": proofs(subject, theorems, keys)
            for subject, theorems in by_subject(registered()).items()
        },
    }


if __name__ == "__main__":
    for file, text in pages().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
