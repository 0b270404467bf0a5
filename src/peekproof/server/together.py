"""Questions of one analyst that came at the same time, as one batch of their session.

Each gets what it would have got alone. A batch is charged or refused as a whole, so it is made
only where that cannot matter: of plain shares and means, whose price does not depend on who else
asks, and of no more than the budget is sure to have room for. If it is refused all the same,
for other workers charge too, its questions are asked one by one.
"""

from collections.abc import Sequence

from peekproof.core.errors import InvalidInput, PeekproofError, Refusal
from peekproof.query.form import Mean, Share
from peekproof.query.question import Question, parse_question
from peekproof.server.call import Call
from peekproof.server.replies import Reply, Replying
from peekproof.server.served import Served
from peekproof.session.quotients import AnyAnswer
from peekproof.session.session import Session

_LONGEST = 500  # characters; who writes more may take longer than others should wait
_ROOM = 8  # times its size must be left, for other workers have batches too

Outcome = Reply | Question


def may_gather(call: Call) -> bool:
    """Whether the question may go with others."""
    message = call.message
    own = (message.radius, message.loss, message.guess, message.tolerance, message.trained_on)
    text = message.question
    short = isinstance(text, str) and len(text) <= _LONGEST
    return short and call.dataset.gathers and all(each is None for each in own)


def asked_together(calls: Sequence[Call]) -> list[Outcome | Exception]:
    """The reply to each, or its error; or the question itself, if it is to be asked apart."""
    session, served = calls[0].session, calls[0].dataset
    outcomes: list[Outcome | Exception] = [_read(call, session) for call in calls]
    plain = [
        (index, each)
        for index, each in enumerate(outcomes)
        if isinstance(each, Question) and isinstance(each.form, Share | Mean)
    ]
    answers = _answers(served, session, [question for _, question in plain])
    replying = Replying(session.ledger)
    for (index, question), found in zip(plain, answers, strict=True):
        if isinstance(found, Exception):
            outcomes[index] = found
        else:
            new = 0 if found.replayed else 1
            calls[index].noted.update(digests=[question.digest], new=new)
            outcomes[index] = replying.answer(question, found)
    return outcomes


def _read(call: Call, session: Session) -> Question | Exception:
    try:
        return parse_question(call.message.question, session.schema)
    except Exception as error:
        return error


def _answers(
    served: Served, session: Session, asked: list[Question]
) -> list[AnyAnswer | Exception]:
    found: list[AnyAnswer | Exception] = []
    while rest := asked[len(found) :]:
        size = 1
        if len(rest) > 1:
            size = max(1, min(len(rest), session.remaining // _ROOM))
        found += _batch(served, session, rest[:size])
    return found


def _batch(served: Served, session: Session, asked: list[Question]) -> list[AnyAnswer | Exception]:
    try:
        with served.flight.of(each.digest for each in asked):
            return list(session.respond(asked))
    except (Refusal, InvalidInput) as error:
        if len(asked) == 1:
            return [error]
        return [found for each in asked for found in _batch(served, session, [each])]
    except PeekproofError as error:  # of the ledger, the data or the engine, and the same for all
        return [type(error)(**error.fields()) for _ in asked]
    except Exception as error:
        return [error for _ in asked]
