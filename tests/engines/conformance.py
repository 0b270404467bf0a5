"""What every engine must do: the integers that plain Python finds, row by row.

Many rows and many questions go into one example, since an engine takes as long for one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import inf, isfinite, nextafter

import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

from data.naive_totals import total
from data.tables import CELLS, TEXT, Rows, frame
from data.test_totals import means, quantiles, ranges, weighing
from peekproof.data.source import Source
from peekproof.query.canonical import canonical_form, form_text
from peekproof.query.form import Edges, Form, Grouped, Histogram, Mean, Quantile, Share, Values
from peekproof.query.question import Question
from peekproof.query.tree import Column, Constant, Missing, Number, Numeric
from query.naive import Row
from query.strategies import FLAGS, TEXTS, WORDS, numerics, predicates, rows

Opened = Callable[[pl.DataFrame], Source]

LITERALS = st.floats(-1e30, 1e30) | st.sampled_from([0.0, -0.0, 0.1, 3.0, 49.0, 5e-324, 1e308])
DIVISORS = st.sampled_from([3.0, 10.0, 49.0, -7.0, 0.1, 5e-324, 1e300])
NUMERICS = numerics(LITERALS, DIVISORS)
PREDICATES = predicates(LITERALS, DIVISORS)

# As many rows as an example may have without being slow to print.
MANY_ROWS = st.lists(rows(CELLS, TEXT), min_size=12, max_size=24)


def question(form: Form) -> Question | None:
    """The question for a form; None if it is the same for all rows, which is refused earlier."""
    try:
        plain = canonical_form(form)
    except OverflowError:
        return None
    if _constant(plain):
        return None
    text = form_text(plain)
    return Question(text=text, form=plain, digest=hashlib.sha256(text.encode()).hexdigest())


def _constant(form: Form) -> bool:
    same = Number | Missing
    match form:
        case Share(predicate):
            return isinstance(predicate, Constant)
        case Mean(operand) | Quantile(operand):
            return isinstance(operand, same)
        case Histogram(by, weight) | Grouped(by, weight):
            inside = weight.operand if isinstance(weight, Mean) else weight
            fixed = isinstance(by, Edges) and isinstance(by.operand, same)
            return fixed or isinstance(inside, same | Constant)
        case _:
            return True


@st.composite
def edges(draw: st.DrawFn, operands: st.SearchStrategy[Numeric]) -> Edges:
    most = draw(st.sampled_from([3, 30]))
    ends = draw(st.sets(LITERALS, min_size=1, max_size=most))
    return Edges(draw(operands), tuple(sorted({end + 0.0 for end in ends})))


def values() -> st.SearchStrategy[Values]:
    texts = st.lists(WORDS | TEXT, min_size=1, max_size=40, unique=True).map(tuple)
    flags = st.sampled_from([(True,), (False, True)])
    return st.one_of(
        st.builds(Values, st.builds(Column, st.sampled_from(TEXTS)), texts),
        st.builds(Values, st.builds(Column, st.sampled_from(FLAGS)), flags),
    )


def forms() -> st.SearchStrategy[Form]:
    cells = edges(NUMERICS) | values()
    weights = PREDICATES | weighing()
    return st.one_of(
        st.builds(Share, PREDICATES),
        st.builds(Share, PREDICATES),
        means(),
        quantiles(),
        st.builds(Histogram, cells, st.none() | weights),
        st.builds(Grouped, cells, weights),
    )


BATCHES = st.lists(forms(), min_size=2, max_size=8)


def found(source: Source, forms: Iterable[Form]) -> list[int | tuple[int, ...]]:
    """What a source adds up for forms in one batch."""
    asked = [each for each in map(question, forms) if each is not None]
    return [exact.reveal() for exact in source.totals(asked)]


def expected(rows: Sequence[Row], forms: Iterable[Form]) -> list[int | tuple[int, ...]]:
    asked = [each for each in map(question, forms) if each is not None]
    return [total(each.form, list(rows)) for each in asked]


def agrees(opened: Opened, rows: Rows, forms: Sequence[Form]) -> None:
    """A batch of questions gives what plain Python finds."""
    source = opened(frame(rows))
    try:
        named = [each.text for each in map(question, forms) if each is not None]
        pairs = zip(named, found(source, forms), expected(rows, forms), strict=True)
        wrong = [each for each in pairs if each[1] != each[2]]
        if wrong:
            raise AssertionError(wrong)
    finally:
        source.close()


# Doubles next to every bound at which arithmetic changes its course.
POWERS = [2.0**k for k in (-1074, -1073, -1022, -538, -537, -536, -512, -500, -1, 0, 1, 64, 500)]
POWERS += [2.0**k for k in (511, 512, 537, 900, 959, 960, 969, 970, 1022, 1023)]
NEAR = sorted({each for x in POWERS for each in (x, nextafter(x, 0.0), nextafter(x, inf))})
HOSTILE = st.sampled_from(
    [*NEAR, *(-x for x in NEAR), 0.0, -0.0, inf, -inf, 1.7976931348623157e308]
)
LITERAL = HOSTILE.filter(isfinite)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[float, float]:
    """Two doubles whose product, quotient or sum is near the end of the doubles."""
    first = draw(st.floats(allow_nan=False, allow_infinity=False) | LITERAL)
    assume(first != 0.0)
    end = draw(
        st.sampled_from([2.0**-1074, 2.0**-1073, 2.0**-1022, 2.0**1023, 1.7976931348623157e308])
    )
    kind = draw(st.sampled_from(["product", "quotient", "divisor", "sum"]))
    exact = {
        "product": lambda: Fraction(end) / Fraction(first) / draw(st.sampled_from([1, 2])),
        "quotient": lambda: Fraction(first) / Fraction(end) * draw(st.sampled_from([1, 2])),
        "divisor": lambda: Fraction(end) * Fraction(first),
        "sum": lambda: Fraction(1.7976931348623157e308) - Fraction(first),
    }[kind]()
    try:
        second = float(exact)
    except OverflowError:
        second = 1.7976931348623157e308
    step = draw(st.integers(-2, 2))
    for _ in range(abs(step)):
        second = nextafter(second, inf if step > 0 else -inf)
    return first, second


__all__ = ["BATCHES", "HOSTILE", "MANY_ROWS", "agrees", "pairs", "ranges"]
