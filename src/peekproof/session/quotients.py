"""Questions about a part of the population, as the questions that are drawn for them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from peekproof.core import check
from peekproof.core.answer import Answer, HistogramAnswer, QuantileAnswer
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.mechanisms.plan import Plan
from peekproof.query.cells import bare, plain_number
from peekproof.query.form import Given, Grouped, Mean
from peekproof.query.question import Question, question_of
from peekproof.query.tree import Column
from peekproof.query.wire import form_text
from peekproof.session.reply import Replies

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
    over, under = (question_of(part, text=form_text(part)) for part in form.parts)
    match form:
        case Given(Mean(Column(name), low, high)) if form.about_known and bare(name):
            ends = plain_number(low), plain_number(high), plain_number(low)
            over = replace(over, text=f"mean({name}, {', '.join(ends)})")
            under = replace(under, text=f"{name} is not null")
    return over, under


def found_in(replies: Replies, question: Question) -> AnyAnswer:
    """The answer to a question of any form."""
    match question.form:
        case Given() as given:
            return conditional_of(question, given, [replies.scalar(p) for p in _parts(question)])
        case Grouped() as grouped:
            drawn = replies.histogram(question)
            return GroupedAnswer.of(question.text, drawn=drawn, bounds=grouped.bounds)
        case _:
            return replies.any(question)


def one_number_of(question: Question, parts: Iterator[Answer]) -> OneNumber:
    """The next of the answers to what was drawn, or the quotient of the next two."""
    first = next(parts)
    if not isinstance(question.form, Given):
        return first
    return conditional_of(question, question.form, [first, next(parts)])


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
