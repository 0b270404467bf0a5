"""Laws of every source of rows, to run against your own.

    for law in LAWS:
        law(Held(name="mine", opened=…))

`opened` takes a Polars frame and gives your source with those rows. Each law raises `Violation`
with what it saw. They need no test runner. The embedded engine is what sources are compared to.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from typing import final

import polars as pl

from peekproof.core.errors import EvaluationFailed
from peekproof.core.secret import Exact
from peekproof.data.load import in_memory
from peekproof.data.source import Source, Total
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.protocol import opened as numbers_of
from peekproof.query.canonical import canonical_form, form_text
from peekproof.query.form import Edges, Form, Grouped, Histogram, Mean, Quantile, Share, Values
from peekproof.query.question import Question
from peekproof.query.tree import (
    DAY_FIELDS,
    FIELDS,
    PLACES,
    And,
    Clip,
    Column,
    Compare,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from peekproof.testing.statistics import Violation, require

__all__ = ["LAWS", "Held", "Law", "troublesome"]


@final
@dataclass(frozen=True, slots=True)
class Held:
    """An implementation: its name, and how it holds the rows of a frame."""

    name: str
    opened: Callable[[pl.DataFrame], Source]

    @contextmanager
    def source(self) -> Iterator[Source]:
        """A source with the troublesome rows."""
        made = self.opened(troublesome())
        try:
            yield made
        finally:
            made.close()


Law = Callable[[Held], None]

_DOUBLES = [0.0, -0.0, 0.1, 3.0, -7.5, 49.0, 1e16, 5e-324, -2.5e-310, 1.7e308, -1.7e308]
_TEXTS = ["", " ", "a", "A", "é", "e\u0301", "it's", "back\\", "%_", "𝔸", "null", None]
_MOMENTS = [0, -1, 999_999, 86_400_000_000, -(2**52), 2**52 + 1, None]
_DAYS = [0, -1, 59, 60, 11_016, 19_782, -719_162, 2_932_896, None]


def troublesome() -> pl.DataFrame:
    """Rows with every value on which engines are known to differ."""
    doubles = [*_DOUBLES, inf, -inf, nan, None]
    rows = range(len(doubles) * 4)

    def cycle(values: Sequence[object], step: int) -> list[object]:
        return [values[(row * step + row // 7) % len(values)] for row in rows]

    return pl.DataFrame(
        [
            pl.Series("a", cycle(doubles, 1), dtype=pl.Float64),
            pl.Series("b", cycle(doubles, 4), dtype=pl.Float64),
            pl.Series("s", cycle(_TEXTS, 5), dtype=pl.String),
            pl.Series("t", cycle(_TEXTS, 1), dtype=pl.String),
            pl.Series("f", cycle([True, False, None], 1), dtype=pl.Boolean),
            pl.Series("d", cycle(_DAYS, 2), dtype=pl.Int32).cast(pl.Date),
            pl.Series("m", cycle(_MOMENTS, 3), dtype=pl.Int64).cast(pl.Datetime("us")),
        ]
    )


_A, _B, _S, _T, _F, _D, _M = (Column(name) for name in "abstfdm")


def _numbers() -> list[Numeric]:
    parts = [Part(field, _D, "day") for field in DAY_FIELDS]
    parts += [Part(field, _M, "microsecond") for field in FIELDS]
    late = Compare(">", _A, Number(1.0))
    return [
        _A,
        _D,
        _M,
        *parts,
        Sum((_A, _B)),
        Product((_A, _B)),
        Quotient(_A, _B),
        Quotient(Product((Number(1e300), _A)), Sum((Number(0.1), _B))),
        Clip(Product((_A, _A)), -1.0, 10.0),
        If(late, _A, Missing()),
        If(Flag(_F, negated=False), Quotient(_A, Number(3.0)), Number(2.0)),
    ]


def _corpus() -> list[Form]:
    """Questions of every form, with every node of a tree."""
    low = [Compare(sign, each, Number(3.0)) for each in _numbers() for sign in ("<", ">=", "!=")]
    texts = [
        Matches(_S, where, part, no)
        for where in PLACES
        for part in ("a", "\\", "é")
        for no in (False, True)
    ]
    others: list[Predicate] = [
        Compare("=", _S, _T),
        Compare("<", _A, _B),
        Member(_S, ("", "it's", "back\\"), negated=True),
        Member(_A, (0.0, 0.1, 5e-324), negated=False),
        Flag(_F, negated=True),
        *(IsNull(each, negated=False) for each in (_A, _S, _F, _D, _M, Sum((_A, _B)))),
    ]
    shares: list[Predicate] = [*low, *texts, *others]
    joined = [
        And((first, Or((second, third))))
        for first, second, third in zip(low, texts, others, strict=False)
    ]
    mean, among = Mean(_A, -10.0, 20.0, 1.5), Mean(_A, -10.0, 20.0, None)
    cells: list[Edges | Values] = [
        Edges(_A, (-1.0, 0.0, 0.1, 49.0)),
        Values(_S, ("a", "", "𝔸", "none")),
        Values(_F, (True, False)),
    ]
    cells += [Edges(_B, tuple(number / 4 for number in range(-40, 200)))]
    cells += [Values(_T, (*(text for text in _TEXTS if text is not None), *map(str, range(50))))]
    forms: list[Form] = [Share(each) for each in (*shares, *joined)]
    forms += [Mean(each, -10.0, 1e9, 0.25) for each in _numbers()]
    forms += [Quantile(_A, Fraction(1, 2), -10.0, 50.0, steps) for steps in (7, 256)]
    for by in cells:
        forms += [Histogram(by), Histogram(by, others[0]), Histogram(by, mean)]
        forms += [Grouped(by, others[0]), Grouped(by, mean)]
        forms += [Histogram(by, among), Grouped(by, among)]
    return forms


def _questions() -> list[Question]:
    made = []
    for form in map(canonical_form, _corpus()):
        text = form_text(form)
        digest = hashlib.sha256(text.encode()).hexdigest()
        made.append(Question(text=text, form=form, digest=digest))
    return made


def _numbers_in(total: Total, question: Question) -> tuple[int, ...]:
    """What a total says, for laws only: nothing of it is released."""
    if isinstance(question.form, Share | Mean):
        whole: Exact[int] = total  # type: ignore[assignment]
        return (int(UnsafeEmpirical(rows=1).release_unsafely(whole)),)
    many: Exact[tuple[int, ...]] = total  # type: ignore[assignment]
    return numbers_of(many, numbers=question.form.dimension)


def the_public_facts_are_those_of_the_rows(held: Held) -> None:
    """Rows, columns and fingerprint do not depend on the engine."""
    memory = in_memory(troublesome())
    with held.source() as source:
        require(isinstance(source, Source), f"{held.name} is no Source")
        require(source.rows == memory.rows, f"{held.name} has {source.rows} rows")
        same = source.schema.columns == memory.schema.columns
        require(same, f"{held.name} has the columns {source.schema.columns}")
        equal = source.fingerprint == memory.fingerprint
        require(equal, f"{held.name} has the fingerprint {source.fingerprint}")


def totals_are_those_of_the_embedded_engine(held: Held) -> None:
    """The same integers for every form of question."""
    questions, memory = _questions(), in_memory(troublesome())
    with held.source() as source:
        found, right = source.totals(questions), memory.totals(questions)
        for question, ours, theirs in zip(questions, found, right, strict=True):
            same = _numbers_in(ours, question) == _numbers_in(theirs, question)
            require(same, f"{held.name} adds up something else for {question.text}")


def a_batch_is_its_questions_one_by_one(held: Held) -> None:
    """Also if a question is in it twice."""
    some = _questions()[::9]
    with held.source() as source:
        together = source.totals([*some, *reversed(some)])
        for place, question in enumerate(some):
            alone = _numbers_in(source.totals([question])[0], question)
            for total in (together[place], together[-1 - place]):
                same = _numbers_in(total, question) == alone
                require(same, f"{held.name} says something else in a batch for {question.text}")


def a_failure_says_nothing(held: Held) -> None:
    """Whatever goes wrong while rows are read is one error without a cause."""
    form = Share(Compare("<", Column("no such column"), Number(1.0)))
    question = Question(text="", form=form, digest="none")
    with held.source() as source:
        try:
            source.totals([question])
        except EvaluationFailed as error:
            hidden = error.__cause__ is None and error.__suppress_context__
            require(hidden, f"{held.name} tells the cause of a failure")
        else:
            raise Violation(f"{held.name} answers what it cannot know")


LAWS: tuple[Law, ...] = (
    the_public_facts_are_those_of_the_rows,
    totals_are_those_of_the_embedded_engine,
    a_batch_is_its_questions_one_by_one,
    a_failure_says_nothing,
)
