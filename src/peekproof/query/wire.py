"""The JSON form of a tree: lists headed by a word, so that it sorts, hashes and travels."""

import hashlib
import json
from collections.abc import Callable
from json.encoder import encode_basestring_ascii as quoted
from typing import final

from peekproof.query.cells import Edges, Values
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.tree import (
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
from peekproof.query.walk import Node, children

_HELD = 3  # levels of texts below one that was written: terms, theirs, and the operands of those
_KEY_BYTES = 16

Json = None | bool | float | str | list["Json"]


def to_json(node: Numeric | Predicate | Form) -> Json:
    """The node, or a whole form, as nested lists of JSON values."""
    text = form_text(node) if isinstance(node, Form) else to_text(node)
    plain: Json = json.loads(text)
    return plain


def form_text(form: Form) -> str:
    """The JSON form of all that a question asks, as one line; its hash is the question's digest."""
    match form:
        case Share(predicate):
            return f'["share",{to_text(predicate)}]'
        case Mean(operand, low, high, missing):
            held = "null" if missing is None else repr(missing)
            return f'["mean",{to_text(operand)},{low!r},{high!r},{held}]'
        case Histogram(by, weight):
            return f'["histogram",{_cells_text(by)},{_weight_text(weight)}]'
        case Grouped(by, weight):
            return f'["by",{_cells_text(by)},{_weight_text(weight)}]'
        case Given(of, condition):
            return f'["given",{form_text(of)},{to_text(condition)}]'
        case Quantile(operand, level, low, high, steps):
            return f'["quantile",{to_text(operand)},"{level}",{low!r},{high!r},{steps}]'


def _cells_text(by: Edges | Values) -> str:
    if isinstance(by, Edges):
        return f'["edges",{to_text(by.operand)},[{",".join(map(repr, by.edges))}]]'
    # In the order as written: an answer lists its numbers in the order of the cells.
    return f'["values",{to_text(by.column)},[{",".join(map(_literal, by.values))}]]'


def _literal(value: str | bool) -> str:
    return quoted(value) if isinstance(value, str) else "true" if value else "false"


def _weight_text(weight: Predicate | Mean | None) -> str:
    match weight:
        case None:
            return "null"
        case Mean():
            return form_text(weight)
        case _:
            return to_text(weight)


def to_text(node: Numeric | Predicate) -> str:
    """The JSON form as one line without spaces: the same tree gives the same bytes."""
    return _written(node, to_text)


@final
class Texts:
    """The JSON forms of many trees that are built from one another, each node written once.

    A node is known by its place in memory, so it is held as long as its text or key. The text of a
    node is in that of all nodes above it: to hold all of them would take the square of the memory.
    Those that are further down than anything asks for are let go; their keys stay.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Node, str]] = {}
        self._keys: dict[int, tuple[Node, bytes]] = {}

    def of(self, node: Node) -> str:
        """The same as `to_text`."""
        found = self._texts.get(id(node))
        if found is not None:
            return found[1]
        text = _written(node, self.of)
        self._texts[id(node)] = node, text
        below = children(node)
        for _ in range(_HELD):
            below = tuple(inner for each in below for inner in children(each))
        for each in below:
            if id(each) in self._texts:
                self.key(each)
                del self._texts[id(each)]
        return text

    def key(self, node: Node) -> bytes:
        """The same for the same text, other for another, and short."""
        found = self._keys.get(id(node))
        if found is None:
            key = hashlib.blake2b(self.of(node).encode(), digest_size=_KEY_BYTES).digest()
            found = self._keys[id(node)] = node, key
        return found[1]


def _written(node: Node, text: Callable[[Node], str]) -> str:
    """The JSON form, with `text` for what is inside; the common cases come first."""
    match node:
        case Number(value):
            return repr(value)
        case Column(name):
            return f'["column",{quoted(name)}]'
        case Compare(operator, left, right):
            return f'["{operator}",{text(left)},{text(right)}]'
        case Member(subject, values, negated):
            listed = ",".join(quoted(v) if isinstance(v, str) else repr(v) for v in values)
            return f'["{"not in" if negated else "in"}",{text(subject)},[{listed}]]'
        case And(terms):
            return _headed("and", terms, text)
        case Or(terms):
            return _headed("or", terms, text)
        case Sum(terms):
            return _headed("+", terms, text)
        case Product(factors):
            return _headed("*", factors, text)
        case Quotient(dividend, divisor):
            return f'["/",{text(dividend)},{text(divisor)}]'
        case Clip(operand, low, high):
            return f'["clip",{text(operand)},{low!r},{high!r}]'
        case If(condition, then, otherwise):
            return f'["if",{text(condition)},{text(then)},{text(otherwise)}]'
        case Part(field, column, _):
            return f'["{field}",{text(column)}]'
        case Missing():
            return "null"
        case Matches(column, where, wanted, negated):
            word = f"not {where}" if negated else where
            return f'["{word}",{text(column)},{quoted(wanted)}]'
        case IsNull(operand, negated):
            return f'["{"is not null" if negated else "is null"}",{text(operand)}]'
        case Flag(column, negated):
            return f'["{"is false" if negated else "is true"}",{text(column)}]'
        case Constant(value):
            return "true" if value else "false"
        case Not(term):
            return f'["not",{text(term)}]'


def _headed(word: str, nodes: tuple[Node, ...], text: Callable[[Node], str]) -> str:
    return f'["{word}",{",".join(map(text, nodes))}]'
