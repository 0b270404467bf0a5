"""What can be asked: questions in words, the best of several, statistics, means over pairs.

Each tells mechanisms from public information alone what is drawn for it (see `mechanisms.base`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, cast, final

from peekproof.core import check
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import UNIT, Span
from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.data.statistic import NAMED, STATISTIC, PairStatistic, Statistic
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.mechanisms.base import Demand, Mechanism, Replies, Reply
from peekproof.mechanisms.plan import Plan
from peekproof.query.candidates import Candidates
from peekproof.query.canonical import form_text
from peekproof.query.form import (
    FILL,
    FINE,
    MOST_CELLS,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    bare,
    contribution,
    plain_number,
)
from peekproof.query.parser import MOST_LEVELS
from peekproof.query.question import Question, parse_question, question_of
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Column, Constant, levels
from peekproof.session.wording import Wording, reads_wording
from peekproof.theory.generalization.gaussian import cells_ball, weighted_cells_ball
from peekproof.theory.generalization.pairs import pair_levels
from peekproof.theory.generalization.statistic import statistic_span

_SHAPES: dict[type[Form], str] = {
    Share: "share",
    Mean: "mean",
    Histogram: "cells",
    Grouped: "cells",
    Quantile: "quantile",
}

_FINEST_BALL = 2**20
_ONE, _HALF = Fraction(1), Fraction(1, 2)


def _span(low: float, high: float) -> Span:
    return UNIT if (low, high) == (0, 1) else Span.between(Fraction(low), Fraction(high))


@final
@dataclass(frozen=True, slots=True)
class InWords:
    """A question in words, of any form that is drawn by itself."""

    question: Question

    charge_first: ClassVar[bool] = False
    moved_by: ClassVar[Fraction | None] = None
    route: ClassVar[str] = "ask"

    def __post_init__(self) -> None:
        if isinstance(self.question.form, Given):
            raise TypeError("a quotient is drawn as its parts")

    @property
    def digest(self) -> str:
        return self.question.digest

    @property
    def text(self) -> str:
        return self.question.text

    @property
    def shape(self) -> str:
        return _SHAPES[type(self.question.form)]

    @property
    def span(self) -> Span:
        return _span(*self.question.form.span)

    @property
    def levels(self) -> int:
        form = self.question.form
        read = form.weight if isinstance(form, Histogram | Grouped) else form
        return FINE if isinstance(read, Mean) else 1

    @property
    def cells(self) -> int:
        form = self.question.form
        return form.steps if isinstance(form, Quantile) else form.dimension

    @property
    def ball(self) -> Fraction:
        """A little larger than it need be, so that ledgers add short numbers."""
        form = self.question.form
        if isinstance(form, Histogram) and isinstance(form.weight, Mean):
            # What a record adds is read in fixed point, and so is the 0 it adds to other cells.
            low, high = form.extent
            nothing = Fraction(contribution(0.0, low=low, high=high), FINE)
            exact = weighted_cells_ball(cells=form.dimension, low=-nothing, high=1 - nothing)
        else:
            # Parts f and 1 − f of two cells lie between the unit vectors, in the same ball.
            exact = cells_ball(cells=form.dimension, most=1)
        return Fraction(ceil(exact * _FINEST_BALL), _FINEST_BALL)

    @property
    def level(self) -> Fraction:
        form = self.question.form
        return form.level if isinstance(form, Quantile) else _HALF

    @property
    def questions(self) -> Sequence[Question]:
        return (self.question,)

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return totals[0]

    def answer(self, replies: Replies) -> Reply:
        form = self.question.form
        match form:
            case Quantile():
                return replies.quantile(self, form.value)
            case Histogram(labels=labels, weight=None):
                return replies.cells(self, labels, labels)
            case Histogram(labels=labels):
                return replies.cells(self, labels, [f"{each} in {self.text}" for each in labels])
            case Grouped(labels=labels):
                # First what counts in each cell, then what does not.
                labels = *labels, *(f"{each}, the rest" for each in labels)
                return replies.cells(self, labels, [f"{each} in {self.text}" for each in labels])
            case _:
                return replies.number(self)

    def message(self) -> dict[str, object]:
        return {"question": self.text}


@final
@dataclass(frozen=True, slots=True)
class Best:
    """Which of several shares or means is the largest."""

    candidates: Candidates

    charge_first: ClassVar[bool] = False
    shape: ClassVar[str] = "choice"
    route: ClassVar[str] = "best"
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None

    @property
    def digest(self) -> str:
        return self.candidates.digest

    @property
    def text(self) -> str:
        return self.candidates.text

    @property
    def span(self) -> Span:
        return _span(*self.candidates.span)

    @property
    def levels(self) -> int:
        return FINE if isinstance(self.candidates.questions[0].form, Mean) else 1

    @property
    def cells(self) -> int:
        return len(self.candidates.questions)

    @property
    def questions(self) -> Sequence[Question]:
        return self.candidates.questions

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return Exact.together(totals)

    def answer(self, replies: Replies) -> Choice:
        return replies.choice(self, [each.text for each in self.candidates.questions])

    def message(self) -> dict[str, object]:
        return {"candidates": [each.text for each in self.candidates.questions]}


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """A statistic of all rows, in units of what they can move it by together."""

    statistic: Statistic
    rows: int

    charge_first: ClassVar[bool] = True
    shape: ClassVar[str] = "statistic"
    route: ClassVar[str] = ""
    levels: ClassVar[int] = FINE
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    questions: ClassVar[tuple[Question, ...]] = ()

    @property
    def digest(self) -> str:
        return self.statistic.digest

    @property
    def text(self) -> str:
        return self.statistic.text

    @property
    def span(self) -> Span:
        low, high = self.statistic.bounds
        moved = self.statistic.moved_by
        return statistic_span(rows=self.rows, sensitivity=moved, low=low, high=high)

    @property
    def moved_by(self) -> Fraction | None:
        return self.statistic.moved_by

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return source.measure(self.statistic, levels=self.levels)

    def answer(self, replies: Replies) -> Answer:
        return replies.number(self)

    def message(self) -> dict[str, object]:
        raise no_functions()


@final
@dataclass(frozen=True, slots=True)
class Paired:
    """A mean over all pairs of rows, which are worth half as many rows (T-pairs)."""

    statistic: PairStatistic
    rows: int

    charge_first: ClassVar[bool] = True
    shape: ClassVar[str] = "pairs"
    route: ClassVar[str] = ""
    span: ClassVar[Span] = UNIT
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None
    questions: ClassVar[tuple[Question, ...]] = ()

    @property
    def digest(self) -> str:
        return self.statistic.digest

    @property
    def text(self) -> str:
        return self.statistic.text

    @property
    def levels(self) -> int:
        return pair_levels(self.rows)

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return source.measure(self.statistic, levels=self.levels)

    def answer(self, replies: Replies) -> Answer:
        return replies.number(self)

    def message(self) -> dict[str, object]:
        raise no_functions()


# What ledgers record of these, read again.


@reads_wording
def _in_words(said: Wording) -> Sequence[Demand]:
    asked = said.questions.question(said.text, said.digest, cells=said.numbers)
    return () if asked is None or isinstance(asked.form, Given) else (InWords(asked),)


@reads_wording
def _largest(said: Wording) -> Sequence[Demand]:
    found = said.questions.candidates(said.text, said.digest)
    return () if found is None else (Best(found),)


@reads_wording
def _measured(said: Wording) -> Sequence[Demand]:
    """The text has the name alone, and the units of the answer all else; the digest is of both."""
    if not said.text.startswith(STATISTIC):
        return ()
    span = said.span
    statistic = Statistic(
        name=said.text.removeprefix(STATISTIC),
        function=lambda _: 0.0,
        sensitivity=span.width / said.rows,
        low=span.low,
        high=span.most,
    )
    return (Measured(statistic, said.rows),)


@reads_wording
def _paired(said: Wording) -> Sequence[Demand]:
    if not said.text.startswith(NAMED):
        return ()
    name = said.text.removeprefix(NAMED)
    return (Paired(PairStatistic(name=name, function=lambda _: 0), said.rows),)


def no_functions() -> InvalidInput:
    """Why a gateway is handed no function of rows."""
    return InvalidInput(
        argument="statistic",
        accepted="for rows on this machine: a gateway runs no functions",
        given="one for a gateway",
        hint="ask for means, histograms and quantiles",
    )


# A share like any other, where it does not matter which.
ANY_SHARE = InWords(Question(text="a share", form=Share(Constant(True)), digest=""))


def any_pairs(rows: int) -> Paired:
    """A mean over pairs of so many rows, where it does not matter which."""
    return Paired(PairStatistic(name="any", function=lambda _: 0), rows)


def guessable(
    asked: Question | PairStatistic, mechanism: Mechanism, *, guess: float | None
) -> InWords | Paired:
    """What a guess can be checked about: a share, a mean, or a mean over pairs of rows."""
    if isinstance(asked, PairStatistic):
        return Paired(asked, mechanism.rows)
    form = asked.form
    if isinstance(form, Share | Mean):
        return InWords(asked)
    if not mechanism.guesses and guess is not None:
        accepted = "left out: this session checks no guesses"
        raise InvalidInput(argument="guess", accepted=accepted, given=repr(guess)[:80])
    if not mechanism.guesses:
        hint = "leave out what goes with a guess"
    elif isinstance(form, Given):
        hint = FILL if form.about_known else "ask for its two parts, each with a guess"
    else:
        hint = "open the data with mechanisms=[peekproof.Gaussian] and a number of questions"
    raise InvalidInput(
        argument="question",
        accepted="a share or a mean, where guesses are checked",
        given=_FORMS[type(form)][0],
        hint=hint,
    )


# What analysts write, as questions of the form that a call takes.

_LONGEST_NAME = 100

# In place of a list of complete columns: all of them.
EVERY = "*"

# A question as someone writes it, or one that was read already, by the same schema.
Asked = str | Question


def parsed(questions: Iterable[Asked], schema: Schema) -> list[Question]:
    """Questions of any form; those that were read already are taken as they are."""
    if isinstance(questions, str):
        raise InvalidInput(
            argument="questions",
            accepted="a list of questions",
            given=repr(questions[:80]),
            hint="use ask for a single one",
        )
    return [_parsed(each, schema) for each in questions]


def _parsed(asked: Asked, schema: Schema) -> Question:
    return asked if isinstance(asked, Question) else parse_question(asked, schema)


# What a form is called, how it is written, and which method of a session takes it.
_FORMS: dict[type[Form], tuple[str, str, str]] = {
    Share: ("a share", "a condition", "ask"),
    Mean: ("a mean", "mean(…)", "ask"),
    Histogram: ("a histogram", "histogram(…)", "histogram"),
    Quantile: ("a quantile", "quantile(…)", "quantile"),
    Grouped: ("shares or means by cells", "… by …", "grouped"),
    Given: ("a share or mean of some rows", "… given …", "ask"),
}


def of_form(given: Asked, form: type[Form], schema: Schema) -> Question:
    """A question of this form."""
    asked = _parsed(given, schema)
    if not isinstance(asked.form, form):
        name, written, _ = _FORMS[form]
        found, _, method = _FORMS[type(asked.form)]
        raise InvalidInput(
            argument="question",
            accepted=f"{name}, written {written}",
            given=found,
            hint=f"call session.{method}",
        )
    return asked


def check_scalar(question: Question) -> None:
    """Refuse what has more than one number."""
    if not isinstance(question.form, Share | Mean | Given):
        given, _, method = _FORMS[type(question.form)]
        raise InvalidInput(
            argument="question",
            accepted="a share or a mean",
            given=given,
            hint=f"call session.{method}",
        )


def declared(
    schema: Schema, categories: Mapping[str, Sequence[str]], complete: Iterable[str] = ()
) -> Schema:
    """The schema with the values that text columns are declared to have, and complete columns."""
    known = dict(schema.categories)
    for name, values in categories.items():
        _check_column("categories", name, schema)
        if schema.columns.get(name) is not Kind.TEXT:
            raise InvalidInput(
                argument="categories",
                accepted="for text columns",
                given=repr(name)[:80],
                hint="numbers are cut at edges: histogram(age, (18, 65))",
            )
        listed = () if isinstance(values, str) else tuple(values)
        if not all(isinstance(each, str) for each in listed):
            listed = ()
        if not 0 < len(listed) == len(set(listed)) <= MOST_CELLS:
            raise InvalidInput(
                argument="categories",
                accepted=f"from 1 to {MOST_CELLS:,} different texts for a column",
                given=f"{name}: {values!r}"[:80],
            )
        known[name] = listed
    return replace(schema, categories=known, complete=_complete(schema, complete))


def _complete(schema: Schema, names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(
            argument="complete", accepted="a list of columns", given=repr(names)[:80]
        )
    listed = list(names)
    if listed == [EVERY]:
        listed = [name for name, kind in schema.columns.items() if kind is not Kind.OTHER]
    for name in listed:
        _check_column("complete", name, schema)
        if schema.columns[name] is Kind.OTHER:
            raise InvalidInput(
                argument="complete",
                accepted="columns that questions can use",
                given=repr(name)[:80],
            )
    return schema.complete | frozenset(listed)


def _check_column(argument: str, name: object, schema: Schema) -> None:
    if isinstance(name, str) and name in schema.columns:
        return
    near = get_close_matches(str(name), schema.columns, n=1)
    raise InvalidInput(
        argument=argument,
        accepted="for columns of the data",
        given=repr(name)[:80],
        hint=f"did you mean {near[0]!r}?" if near else "",
    )


def analyst_name(name: object) -> str:
    """A name that ledgers can record; "" is whoever gives none."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            argument="analyst",
            accepted=f"a printable name of at most {_LONGEST_NAME} characters",
            given=repr(name)[:80],
        )
    if name != name.strip():
        raise InvalidInput(argument="analyst", accepted="without spaces around", given=repr(name))
    return name


