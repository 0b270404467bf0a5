"""Functions inside conditions and numbers.

call       = "clip" "(" sum "," low "," high ")" | "abs" "(" sum ")"
           | "coalesce" "(" sum "," constant ")" | "if" "(" predicate "," branch "," branch ")"
           | ("year" | "month" | "day" | "weekday" | "hour" | "minute" | "second") "(" column ")"
           | ("startswith" | "endswith" | "contains") "(" column "," text ")"
case       = "case" "when" predicate "then" branch { "when" predicate "then" branch }
             ["else" branch] "end"
branch     = sum | "null"
"""

import difflib
from typing import Protocol

from peekproof.core.errors import QuestionError
from peekproof.query.atoms import text_column
from peekproof.query.constants import folded
from peekproof.query.cursor import Cursor
from peekproof.query.dates import DAY
from peekproof.query.operand import Operand, Time, as_number, as_predicate, negative
from peekproof.query.patterns import holds
from peekproof.query.times import moment
from peekproof.query.tokens import Token, TokenKind, excerpt, named
from peekproof.query.tree import (
    DAY_FIELDS,
    FIELDS,
    Clip,
    Column,
    Compare,
    If,
    IsNull,
    Missing,
    Number,
    Numeric,
    Part,
    Predicate,
)

_PLACES = {"startswith": "begins with", "endswith": "ends with", "contains": "contains"}
_USES = {
    "clip": "clip(x, low, high)",
    "abs": "abs(x)",
    "coalesce": "coalesce(x, constant)",
    "if": "if(condition, x, y)",
    **{field: f"{field}(column)" for field in FIELDS},
    **{name: f"{name}(column, 'text')" for name in _PLACES},
}

NAMES = tuple(_USES)
FORMS = ("share", "mean", "histogram", "quantile")


class Reader(Protocol):
    """The lines of the grammar that arguments need."""

    at: Cursor

    def disjunction(self) -> Operand: ...

    def sum(self) -> Operand: ...


def call(reader: Reader) -> Operand:
    """The call that comes next."""
    at = reader.at
    token = at.advance()
    name = token.value.lower()
    at.enter(token)
    at.expect("(")
    if at.sees(")"):
        raise _wants(name, at)
    if name == "if":
        found: Operand = _choice(reader)
    elif name == "clip":
        found = _clipped(reader)
    elif name == "abs":
        found = _absolute(reader, token)
    elif name == "coalesce":
        found = _coalesced(reader, token)
    elif name in _PLACES:
        found = _match(reader, name)
    else:
        found = _part(reader, name)
    if not at.sees(")"):
        problem = f"expected ')', found {named(at.next)}"
        raise at.error(problem, at.next, f"write {_USES[name]}")
    at.advance()
    at.leave()
    return found


def _choice(reader: Reader) -> If:
    start = reader.at.next
    condition = as_predicate(reader.disjunction(), start, reader.at)
    _comma(reader.at, "if")
    then = _branch(reader)
    _comma(reader.at, "if")
    return If(condition, then, _branch(reader))


def case(reader: Reader) -> Numeric:
    """`case when … end`, which comes next."""
    at = reader.at
    at.enter(at.advance())
    branches: list[tuple[Predicate, Numeric]] = []
    while at.says("when"):
        at.advance()
        start = at.next
        condition = as_predicate(reader.disjunction(), start, at)
        _keyword(at, "then")
        branches.append((condition, _branch(reader)))
    found: Numeric = Missing()
    if at.says("else"):
        at.advance()
        found = _branch(reader)
    _keyword(at, "end")
    at.leave()
    for condition, then in reversed(branches):
        found = If(condition, then, found)
    return found


def _branch(reader: Reader) -> Numeric:
    if reader.at.takes("null"):
        return Missing()
    start = reader.at.next
    return as_number(reader.sum(), start, reader.at)


def _clipped(reader: Reader) -> Clip:
    at = reader.at
    start = at.next
    operand = as_number(reader.sum(), start, at)
    _comma(at, "clip")
    low = _constant(reader)
    _comma(at, "clip")
    here = at.next
    high = _constant(reader)
    if low > high:
        problem = f"high must not be below low = {low:g}, got {high:g}"
        raise at.error(problem, here, "write the smaller bound first")
    return Clip(operand, low, high)


def _constant(reader: Reader) -> float:
    here = reader.at.next
    return folded(reader.sum(), here, reader.at)


def _absolute(reader: Reader, token: Token) -> If:
    at = reader.at
    start = at.next
    number = as_number(reader.sum(), start, at)
    below = Compare("<", at.repeat(number, token), Number(0.0))
    return If(below, negative(at.repeat(number, token)), number)


def _coalesced(reader: Reader, token: Token) -> If:
    at = reader.at
    start = at.next
    number = as_number(reader.sum(), start, at)
    _comma(at, "coalesce")
    constant = Number(_constant(reader))
    return If(IsNull(at.repeat(number, token), negated=False), constant, number)


def _match(reader: Reader, name: str) -> Predicate:
    at = reader.at
    start = at.next
    column = text_column(reader.sum(), start, at, name)
    _comma(at, name)
    written = at.advance()
    if written.kind is not TokenKind.TEXT:
        raise at.mismatch(f"{name} needs quoted text", written, f"write {_USES[name]}")
    return holds(column, _PLACES[name], written.value)


def _part(reader: Reader, field: str) -> Part:
    at = reader.at
    start = at.next
    match reader.sum():
        case Time(tree=Column() as column, unit=unit):
            if unit == DAY and field not in DAY_FIELDS:
                raise at.mismatch(f"a date has no {field}", start)
            return Part(field, column, unit)
        case _:
            raise at.mismatch(f"{field} needs a column of dates or of dates and times", start)


def stated(word: str, time: Time, token: Token, at: Cursor) -> Time:
    """What `date '…'` or `timestamp '…'` says."""
    if word == "timestamp":
        return moment(time)
    if time.unit != DAY:
        raise at.error("a date and time where a date is needed", token, "write timestamp '…'")
    return time


def unknown(name: str, token: Token, at: Cursor) -> QuestionError:
    """A name before a parenthesis that is neither a function nor a column."""
    if name.lower() in FORMS:
        hint = "ask for it alone; it is no number inside a condition"
        return at.error(f"{name}(…) is a question by itself", token, hint)
    near = difflib.get_close_matches(name.lower(), (*NAMES, *FORMS), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"the functions are {', '.join(NAMES)}"
    return at.error(f"unknown function {excerpt(name)}", token, hint)


def _comma(at: Cursor, name: str) -> None:
    if at.sees(")"):
        raise _wants(name, at)
    at.expect(",")


def _keyword(at: Cursor, word: str) -> None:
    if not at.says(word):
        hint = "write case when … then … else … end"
        raise at.error(f"expected {word!r}, found {named(at.next)}", at.next, hint)
    at.advance()


def _wants(name: str, at: Cursor) -> QuestionError:
    return at.error(f"{name} needs more arguments: {_USES[name]}", at.next)
