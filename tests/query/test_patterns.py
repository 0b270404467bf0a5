from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query.canonical import canonical
from peekproof.query.patterns import Pattern, holds, like, read_pattern
from peekproof.query.tree import PLACES, Column, Constant, IsNull, Not
from query.naive import truth

S = Column("s")
LETTERS = st.text(alphabet="ab%_\\'é", max_size=4)


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("x", Pattern("x", False, False)),
        ("x%", Pattern("x", False, True)),
        ("%x", Pattern("x", True, False)),
        ("%x%", Pattern("x", True, True)),
        ("%", Pattern("", True, False)),
        ("%%", Pattern("", True, True)),
        ("", Pattern("", False, False)),
        ("\\%", Pattern("%", False, False)),
        ("%\\%%", Pattern("%", True, True)),
        ("a\\_b\\\\%", Pattern("a_b\\", False, True)),
        ("\\\\%", Pattern("\\", False, True)),
    ],
)
def test_patterns(written: str, pattern: Pattern) -> None:
    assert read_pattern(written) == pattern


@pytest.mark.parametrize("written", ["_", "a_", "a%b", "%%%", "%a%b%", "%%a", "\\", "a\\b", "%\\"])
def test_other_signs_are_refused(written: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_pattern(written)


@given(LETTERS, st.booleans(), st.booleans(), LETTERS)
def test_a_pattern_means_what_it_does_in_sql(
    text: str, before: bool, after: bool, value: str
) -> None:
    escaped = re.sub(r"([%_\\])", r"\\\1", text)
    written = f"{'%' * before}{escaped}{'%' * after}"
    expected = re.fullmatch(f"{'.*' * before}{re.escape(text)}{'.*' * after}", value) is not None
    found = like(S, read_pattern(written))
    for form, wanted in ((found, expected), (Not(found), not expected)):
        assert truth(form, {"s": value}) is wanted
        assert truth(canonical(form), {"s": value}) is wanted
        assert truth(canonical(form), {"s": None}) is not True


@pytest.mark.parametrize("where", PLACES)
def test_every_text_holds_the_empty_one_and_nothing_else_does(where: str) -> None:
    everything = holds(S, where, "")
    assert canonical(everything) == IsNull(S, True)
    assert canonical(Not(everything)) == Constant(False)
