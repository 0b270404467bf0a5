"""Reading a whole question: a condition, or one of four forms with its arguments.

question   = "share" "(" predicate ")" | predicate
           | mean
           | "histogram" "(" sum "," "(" literal { "," literal } ")" ["," (mean | predicate)] ")"
           | "quantile" "(" sum "," level "," low "," high ["," steps] ")"
mean       = "mean" "(" sum "," low "," high ["," missing] ")"

The arguments behind the first are constants; arithmetic on constants is one too.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar, final

from holdfast.core.errors import InvalidInput, QuestionError
from holdfast.query.canonical import numeric
from holdfast.query.cells import Edges, Values
from holdfast.query.cursor import Cursor
from holdfast.query.form import USUAL_STEPS, Form, Histogram, Mean, Quantile, Share
from holdfast.query.operand import Operand, Text, as_number, as_predicate
from holdfast.query.parser import Parser
from holdfast.query.schema import Schema
from holdfast.query.tokens import Token
from holdfast.query.tree import Column, Constant, Flag, Number, Numeric, Predicate
from holdfast.query.walk import levels

Tree = TypeVar("Tree", Numeric, Predicate)

# Canonical form and evaluation recurse over the tree; chains of divisions make it deep.
MOST_LEVELS = 200

_FORMS = ("share", "mean", "histogram", "quantile")
_WANTS = {
    "mean": "mean needs bounds: mean({}, low, high)",
    "histogram": "histogram needs a list of cells: histogram({}, (…))",
    "quantile": "quantile needs a level and bounds: quantile({}, level, low, high)",
}
_PUBLIC = "they must not come from the data: choose them before you look"


def read(text: str, schema: Schema) -> Form:
    """The form that `text` says, as written (see `canonical_form` for its normal form)."""
    at = Cursor(text)
    if at.finished:
        raise at.error("the question is empty", at.next, "write a condition such as age > 50")
    name = at.next.value.lower() if at.opens(*_FORMS) else ""
    form = _Reader(at, schema).form(name)
    if not at.finished:
        hint = f"{name}(…) is a question by itself" if name else ""
        raise at.error(f"unexpected {at.next.value!r}", at.next, hint)
    return form


@final
class _Reader:
    """One method a form."""

    def __init__(self, at: Cursor, schema: Schema) -> None:
        self._at = at
        self._parser = Parser(at, schema)

    def form(self, name: str) -> Form:
        if not name:
            return Share(self._predicate())
        if name == "mean":
            return self._mean()
        self._at.advance()
        self._at.expect("(")
        match name:
            case "histogram":
                form: Form = self._histogram()
            case "quantile":
                form = self._quantile()
            case _:
                form = Share(self._predicate())
        self._at.expect(")")
        return form

    def _mean(self) -> Mean:
        self._at.advance()
        self._at.expect("(")
        operand, written = self._operand()
        self._comma("mean", written)
        low, _ = self._constant()
        self._comma("mean", written)
        high, here = self._constant()
        places = {"high": here}
        missing = low
        if self._at.takes(","):
            missing, places["missing"] = self._constant()
        self._at.expect(")")
        try:
            return Mean(operand, low, high, missing)
        except InvalidInput as error:
            raise self._pointing(error, places) from None

    def _quantile(self) -> Quantile:
        operand, written = self._operand()
        places: dict[str, Token] = {}
        self._comma("quantile", written)
        level, places["level"] = self._constant()
        self._comma("quantile", written)
        low, _ = self._constant()
        self._comma("quantile", written)
        high, places["high"] = self._constant()
        steps, places["steps"] = float(USUAL_STEPS), places["high"]
        if self._at.takes(","):
            steps, places["steps"] = self._constant()
        if not steps.is_integer():
            raise self._at.error(f"a number of steps that is not whole: {steps:g}", places["steps"])
        try:
            # A level stands for the decimal it prints as: 0.1 is 1/10, not its nearest double.
            return Quantile(operand, Fraction(repr(level)), low, high, int(steps))
        except InvalidInput as error:
            raise self._pointing(error, places) from None

    def _histogram(self) -> Histogram:
        start = self._at.next
        subject = self._parser.disjunction()
        written = self._at.since(start)
        self._comma("histogram", written)
        if not self._at.sees("("):
            raise self._wants("histogram", written)
        by = self._cells(subject, start)
        if not self._at.takes(","):
            return Histogram(by)
        if self._at.opens("mean"):
            return Histogram(by, self._mean())
        return Histogram(by, self._predicate())

    def _cells(self, subject: Operand, start: Token) -> Edges | Values:
        opening = self._at.advance()
        listed: list[tuple[Operand, Token]] = []
        while not listed or self._at.takes(","):
            here = self._at.next
            listed.append((self._parser.sum(), here))
        self._at.expect(")")
        tokens = [token for _, token in listed]
        places = {"cells": opening}
        places |= {f"edge {number}": token for number, token in enumerate(tokens, 1)}
        places |= {f"value {number}": token for number, token in enumerate(tokens, 1)}
        try:
            match subject:
                case Text(content=Column() as column):
                    texts = tuple(self._parser.literal_text(*each) for each in listed)
                    return Values(column, texts)
                case Flag(column, negated=False):
                    return Values(column, tuple(self._literal_flag(*each) for each in listed))
                case _:
                    operand = self._number(subject, start)
                    return Edges(operand, tuple(self._folded(*each) for each in listed))
        except InvalidInput as error:
            raise self._pointing(error, places) from None

    # Arguments ------------------------------------------------------------------------------

    def _predicate(self) -> Predicate:
        start = self._at.next
        return self._shallow(as_predicate(self._parser.disjunction(), start, self._at), start)

    def _number(self, operand: Operand, start: Token) -> Numeric:
        return self._shallow(as_number(operand, start, self._at), start)

    def _operand(self) -> tuple[Numeric, str]:
        start = self._at.next
        operand = self._number(self._parser.disjunction(), start)
        return operand, self._at.since(start)

    def _comma(self, name: str, written: str) -> None:
        """Steps over a comma; if the arguments end here, says which ones are missing."""
        if self._at.sees(")"):
            raise self._wants(name, written)
        self._at.expect(",")

    def _constant(self) -> tuple[float, Token]:
        here = self._at.next
        return self._folded(self._parser.sum(), here), here

    def _folded(self, operand: Operand, token: Token) -> float:
        value = numeric(self._number(operand, token))
        if isinstance(value, Number):
            return value.value
        raise self._at.mismatch("a column where a constant is needed", token, _PUBLIC)

    def _literal_flag(self, operand: Operand, token: Token) -> bool:
        if isinstance(operand, Constant):
            return operand.value
        raise self._at.mismatch("expected true or false in the list", token)

    def _shallow(self, node: Tree, start: Token) -> Tree:
        # Every level takes a token or more, so short questions need no look.
        if self._at.size > MOST_LEVELS and sum(1 for _ in levels(node)) > MOST_LEVELS:
            problem = f"a tree of more than {MOST_LEVELS} levels"
            raise self._at.error(problem, start, "simplify the question")
        return node

    # Errors ---------------------------------------------------------------------------------

    def _wants(self, name: str, written: str) -> QuestionError:
        return self._at.error(_WANTS[name].format(written), self._at.next, _PUBLIC)

    def _pointing(self, error: InvalidInput, places: Mapping[str, Token]) -> QuestionError:
        """What a form refused about an argument, at the argument's place."""
        problem = f"{error.argument} must be {error.accepted}, got {error.given}"
        return self._at.error(problem, places[error.argument], error.hint)