# Questions about a part of the population, as the questions that are drawn for them.

AnyAnswer = Answer | HistogramAnswer | QuantileAnswer | ConditionalAnswer | GroupedAnswer
# A share or a mean: of all rows, or of some.
OneNumber = Answer | ConditionalAnswer


def drawn_for(asked: Iterable[Question]) -> list[Question]:
    """What is drawn: a quotient is two questions, which are answered by themselves too."""
    return [drawn for question in asked for drawn in _parts(question)]


def drawn_within(
    plan: Plan, asked: Iterable[Question], radius: float | None
) -> list[tuple[Question, float | None]]:
    """What is drawn, each with its radius: that of a mean is in the units of its bounds.

    How many rows it is among is a share, and has the same part of the width of shares, but is
    never wider than planned: its answer stays, and others ask about the same rows. What is drawn
    for several of the questions has the smallest of their radii; None is the planned one.
    """
    wanted = [each for question in asked for each in _parts_within(plan, question, radius)]
    smallest: dict[str, float | None] = {}
    for each, own in wanted:
        before = smallest.setdefault(each.digest, own)
        # Only shares are drawn for others too: the radii of anything else are all the same.
        if before != own:
            smallest[each.digest] = min(
                before, own, key=lambda one: plan.radius if one is None else one
            )
    return [(each, smallest[each.digest]) for each, _ in wanted]


