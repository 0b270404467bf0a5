"""Every statement of the founding notes has its code, its test and a line that runs."""

from __future__ import annotations

import ast
import doctest
import re
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name

import pytest

from documents import ROOT, blocks

pytestmark = pytest.mark.one_budget  # as whoever follows the pages

PAGE = ROOT / "docs/reference/founding-notes.md"

# Read from the notes, in their order; what they use or do not number has a name.
STATEMENTS = {
    "000": (
        "Theorem 0.1", "Post-processing", "Definition 0.2", "Pure case", "Theorem 0.3",
        "Gaussian mechanism", "Expected generalization", "Plan by total variation", "Rows for it",
        "Laplace mechanism", "From privacy to total variation",
        "Total variation of k private answers", "Plan by privacy",
    ),
    "001": (
        "Algorithm 1", "Theorem 0.1", "Theorem 0.2", "Algorithm 2", "Step 1", "Claim 0.3",
        "Lemma 0.4", "Definition 0.5", "Lemma 0.6", "Step 4, utility", "Step 4, conclusion", "Fact",
    ),
    "002": (
        "Accuracy", "Post-processing", "Group privacy", "Basic composition",
        "Advanced composition, pure", "Lemma of Azuma", "Lemma on the mean loss", "Privacy loss",
        "Comparison with basic composition", "Advanced composition, approximate",
        "Reduction to pure privacy", "Choice of δ′", "Definition of Rényi privacy",
        "Chain rule", "Composition of Rényi privacy",
        "k-fold composition of Rényi privacy", "Limitation",
        "From Rényi to approximate privacy", "Moments accountant",
    ),
    "003": (
        "Theorem 1", "Theorem 2", "Definition 3, first part", "Definition 3, second part",
        "Proposition 4", "Proposition 5", "Lemma 6", "Theorem 7", "End of the proof",
    ),
    "004": (
        "Claim 1", "GuessAndCheck", "Conclusion of the lecture before", "MedianMechanism",
        "Theorem 2", "Auxiliary claim", "Discussion of Theorem 2", "Definition 3(a)",
        "Definition 3(b)", "Definition 3(c)", "Note on δ = 0", "Theorem 4", "Exercise on filters",
        "Exercise on coins", "Question", "Definition 1", "Observation 2", "Claim 3",
        "Definition 4", "Theorem 5", "Claim 6", "Theorem 7", "Theorem 8",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the page says of one statement."""

    heading: str
    text: str

    @property
    def said(self) -> str:
        """The statement itself: all before its code."""
        return self.text.partition("- **Code**")[0].strip()

    def named(self, what: str) -> list[tuple[str, str]]:
        """Names and the files they lead to, in the line of `what`."""
        (line,) = re.findall(rf"^- \*\*{what}\*\* (.*)$", self.text, re.M)
        return re.findall(r"\[`([^`]+)`\]\(\.\./\.\./([^)]+)\)", line)

    @property
    def session(self) -> str:
        found: list[str] = re.findall(r"^```pycon\n(.*?)^```$", self.text, re.M | re.S)
        (session,) = found
        return session


def entries() -> list[Entry]:
    parts = re.split(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return [
        Entry(heading=heading, text=re.split(r"^## ", text, flags=re.M)[0])
        for heading, text in zip(parts[::2], parts[1::2], strict=True)
    ]


every_entry = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.heading)


def test_no_statement_is_missing_and_none_is_made_up() -> None:
    expected = [f"{note} {name}" for note, names in STATEMENTS.items() for name in names]
    headings = [entry.heading for entry in entries()]

    assert len(headings) == len(expected)
    for heading, name in zip(headings, expected, strict=True):
        assert heading == name or heading.startswith(f"{name}: "), heading


def test_the_table_counts_them() -> None:
    rows = re.findall(r"^\| \[(\d+)\]\(#\1-\S+\) \|.*\| (\d+) \|$", PAGE.read_text(), re.M)
    assert rows == [(note, str(len(names))) for note, names in STATEMENTS.items()]


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@every_entry
def test_a_statement_has_its_code_and_its_test(entry: Entry) -> None:
    assert len(entry.said) > 40

    code = entry.named("Code")
    for name, path in code:
        resolve_name(name)
        module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
        assert name.startswith(f"{module}."), name
    assert code

    tests = entry.named("Test")
    for name, path in tests:
        file, _, function = name.partition("::")
        assert file == path
        assert function in functions_in(path), name
    assert tests


@every_entry
def test_its_line_is_about_its_code(entry: Entry) -> None:
    names = [name.rpartition(".")[2] for name, _ in entry.named("Code")]
    assert any(re.search(rf"\b{name}\b", entry.session, re.I) for name in names)


def failures(session: str, namespace: dict[str, object]) -> str:
    """What differs from what is shown; empty if nothing does."""
    found: list[str] = []
    examples = doctest.DocTestParser().get_doctest(session, namespace, PAGE.name, str(PAGE), 0)
    assert any(example.want for example in examples.examples)
    doctest.DocTestRunner(verbose=False).run(examples, out=found.append, clear_globs=False)
    namespace.update(examples.globs)
    return "".join(found)


def test_every_line_prints_what_the_page_says() -> None:
    pytest.importorskip("dp_accounting")  # the moments accountant asks it
    namespace: dict[str, object] = {}
    (names,) = blocks(PAGE, "python")
    exec(compile(names, str(PAGE), "exec", dont_inherit=True), namespace)

    differ = {entry.heading: failures(entry.session, namespace) for entry in entries()}
    assert {heading: seen for heading, seen in differ.items() if seen} == {}


def test_every_name_that_is_imported_is_used() -> None:
    (names,) = blocks(PAGE, "python")
    imported = {
        alias.name
        for node in ast.walk(ast.parse(names))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    sessions = names.partition("MILLIONTH")[2] + "".join(entry.session for entry in entries())
    assert {name for name in imported if not re.search(rf"\b{name}\b", sessions)} == set()


def test_a_line_that_prints_something_else_is_seen() -> None:
    assert "Expected:\n    3" in failures(">>> 1 + 1\n3\n", {})
    assert failures(">>> 1 + 1\n2\n", {}) == ""


def test_the_page_is_linked() -> None:
    for page in ("README.md", "docs/index.md", "docs/explanation/corrections.md"):
        assert "reference/founding-notes.md" in (ROOT / page).read_text(encoding="utf-8"), page
