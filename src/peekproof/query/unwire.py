"""Questions in the JSON form: what `to_json` writes of a form is read back, and nothing else.

Numbers are those of the tree: a date is its number of days since 1970-01-01, and a moment its
number of microseconds, wherever their columns stand.
"""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn, TypeVar, final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.cells import Edges, Values
from peekproof.query.dates import DAY, MICROSECOND
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Column, Predicate
from peekproof.query.unwire_tree import Place, Refused, TreeReader

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
