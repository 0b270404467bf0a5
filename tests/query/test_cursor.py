from __future__ import annotations

import pytest

from peekproof.core.errors import QuestionError, TypeMismatch
from peekproof.query.tokens import MOST_DEPTH, MOST_REPEATED, Cursor, TokenKind
from peekproof.query.tree import Column, Sum


def test_it_reads_to_the_end_and_stays_there() -> None:
    at = Cursor("a > 1")
    assert [at.advance().value for _ in range(3)] == ["a", ">", "1"]
    assert at.finished
    assert at.advance().kind is TokenKind.END
    assert at.finished


def test_only_words_are_seen_and_taken() -> None:
    at = Cursor("'and' and")
    assert not at.sees("and")
    assert not at.takes("and")
    at.advance()
    assert at.sees("or", "and")
    assert at.takes("and")
    assert at.finished


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("mean(a", True),
        ("Mean (a", True),
        ("MEAN[", True),
        ("mean > 1", False),
        ("mean", False),
        ("mean a (", False),
        ("`mean`(a", False),
        ("'mean'(a", False),
        ("other(a", False),
        ("(mean(a", False),
        ("mean '('", False),
        ("", False),
    ],
)
def test_a_bare_name_before_a_parenthesis_opens_a_form(text: str, opens: bool) -> None:
    at = Cursor(text)
    assert at.opens("mean", "share") is opens
    assert at.next == Cursor(text).next


def test_what_was_written_since_a_token_is_one_line() -> None:
    at = Cursor("  a  +\nb , c")
    start = at.next
    assert at.since(start) == ""
    for _ in range(3):
        at.advance()
    assert at.since(start) == "a + b"


def test_a_long_quotation_is_cut() -> None:
    at = Cursor("a" * 1000 + " b")
    start = at.advance()
    assert at.since(start) == "a" * 40 + "…"


def test_what_was_expected_is_named() -> None:
    at = Cursor("( and")
    at.expect("(")
    with pytest.raises(QuestionError, match=r"expected '\)', found 'and'") as caught:
        at.expect(")")
    assert caught.value.position == 2


def test_depth_is_given_back_on_the_way_out() -> None:
    at = Cursor("a")
    for _ in range(2 * MOST_DEPTH):
        at.enter(at.next)
        at.leave()
    for _ in range(MOST_DEPTH):
        at.enter(at.next)
    with pytest.raises(QuestionError, match=f"nested more than {MOST_DEPTH} deep"):
        at.enter(at.next)


def test_what_is_meant_again_adds_up() -> None:
    at = Cursor("a")
    wide = Sum((Column("a"),) * (MOST_REPEATED // 2 - 1))
    assert at.repeat(wide, at.next) is wide
    at.repeat(wide, at.next)
    with pytest.raises(QuestionError, match="meant more than once"):
        at.repeat(Column("a"), at.next)


def test_names_are_words_only_where_they_are_asked_for() -> None:
    at = Cursor("CASE when")
    assert at.says("like", "case")
    assert at.follows("when")
    assert not Cursor("`case` when").says("case")
    assert not Cursor("case `when`").follows("when")
    assert not Cursor("'case'").says("case")
    assert not Cursor("case").follows("when")
    assert Cursor("any(").opens()
    assert not Cursor("`any`(").opens()


def test_errors_carry_the_place() -> None:
    at = Cursor("  abc")
    plain, mismatch = at.error("p", at.next, "h"), at.mismatch("p", at.next)
    assert (type(plain), plain.position, plain.length, plain.hint) == (QuestionError, 2, 3, "h")
    assert (type(mismatch), mismatch.text) == (TypeMismatch, "  abc")
