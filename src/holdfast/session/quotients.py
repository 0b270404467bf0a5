"""Questions about a part of the population, as the questions that are drawn for them."""

from collections.abc import Iterable

from holdfast.core.answer import Answer
from holdfast.core.errors import InvalidInput
from holdfast.core.histogram_answer import HistogramAnswer
from holdfast.core.quantile_answer import QuantileAnswer
from holdfast.derive.within import ConditionalAnswer, GroupedAnswer
from holdfast.query.form import Given, Grouped
from holdfast.query.question import Question, question_of
from holdfast.query.wire import form_text
from holdfast.session.reply import Replies

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
            over, under = (replies.scalar(part) for part in _parts(question))
            return ConditionalAnswer.of(question.text, over=over, under=under, bounds=given.of.span)
        case Grouped() as grouped:
            drawn = replies.histogram(question)
            return GroupedAnswer.of(question.text, drawn=drawn, bounds=grouped.bounds)
        case _:
            return replies.any(question)


def conditional_in(answers: list[Answer], question: Question) -> ConditionalAnswer:
    """The quotient of two answers that were given one by one."""
    if not isinstance(question.form, Given):
        raise InvalidInput(
            argument="question", accepted="one with 'given'", given=question.text[:80]
        )
    over, under = answers
    return ConditionalAnswer.of(question.text, over=over, under=under, bounds=question.form.of.span)