def _parts_within(
    plan: Plan, question: Question, radius: float | None
) -> list[tuple[Question, float | None]]:
    parts = _parts(question)
    if radius is None or not isinstance(question.form, Given):
        return [(each, radius) for each in parts]
    over, under = parts
    low, high = question.form.of.span
    share = check.positive_float(radius=radius) / (high - low)
    return [(over, radius), (under, None if share >= plan.radius else share)]


def _parts(question: Question) -> tuple[Question, ...]:
    form = question.form
    if not isinstance(form, Given):
        return (question,)
    # Ledgers record a text that is the question; of a part nobody wrote one.
    over, under = (_shallow_part(question, part) for part in form.parts)
    match form:
        case Given(Mean(Column(name), low, high)) if form.about_known and bare(name):
            ends = plain_number(low), plain_number(high), plain_number(low)
            over = replace(over, text=f"mean({name}, {', '.join(ends)})")
            under = replace(under, text=f"{name} is not null")
    return over, under


def _shallow_part(question: Question, part: Share | Mean) -> Question:
    """What is drawn for a quotient; refused if it is too deep for audits to read it again."""
    found = question_of(part, text=form_text(part))
    form = found.form
    tree = form.operand if isinstance(form, Mean) else found.predicate
    if sum(1 for _ in levels(tree)) > MOST_LEVELS:
        raise QuestionError(
            problem=f"a tree of more than {MOST_LEVELS} levels in what is drawn for it",
            text=question.text,
            position=0,
            hint="simplify the question",
        )
    return found


def told(asked: Iterable[Question], replies: Iterable[Reply]) -> list[AnyAnswer]:
    """The answers to questions, from the replies to what is drawn for them, in the same order."""
    parts = iter(replies)
    return [_whole(question, parts) for question in asked]


def _whole(question: Question, parts: Iterator[Reply]) -> AnyAnswer:
    first = next(parts)
    match question.form, first:
        case Given() as given, Answer():
            return conditional_of(question, given, [first, cast(Answer, next(parts))])
        case Grouped() as grouped, HistogramAnswer():
            return GroupedAnswer.of(question.text, drawn=first, bounds=grouped.bounds)
        case _:
            return cast(AnyAnswer, first)


def conditional_of(question: Question, given: Given, parts: list[Answer]) -> ConditionalAnswer:
    """The quotient of the answers to its two parts."""
    over, under = parts
    return ConditionalAnswer.of(
        question.text,
        over=over,
        under=under,
        bounds=given.of.span,
        known=given.about_known,
        leaves_out=given.leaves_out,
    )
