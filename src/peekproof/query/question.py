"""A question that is ready to be priced, charged and evaluated."""

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar, final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.canonical import canonical, canonical_form, form_text
from peekproof.query.form import (
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.parser import MOST_LEVELS, read
from peekproof.query.schema import Kind, Schema
from peekproof.query.times import DAY, MICROSECOND
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
    levels,
)

# Conditions and numbers in the JSON form, checked against the schema.

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


# Questions in the JSON form: what `to_json` writes of a form is read back, and nothing else.
#
# Numbers are those of the tree: a date is its number of days since 1970-01-01, and a moment its
# number of microseconds, wherever their columns stand.

# A list inside a list is a level; the tree has at most MOST_LEVELS, and its form some on top.
MOST_JSON_DEPTH = 208
MOST_JSON_VALUES = 300_000
MOST_JSON_CHARACTERS = 1_000_000

_OPENING = re.compile(r'\s*\[\s*"(?:share|mean|histogram|by|given|quantile)"\s*,')
# Whatever these let through can be shown as a double in a message.
_LEVEL = re.compile(r"[0-9]{1,300}(?:/[1-9][0-9]{0,399})?")
_LONGEST_STEPS = 64
_WIDEST = 80

R = TypeVar("R")


def is_json(text: str) -> bool:
    """Whether text begins as the JSON form does; no question in words begins so."""
    return _OPENING.match(text) is not None


def read_json_text(text: str, schema: Schema) -> Form:
    """The form, as it is written, of a question in JSON."""
    if len(text) > MOST_JSON_CHARACTERS:
        problem = f"more than {MOST_JSON_CHARACTERS:,} characters of JSON"
        raise QuestionError(problem=problem, text=text[:_WIDEST], position=0)
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        problem = f"$: nested more than {MOST_JSON_DEPTH} deep"
        raise QuestionError(problem=problem, text=text[:_WIDEST], position=0) from None
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg}"
        raise QuestionError(problem=problem, text=text, position=error.pos) from None
    except ValueError:
        problem = "not JSON: a number that is not finite, or of too many digits"
        raise QuestionError(problem=problem, text=text[:_WIDEST], position=0) from None
    return read_json(value, schema)


def _no_constant(_: str) -> NoReturn:
    raise ValueError("no number")


def read_json(value: object, schema: Schema) -> Form:
    """The form, as it is written, of a question in nested lists."""
    try:
        _check_size(value)
        return _FormReader(schema).form(value, Place())
    except Refused as refused:
        raise QuestionError(
            problem=f"{refused.place}: {refused.problem}",
            text=_shown(value),
            position=0,
            hint=refused.hint,
        ) from None


