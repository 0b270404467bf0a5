"""Questions about a part of the population, as the questions that are drawn for them."""

from collections.abc import Iterable

from peekproof.core.answer import Answer
from peekproof.core.histogram_answer import HistogramAnswer
from peekproof.core.quantile_answer import QuantileAnswer
from peekproof.derive.within import ConditionalAnswer, GroupedAnswer
from peekproof.query.form import Given, Grouped
from peekproof.query.question import Question, question_of
from peekproof.query.wire import form_text
from peekproof.session.reply import Replies

AnyAnswer = Answer | HistogramAnswer | QuantileAnswer | ConditionalAnswer | GroupedAnswer


def drawn_for(asked: Iterable[Question]) -> list[Question]:
    """What is drawn: a quotient is two questions, which are answered by themselves too."""
    return [drawn for question in asked for drawn in _parts(question)]


def _parts(question: Question) -> tuple[Question, ...]:
    form = question.form
    if not isinstance(form, Given):
        return (question,)
    # Ledgers record a text that is the question; of a part nobody wrote one.
    over, under = (question_of(part, text=form_text(part)) for part in form.parts)
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


def conditional_of(question: Question, given: Given, parts: list[Answer]) -> ConditionalAnswer:
    """The quotient of the answers to its two parts."""
    over, under = parts
    return ConditionalAnswer.of(question.text, over=over, under=under, bounds=given.of.span)
