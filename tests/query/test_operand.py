from __future__ import annotations

import pytest

from peekproof.core.errors import TypeMismatch
from peekproof.query.tokens import Cursor, Text, as_number, as_predicate, comparison, negative
from peekproof.query.tree import Column, Compare, Constant, Flag, Member, Not, Number, Product

A, S, F = Column("a"), Column("s"), Column("f")


def test_numbers_and_conditions_are_told_apart() -> None:
    at = Cursor("x")
    condition = Compare("<", A, Number(1.0))
    assert as_number(A, at.next, at) is A
    assert as_predicate(condition, at.next, at) is condition
    for wrong in (condition, Text("x"), Flag(F, False), Constant(True)):
        with pytest.raises(TypeMismatch, match="where a number is needed"):
            as_number(wrong, at.next, at)
    for wrong_too in (A, Number(1.0), Text(S)):
        with pytest.raises(TypeMismatch, match="where a condition is needed"):
            as_predicate(wrong_too, at.next, at)


def test_minus_a_literal_is_a_literal() -> None:
    assert negative(Number(2.0)) == Number(-2.0)
    assert negative(A) == Product((Number(-1.0), A))


@pytest.mark.parametrize(
    ("sign", "literal", "plain"),
    [("=", True, True), ("=", False, False), ("!=", True, False), ("!=", False, True)],
)
def test_a_flag_compared_with_a_constant_is_the_flag_or_its_negation(
    sign: str, literal: bool, plain: bool
) -> None:
    at = Cursor(sign)
    flag = Flag(F, False)
    found = comparison(flag, at.next, at.next, Constant(literal), at.next, at)
    assert found == (flag if plain else Not(flag))
    assert comparison(Constant(literal), at.next, at.next, flag, at.next, at) == found


def test_text_is_compared_with_text_by_equality_only() -> None:
    at = Cursor("!=")
    assert comparison(Text("x"), at.next, at.next, Text(S), at.next, at) == Member(S, ("x",), True)
    for left, right in ((Text(S), Number(1.0)), (Text("x"), Text("y")), (Text(S), Flag(F, False))):
        with pytest.raises(TypeMismatch) as caught:
            comparison(left, at.next, at.next, right, at.next, at)
        assert "backticks" in caught.value.hint
