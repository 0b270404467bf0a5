"""Reading a whole question: a condition, or one of four forms with its arguments.

question   = asked [ ("given" | "where") predicate | "by" factor [cells] ]
           | "histogram" "(" sum ["," cells ["," (mean | predicate)]] ")"
           | "quantile" "(" sum "," level "," low "," high ["," steps] ")"
asked      = predicate | "share" "(" predicate ")" | mean
mean       = "mean" "(" sum "," low "," high ["," missing] ")"

The arguments behind the first are constants; arithmetic on constants is one too.
"""

from fractions import Fraction
from typing import final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.calls import FORMS
from peekproof.query.cells import Edges, Values
from peekproof.query.constants import PUBLIC, folded, shallow
from peekproof.query.cursor import Cursor
from peekproof.query.form import (
    USUAL_STEPS,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
)
from peekproof.query.listing import Lister, pointing
from peekproof.query.operand import Operand, as_number, as_predicate
from peekproof.query.parser import Parser
from peekproof.query.schema import Schema
from peekproof.query.tokens import Token, TokenKind, excerpt
from peekproof.query.tree import Numeric, Predicate

_WANTS = {
    "mean": "mean needs bounds: mean({}, low, high)",
    "histogram": "histogram needs a list of cells: histogram({}, (…))",
    "quantile": "quantile needs a level and bounds: quantile({}, level, low, high)",
}
_NOT_BOTH = "ask for cells with a condition: histogram(column, cells, condition)"


def read(text: str, schema: Schema) -> Form:
    """The form that `text` says, as written (see `canonical_form` for its normal form)."""
    at = Cursor(text)
    if at.finished:
        raise at.error("the question is empty", at.next, "write a condition such as age > 50")
    name = at.next.value.lower() if at.opens(*FORMS) else ""
    reader = _Reader(at, schema)
    form = reader.form(name)
    if isinstance(form, Share | Mean):
        form = reader.among(form)
    if not at.finished:
        hint = f"{name}(…) is a question by itself" if name else ""
        if isinstance(form, Given | Grouped) and at.says("by", "given", "where"):
            hint = _NOT_BOTH
        raise at.error(f"unexpected {excerpt(at.next.value)}", at.next, hint)
    return form


@final
class _Reader:
    """One method a form."""

    def __init__(self, at: Cursor, schema: Schema) -> None:
        self._at = at
        self._schema = schema
        self._parser = Parser(at, schema)
        self._lister = Lister(self._parser, schema)

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

    def among(self, form: Share | Mean) -> Form:
        """The form, or what it asks for among some rows or within cells."""
        if self._at.says("given", "where"):
            self._at.advance()
            return Given(form, self._predicate())
        if not self._at.says("by"):
            return form
        self._at.advance()
        start = self._at.next
        subject = self._grouping()
        if self._lister.listed:
            cells = self._lister.cells(subject, start)
        else:
            written = self._at.since(start)
            cells = self._lister.declared(
                subject, start, f"by {written} needs cells: by {written} (…)"
            )
        return Grouped(cells, form.predicate if isinstance(form, Share) else form)

    def _grouping(self) -> Operand:
        """What stands behind `by`: a column, even before a "(", which then opens the cells."""
        token = self._at.next
        if token.kind is TokenKind.NAME and token.value in self._schema.columns:
            return self._parser.column(token.value, self._at.advance())
        return self._parser.factor()

    def _mean(self) -> Mean:
        self._at.advance()
        self._at.expect("(")
        operand, written = self._operand()
        self._comma("mean", written)
        low, _ = self._constant()
        self._comma("mean", written)
        high, here = self._constant()
        places = {"high": here}
        missing = None
        if self._at.takes(","):
            missing, places["missing"] = self._constant()
        self._at.expect(")")
        try:
            return Mean(operand, low, high, missing)
        except InvalidInput as error:
            raise pointing(error, places, self._at) from None

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
            raise pointing(error, places, self._at) from None

    def _histogram(self) -> Histogram:
        start = self._at.next
        subject = self._parser.disjunction()
        written = self._at.since(start)
        if self._at.sees(")"):
            wanted = _WANTS["histogram"].format(written)
            return Histogram(self._lister.declared(subject, start, wanted))
        by = self._cells(subject, start, written)
        if not self._at.takes(","):
            return Histogram(by)
        if self._at.opens("mean"):
            return Histogram(by, self._mean())
        return Histogram(by, self._predicate())

    def _cells(self, subject: Operand, start: Token, written: str) -> Edges | Values:
        self._at.expect(",")
        if not self._lister.listed:
            raise self._wants("histogram", written)
        return self._lister.cells(subject, start)

    # Arguments ------------------------------------------------------------------------------

    def _predicate(self) -> Predicate:
        start = self._at.next
        found = as_predicate(self._parser.disjunction(), start, self._at)
        return shallow(found, start, self._at)

    def _operand(self) -> tuple[Numeric, str]:
        start = self._at.next
        operand = as_number(self._parser.disjunction(), start, self._at)
        return shallow(operand, start, self._at), self._at.since(start)

    def _comma(self, name: str, written: str) -> None:
        """Steps over a comma; if the arguments end here, says which ones are missing."""
        if self._at.sees(")"):
            raise self._wants(name, written)
        self._at.expect(",")

    def _constant(self) -> tuple[float, Token]:
        here = self._at.next
        return folded(self._parser.sum(), here, self._at), here

    def _wants(self, name: str, written: str) -> QuestionError:
        return self._at.error(_WANTS[name].format(written), self._at.next, PUBLIC)
