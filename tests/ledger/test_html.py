"""Ledgers in notebooks."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from core.markup import read
from ledger.books import COST, OPENING
from peekproof.core.charge import Offer
from peekproof.ledger import log
from peekproof.ledger.ledger import Ledger, Written

HOSTILE = "<script>alert('x')</script>"


def ask(book: Ledger, digest: str, text: str, *, analyst: str = "") -> None:
    reserved = book.lose({digest: text}, offers=lambda _: [Offer(cost=COST)], analyst=analyst)
    if isinstance(reserved, Written):
        book.recover(reserved, {digest: Fraction(1, 2)})


def test_a_ledger_shows_its_promise_its_entries_and_its_budget(tmp_path: Path) -> None:
    with closing(Ledger.create(str(tmp_path / "book"), OPENING)) as book:
        empty = read(book._repr_html_())
        ask(book, "a", "age > 50")
        shown = read(book._repr_html_())

    assert "10 questions about 1,000 rows, all together with confidence 0.95" in empty.text
    assert "1 entry" in empty.text
    assert "0 asked; 0% of the budget used" in empty.text
    assert "table" not in empty.tags
    assert str(tmp_path / "book") in shown.text
    assert "3 entries" in shown.text
    assert "1 asked; 10% of the budget used" in shown.text
    assert "age > 50" in shown.text
    assert "analyst" not in shown.text


def test_analysts_are_shown_with_their_shares_and_what_they_used() -> None:
    with closing(Ledger.create(":memory:", OPENING)) as book:
        book.set_aside({"ann": Fraction(1, 2), "bob": Fraction(1, 10)})
        ask(book, "a", "age > 50", analyst="ann")
        ask(book, "b", "age > 60")
        ask(book, "c", "age > 70", analyst="bob")
        ask(book, "d", "age > 80", analyst="bob")  # refused: a tenth is one question
        shown = read(book._repr_html_())

    assert "no name" in shown.text
    assert "ann50%10%1" in shown.text.replace("\n", "")
    assert "bob10%10%1" in shown.text.replace("\n", "")


def test_the_last_answers_are_shown_and_values_without_intervals_are_not() -> None:
    with closing(Ledger.create(":memory:", OPENING)) as book:
        for number in range(7):
            ask(book, str(number), f"age > {number}")
        shown = read(book._repr_html_()).text

    assert [number for number in range(7) if f"age > {number}" in shown] == [2, 3, 4, 5, 6]
    assert "0.5" not in shown


def test_nothing_in_a_ledger_is_markup() -> None:
    with closing(Ledger.create(":memory:", OPENING)) as book:
        ask(book, "a", f"name = {HOSTILE}", analyst=f"1{HOSTILE}")
        book.set_aside({f"2{HOSTILE}": Fraction(1, 2)})
        book.override(reason=HOSTILE, against=HOSTILE)
        book.retire()
        shown = read(book._repr_html_()).text

    for written in ("name = ", "1", "2"):
        assert f"{written}{HOSTILE}" in shown
    assert "overridden by the custodian, closed for good" in shown


def test_a_closed_ledger_is_shown_without_what_lies_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_DUE", 4)
    place = str(tmp_path / "book")
    with closing(Ledger.create(place, OPENING)) as book:
        for number in range(4):
            ask(book, str(number), f"age > {number}")
    with closing(Ledger.open(place)) as again:
        assert "age > 3" in read(again._repr_html_()).text
    shown = read(again._repr_html_()).text
    assert "4 asked" in shown


def test_many_analysts_are_cut() -> None:
    with closing(Ledger.create(":memory:", OPENING)) as book:
        book.set_aside({f"analyst {number:02}": Fraction(1, 100) for number in range(60)})
        shown = read(book._repr_html_()).text
    assert "analyst 49\n" in shown
    assert "analyst 50\n" not in shown
    assert "and 10 more" in shown
