"""One version, said in three places, and a changelog that begins with what is promised."""

from __future__ import annotations

import re
from math import ceil

import pytest

import peekproof
from peekproof.mechanisms.base import Limit
from peekproof.mechanisms.plan import Plan
from release.project import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


def sections(changelog: str) -> dict[str, list[str]]:
    """The headings below each version, newest first."""
    versions = re.split(r"^## ", changelog, flags=re.M)[1:]
    return {each.split()[0]: re.findall(r"^### (.+)$", each, re.M) for each in versions}


def in_order(headings: list[str]) -> bool:
    rest = headings[1:]
    return headings[:1] == ["Guarantees"] and "Ledger format" not in rest[1:]


def test_every_version_begins_with_its_guarantees_and_then_its_ledgers() -> None:
    found = sections(CHANGELOG)

    assert found
    assert all(in_order(headings) for headings in found.values()), found


@pytest.mark.parametrize(
    "headings",
    [[], ["Asking"], ["Asking", "Guarantees"], ["Guarantees", "Asking", "Ledger format"]],
)
def test_another_order_is_noticed(headings: list[str]) -> None:
    text = "# Changelog\n\n## 0.2.0\n\n" + "".join(f"### {each}\n\n- One.\n" for each in headings)

    assert not in_order(sections(text)["0.2.0"])


def test_the_version_is_one() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")

    assert next(iter(sections(CHANGELOG))) == peekproof.__version__
    assert re.findall(r"^version: (.+)$", citation, re.M) == [peekproof.__version__]


def test_every_theorem_that_is_named_exists() -> None:
    pages = CHANGELOG, (ROOT / "docs" / "theorems.md").read_text("utf-8")
    named, known = (set(re.findall(r"T-[a-z-]*[a-z]", page)) for page in pages)

    assert len(named) > 20
    assert named <= known, named - known


def planned(
    rows: int, questions: int, *mechanisms: type, failures: int = 0, rounds: int | None = None
) -> Plan:
    return peekproof.plan(
        rows=rows,
        target=peekproof.Target.of(confidence=0.95, questions=questions),
        mechanisms=mechanisms or None,
        limit=Limit(failures=failures) if failures else None,
        rounds=rounds,
    )


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (planned(100_000, 1_000), "1,000 questions on 100,000 rows: {}"),
        (planned(100_000, 1_000, rounds=5), "1,000 questions in 5 rounds on 100,000 rows: {}."),
        (planned(100_000, 400), "400 questions on 100,000 rows: shares {}"),
        (planned(50_000, 1_000, peekproof.LimitedChecking, failures=1), "(T-check-halt): {}"),
        (planned(10**6, 10**6, peekproof.Thresholdout, failures=10), "ten corrections: {}"),
        (planned(10**6, 10**6, peekproof.Gaussian), "where Gaussian noise keeps {}"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_half_widths_are_those_of_the_planner(plan: Plan, said: str) -> None:
    width = f"±{ceil(plan.radius * 10_000) / 10_000:g}"

    assert said.format(width) in " ".join(CHANGELOG.split())
