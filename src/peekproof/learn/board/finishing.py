"""Answers of a batch that was paid for and never told, because a process ended in between."""

from collections.abc import Sequence

from peekproof.core.charge import FREE
from peekproof.learn.held import HeldRows
from peekproof.ledger.ledger import Reservation
from peekproof.noise.entropy import SystemEntropy
from peekproof.query.question import Question
from peekproof.session.drawing import released
from peekproof.session.reading import read
from peekproof.session.request import question_request
from peekproof.session.session import Session


def finish(session: Session, held: HeldRows, questions: Sequence[Question]) -> None:
    """Settle what a dead process had reserved for exactly these questions, if it had.

    The one round of a final is spent with its reservation. Its answers are exact means of all
    rows for questions that were fixed before: read again they are the same, and nobody has seen
    them, so telling them now tells what would have been told. The caller makes sure that no other
    process is at work.
    """
    by_digest = {each.digest: each for each in questions}
    session.ledger.spent()
    for sequence, paid in list(session.ledger.seen.pending.items()):
        if set(paid) != set(by_digest):
            continue
        digests = tuple(paid)
        offers = tuple(paid[each].offer for each in digests)
        reserved = Reservation(sequence, digests, offers, 0, FREE)
        requests = [question_request(session.plan, by_digest[each]) for each in digests]
        exact = read(held, session.plan, requests, reserved)
        values = released(session.plan, offers, exact, rng=SystemEntropy())
        session.ledger.settle(reserved, dict(zip(digests, values, strict=True)))