def json_text(value: object) -> str:
    """JSON on one line, of a value that `read_json` accepts."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _check_size(value: object) -> None:
    """No recursion, and nothing read twice: the value may be as deep and wide as it likes."""
    level: list[object] = [value]
    seen = characters = depth = 0
    while level:
        depth += 1
        seen += len(level)
        if depth > MOST_JSON_DEPTH:
            raise Refused(Place(), f"nested more than {MOST_JSON_DEPTH} deep")
        below: list[object] = []
        for each in level:
            if isinstance(each, str):
                characters += len(each)
            elif isinstance(each, list):
                if seen + len(below) + len(each) > MOST_JSON_VALUES:
                    raise Refused(Place(), f"more than {MOST_JSON_VALUES:,} values")
                below += each
        level = below
    if characters > MOST_JSON_CHARACTERS:
        raise Refused(Place(), f"more than {MOST_JSON_CHARACTERS:,} characters of text")


def _shown(value: object) -> str:
    """The beginning of the value as JSON; only so much is turned into text as is shown."""
    try:
        chunks, length = [], 0
        for chunk in json.JSONEncoder(separators=(",", ":"), default=_kind).iterencode(value):
            chunks.append(chunk[:_WIDEST])
            length += len(chunk)
            if length > _WIDEST:
                break
        return "".join(chunks)[:_WIDEST]
    except (RecursionError, TypeError, ValueError):
        return "[…]"


def _kind(value: object) -> str:
    return f"<{type(value).__name__}>"


@final
class _FormReader:
    """One method a form."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._trees = TreeReader(schema)

    def form(self, value: object, place: Place) -> Form:
        trees = self._trees
        head, rest = trees.headed(value, place, 'a question such as ["share", condition]')
        match head:
            case "share" | "mean":
                return self._asked(value, place)
            case "histogram":
                trees.arity(rest, 2, place, '["histogram", cells, weight]')
                cells = self._cells(rest[0], place / 1)
                return Histogram(
                    cells, None if rest[1] is None else self._weight(rest[1], place / 2)
                )
            case "by":
                trees.arity(rest, 2, place, '["by", cells, weight]')
                return Grouped(self._cells(rest[0], place / 1), self._weight(rest[1], place / 2))
            case "given":
                trees.arity(rest, 2, place, '["given", question, condition]')
                return Given(
                    self._asked(rest[0], place / 1), trees.whole_predicate(rest[1], place / 2)
                )
            case "quantile":
                trees.arity(rest, 5, place, '["quantile", number, level, low, high, steps]')
                return self._quantile(rest, place)
            case _:
                words = "share, mean, histogram, by, given and quantile"
                raise Refused(place / 0, f"unknown question {head!r:.60}", f"questions are {words}")

    def _asked(self, value: object, place: Place) -> Share | Mean:
        trees = self._trees
        head, rest = trees.headed(value, place, "a share or a mean")
        if head == "share":
            trees.arity(rest, 1, place, '["share", condition]')
            return Share(trees.whole_predicate(rest[0], place / 1))
        if head != "mean":
            raise Refused(place / 0, f"expected 'share' or 'mean', got {head!r:.60}")
        trees.arity(rest, 4, place, '["mean", number, low, high, missing]')
        operand = trees.whole_numeric(rest[0], place / 1)
        low, high = (trees.finite(rest[i], place / (i + 1)) for i in (1, 2))
        missing = None if rest[3] is None else trees.finite(rest[3], place / 4)
        return self._made(lambda: Mean(operand, low, high, missing), place)

    def _quantile(self, rest: list[object], place: Place) -> Quantile:
        trees = self._trees
        operand = trees.whole_numeric(rest[0], place / 1)
        level = trees.text(rest[1], place / 2)
        if not _LEVEL.fullmatch(level):
            raise Refused(place / 2, 'expected a level such as "1/2"')
        low, high = trees.finite(rest[2], place / 3), trees.finite(rest[3], place / 4)
        steps = rest[4]
        if type(steps) is not int or steps.bit_length() > _LONGEST_STEPS:
            raise Refused(place / 5, "expected a whole number of steps")
        fraction = Fraction(level)
        return self._made(lambda: Quantile(operand, fraction, low, high, steps), place)

    def _weight(self, value: object, place: Place) -> Predicate | Mean:
        if isinstance(value, list) and value[:1] == ["mean"]:
            asked = self._asked(value, place)
            if isinstance(asked, Mean):
                return asked
        return self._trees.whole_predicate(value, place)

    def _cells(self, value: object, place: Place) -> Edges | Values:
        trees = self._trees
        head, rest = trees.headed(value, place, '["edges", …] or ["values", …]')
        if head not in ("edges", "values"):
            raise Refused(place / 0, f"expected 'edges' or 'values', got {head!r:.60}")
        trees.arity(rest, 2, place, f'["{head}", column, list]')
        listed = trees.listed(rest[1], place / 2)
        inside = [(each, place / 2 / number) for number, each in enumerate(listed)]
        if head == "edges":
            operand = trees.whole_numeric(rest[0], place / 1)
            edges = tuple(trees.finite(*each) for each in inside)
            unit = ""
            if isinstance(operand, Column):
                units = {Kind.DATE: DAY, Kind.MOMENT: MICROSECOND}
                unit = units.get(self._schema.columns[operand.name], "")
            return self._made(lambda: Edges(operand, edges, unit), place)
        column, kind = trees.any_column(rest[0], place / 1)
        values: tuple[str | bool, ...]
        if kind is Kind.TEXT:
            values = tuple(trees.text(*each) for each in inside)
        elif kind is Kind.FLAG:
            values = tuple(trees.flag(*each) for each in inside)
        else:
            raise Refused(place / 1, "expected a column of text or of true/false")
        return self._made(lambda: Values(column, values), place)

    def _made(self, make: Callable[[], R], place: Place) -> R:
        try:
            return make()
        except InvalidInput as error:
            problem = f"{error.argument} must be {error.accepted}, got {error.given}"
            raise Refused(place, problem, error.hint) from None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, in canonical form, next to the words in which it was asked.

    `digest` is the same for every spelling that has the same canonical form.
    """

    text: str
    form: Form
    digest: str

    @property
    def predicate(self) -> Predicate:
        """The condition of a question for a share."""
        if not isinstance(self.form, Share):
            raise TypeError(f"a {type(self.form).__name__} is not a share")
        return self.form.predicate


def parse_question(text: str | list[object], schema: Schema) -> Question:
    """The question that `text`, or its JSON form, asks of a table with this schema."""
    if isinstance(text, list):
        return from_json(text, schema)
    if not isinstance(text, str):
        raise InvalidInput(
            argument="question", accepted="text such as 'age > 50'", given=repr(text)[:80]
        )
    reader = read_json_text if is_json(text) else read
    try:
        form = canonical_form(reader(text, schema), schema.complete)
    except OverflowError as error:
        raise QuestionError(
            problem="arithmetic on constants overflows", text=text, position=0, length=len(text)
        ) from error
    except InvalidInput as error:
        raise _refused(error, text) from None
    return _asked(text.strip(), form, text)


def from_json(value: object, schema: Schema) -> Question:
    """The question whose JSON form is `value`, nested lists as `to_json` writes them."""
    as_written = read_json(value, schema)
    text = json_text(value)
    if len(text) > MOST_JSON_CHARACTERS:
        problem = f"$: more than {MOST_JSON_CHARACTERS:,} characters of JSON"
        raise QuestionError(problem=problem, text=text[:80], position=0)
    try:
        form = canonical_form(as_written, schema.complete)
    except OverflowError as error:
        problem = "$: arithmetic on constants overflows"
        raise QuestionError(problem=problem, text=text[:80], position=0) from error
    except InvalidInput as error:
        raise _refused(error, text[:80], before="$: ") from None
    return _asked(text, form, text[:80])


def _refused(error: InvalidInput, text: str, *, before: str = "") -> QuestionError:
    """What a normal form cannot be: what missing values count as may be said in the operand."""
    problem = f"{before}{error.argument} must be {error.accepted}, got {error.given}"
    return QuestionError(problem=problem, text=text, position=0, length=len(text), hint=error.hint)


def question_of(form: Form, *, text: str) -> Question:
    """The question that asks for a form, under these words."""
    return _asked(text, canonical_form(form), text[:80])


def _asked(text: str, form: Form, shown: str) -> Question:
    constant = _constant(form)
    if constant:
        raise QuestionError(
            problem=constant,
            text=shown,
            position=0,
            length=len(shown),
            hint="mention a column whose values decide",
        )
    written = form_text(form)
    if len(written) > MOST_JSON_CHARACTERS:  # so that what is asked can be asked as JSON too
        problem = f"more than {MOST_JSON_CHARACTERS:,} characters once it is spelled out"
        raise QuestionError(problem=problem, text=shown[:80], position=0)
    digest = hashlib.sha256(written.encode()).hexdigest()
    return Question(text=text, form=form, digest=digest)


def _constant(form: Form) -> str:
    """What is the same for every row of every table, or nothing."""
    match form:
        case Share(Constant(value)):
            return f"the question is always {str(value).lower()}"
        case Mean(operand) | Quantile(operand):
            return _fixed(operand, "the number is always")
        case Histogram(by, weight) | Grouped(by, weight):
            return _fixed_cells(by) or _fixed_weight(weight)
        case Given(of, condition):
            return _constant(of) or _fixed_weight(condition) or _settled(of, condition)
        case _:
            return ""


def _fixed(operand: Numeric, problem: str) -> str:
    match operand:
        case Number(value):
            return f"{problem} {value:g}"
        case Missing():
            return f"{problem} null"
        case _:
            return ""


def _fixed_cells(by: Edges | Values) -> str:
    return _fixed(by.operand, "the number is always") if isinstance(by, Edges) else ""


def _fixed_weight(weight: Predicate | Mean | None) -> str:
    match weight:
        case Constant(value):
            return f"the condition is always {str(value).lower()}"
        case Mean(operand):
            return _fixed(operand, "the mean is of a number that is always")
        case _:
            return ""


def _settled(of: Share | Mean, condition: Predicate) -> str:
    """What the condition decides by itself."""
    if isinstance(of, Mean):
        return ""
    both = canonical(And((of.predicate, condition)))
    if both == Constant(False):
        return "the question is never true where its condition is"
    return "the question is always true where its condition is" if both == condition else ""
