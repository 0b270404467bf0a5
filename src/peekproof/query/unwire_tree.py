"""Conditions and numbers in the JSON form, checked against the schema."""

import math
from dataclasses import dataclass
from typing import TypeVar, final

from peekproof.query.constants import MOST_LEVELS
from peekproof.query.dates import DAY, MICROSECOND
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import (
    DAY_FIELDS,
    FIELDS,
    NEGATED,
    PLACES,
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from peekproof.query.walk import levels

Tree = TypeVar("Tree", Numeric, Predicate)

_UNITS = {Kind.DATE: DAY, Kind.MOMENT: MICROSECOND}
_NUMBERS = (Kind.NUMBER, *_UNITS)


@final
@dataclass(frozen=True, slots=True)
class Place:
    """Where in the JSON form; printed as $[1][2]."""

    index: int = 0
    inside: "Place | None" = None

    def __truediv__(self, index: int) -> "Place":
        return Place(index, self)

    def __str__(self) -> str:
        steps: list[str] = []
        place = self
        while place.inside is not None:
            steps.append(f"[{place.index}]")
            place = place.inside
        return "$" + "".join(reversed(steps))


@final
class Refused(Exception):
    """Something that the JSON form does not say; never leaves the package."""

    def __init__(self, place: Place, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem
        self.hint = hint


@final
class TreeReader:
    """Recursion is as deep as the value, whose depth was checked before."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def whole_predicate(self, value: object, place: Place) -> Predicate:
        return _shallow(self.predicate(value, place), place)

    def whole_numeric(self, value: object, place: Place) -> Numeric:
        return _shallow(self.numeric(value, place), place)

    def predicate(self, value: object, place: Place) -> Predicate:
        if isinstance(value, bool):
            return Constant(value)
        head, rest = self.headed(value, place, "a condition")
        match head:
            case "and" | "or":
                if not rest:
                    raise Refused(place, f"{head!r} without terms")
                terms = [self.predicate(each, place / i) for i, each in enumerate(rest, 1)]
                return And(tuple(terms)) if head == "and" else Or(tuple(terms))
            case "not":
                self.arity(rest, 1, place, '["not", condition]')
                return Not(self.predicate(rest[0], place / 1))
            case "in" | "not in":
                self.arity(rest, 2, place, f'["{head}", subject, list]')
                return self._member(rest, place, negated=head == "not in")
            case "is null" | "is not null":
                self.arity(rest, 1, place, f'["{head}", subject]')
                return IsNull(self._anything(rest[0], place / 1), head == "is not null")
            case "is true" | "is false":
                self.arity(rest, 1, place, f'["{head}", column]')
                column = self._column(rest[0], place / 1, (Kind.FLAG,), "true/false")
                return Flag(column, head == "is false")
            case _ if head in NEGATED:
                self.arity(rest, 2, place, f'["{head}", left, right]')
                return self._compare(head, rest, place)
            case _ if head.removeprefix("not ") in PLACES:
                return self._matches(head, rest, place)
            case _:
                raise Refused(place / 0, f"unknown condition {head!r:.60}")

    def numeric(self, value: object, place: Place) -> Numeric:
        if value is None:
            return Missing()
        if not isinstance(value, list):
            return Number(self.finite(value, place))
        head, rest = self.headed(value, place, "a number")
        match head:
            case "column":
                return self._column(value, place, _NUMBERS, "numbers or dates")
            case "+" | "*":
                if len(rest) < 2:
                    raise Refused(place, f"{head!r} needs two numbers or more")
                terms = [self.numeric(each, place / i) for i, each in enumerate(rest, 1)]
                return Sum(tuple(terms)) if head == "+" else Product(tuple(terms))
            case "/":
                self.arity(rest, 2, place, '["/", dividend, divisor]')
                dividend = self.numeric(rest[0], place / 1)
                divisor = self.numeric(rest[1], place / 2)
                if divisor == Number(0.0):
                    raise Refused(place / 2, "division by 0, which is null in every row")
                return Quotient(dividend, divisor)
            case "clip":
                self.arity(rest, 3, place, '["clip", number, low, high]')
                low, high = self.finite(rest[1], place / 2), self.finite(rest[2], place / 3)
                if low > high:
                    raise Refused(place / 3, f"high must not be below low = {low:g}, got {high:g}")
                return Clip(self.numeric(rest[0], place / 1), low, high)
            case "if":
                self.arity(rest, 3, place, '["if", condition, then, otherwise]')
                condition = self.predicate(rest[0], place / 1)
                then = self.numeric(rest[1], place / 2)
                return If(condition, then, self.numeric(rest[2], place / 3))
            case _ if head in FIELDS:
                self.arity(rest, 1, place, f'["{head}", column]')
                return self._part(head, rest[0], place / 1)
            case _:
                raise Refused(place / 0, f"unknown number {head!r:.60}")

    def _member(self, rest: list[object], place: Place, *, negated: bool) -> Member:
        listed = self.listed(rest[1], place / 2)
        if not listed:
            raise Refused(place / 2, "an empty list")
        inside = [(each, place / 2 / number) for number, each in enumerate(listed)]
        if self._kind(rest[0]) is Kind.TEXT:
            column = self._column(rest[0], place / 1, (Kind.TEXT,), "text")
            return Member(column, tuple(self.text(*each) for each in inside), negated)
        subject = self.numeric(rest[0], place / 1)
        return Member(subject, tuple(self.finite(*each) for each in inside), negated)

    def _compare(self, operator: str, rest: list[object], place: Place) -> Compare:
        for kind in (Kind.TEXT, Kind.FLAG):
            if kind in (self._kind(rest[0]), self._kind(rest[1])):
                if operator not in ("=", "!="):
                    problem = f"columns of {kind.value} can be compared with = and != only"
                    raise Refused(place / 0, problem)
                left = self._column(rest[0], place / 1, (kind,), kind.value)
                return Compare(
                    operator, left, self._column(rest[1], place / 2, (kind,), kind.value)
                )
        return Compare(operator, self.numeric(rest[0], place / 1), self.numeric(rest[1], place / 2))

    def _matches(self, head: str, rest: list[object], place: Place) -> Matches:
        self.arity(rest, 2, place, f'["{head}", column, text]')
        column = self._column(rest[0], place / 1, (Kind.TEXT,), "text")
        text = self.text(rest[1], place / 2)
        if not text:
            raise Refused(place / 2, "empty text", 'every text holds it: write ["is not null", …]')
        return Matches(column, head.removeprefix("not "), text, head.startswith("not "))

    def _part(self, field: str, value: object, place: Place) -> Part:
        column = self._column(value, place, tuple(_UNITS), "dates")
        unit = _UNITS[self._schema.columns[column.name]]
        if unit == DAY and field not in DAY_FIELDS:
            raise Refused(place, f"a date has no {field}")
        return Part(field, column, unit)

    def _anything(self, value: object, place: Place) -> Numeric:
        if self._kind(value) in (Kind.TEXT, Kind.FLAG):
            return self.any_column(value, place)[0]
        return self.numeric(value, place)

    # Columns and literals -------------------------------------------------------------------

    def _kind(self, value: object) -> Kind | None:
        """The kind of a column, and None for anything else."""
        match value:
            case ["column", str(name)]:
                return self._schema.columns.get(name)
            case _:
                return None

    def any_column(self, value: object, place: Place) -> tuple[Column, Kind]:
        head, rest = self.headed(value, place, 'a column such as ["column", "age"]')
        self.arity(rest, 1, place, '["column", name]')
        if head != "column":
            raise Refused(place / 0, f"expected 'column', got {head!r:.60}")
        name = self.text(rest[0], place / 1)
        if name not in self._schema.columns:
            raise Refused(place / 1, f"unknown column {name!r:.60}")
        return Column(name), self._schema.columns[name]

    def _column(self, value: object, place: Place, kinds: tuple[Kind, ...], what: str) -> Column:
        column, kind = self.any_column(value, place)
        if kind not in kinds:
            problem = f"expected a column of {what}, got {column.name!r:.60} of {kind.value}"
            raise Refused(place, problem)
        return column

    def finite(self, value: object, place: Place) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number + 0.0  # −0 is 0
        raise Refused(place, "expected a finite number")

    def text(self, value: object, place: Place) -> str:
        if not isinstance(value, str):
            raise Refused(place, "expected text")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Refused(place, "half of a character pair, which is not text") from None
        return value

    def flag(self, value: object, place: Place) -> bool:
        if isinstance(value, bool):
            return value
        raise Refused(place, "expected true or false")

    def listed(self, value: object, place: Place) -> list[object]:
        if isinstance(value, list):
            return value
        raise Refused(place, "expected a list")

    def headed(self, value: object, place: Place, expected: str) -> tuple[str, list[object]]:
        """The word at the head of a list, and what stands behind it."""
        match value:
            case [str(head), *rest] if isinstance(value, list):
                return head, rest
            case _:
                raise Refused(place, f"expected {expected}")

    def arity(self, rest: list[object], wanted: int, place: Place, use: str) -> None:
        if len(rest) != wanted:
            raise Refused(place, f"expected {use}, got {len(rest):,} arguments")


def _shallow(node: Tree, place: Place) -> Tree:
    if sum(1 for _ in levels(node)) > MOST_LEVELS:
        raise Refused(place, f"a tree of more than {MOST_LEVELS} levels")
    return node
