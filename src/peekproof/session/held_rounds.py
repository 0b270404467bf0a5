"""Whether a ledger's record of guesses is one of rounds that were paid for, one at a time."""

from collections.abc import Mapping
from fractions import Fraction

from peekproof.core.charge import amount_of
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.record import Paid
from peekproof.ledger.state import State
from peekproof.mechanisms.thresholdout import Thresholdout, held_possible
from peekproof.planner.plan import Plan


def check_rounds(plan: Plan, book: Ledger) -> None:
    """Refuse a record in which a guess was compared in a round that was over, or not paid for."""
    if not isinstance(plan.mechanism, Thresholdout):
        return
    try:
        _replay(plan.mechanism, book)
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        problem = f"records a round that cannot be ({error})"
        raise LedgerDamaged(ledger=book.place, problem=problem) from error


def _replay(mechanism: Thresholdout, book: Ledger) -> None:
    price, state = amount_of(mechanism.one_round.cost()), State(book.place)
    asked: dict[int, tuple[str, Mapping[str, str]]] = {}
    rounds, closed = 0, True  # closed: the round opened last takes no question now
    for entry in book.entries():
        repeated = len(state.repeated)
        state.apply(entry)
        if entry.kind == "reserve":
            ((digest, paid),) = state.pending[entry.sequence].items()
            cost = amount_of(paid.offer.cost)
            if cost == price:
                rounds += 1
            elif cost or closed:
                raise ValueError("a comparison that was not paid for")
            closed = True  # until it is settled
            asked[entry.sequence] = digest, _terms(mechanism, paid, number=rounds - 1)
        elif entry.kind == "settle":
            digest, terms = asked.pop(entry.body["reserve"])
            again = len(state.repeated) > repeated
            value = (state.repeated[-1] if again else state.answers[digest]).value
            if not held_possible(terms, value, rows=mechanism.rows):
                raise ValueError("an impossible answer")
            if terms["round"] == str(rounds - 1):
                closed = isinstance(value, tuple) and value[1] == 1


def _terms(mechanism: Thresholdout, paid: Paid, *, number: int) -> Mapping[str, str]:
    """The terms of a comparison, if they are of this round and of nothing else."""
    terms = paid.offer.terms
    guess = Fraction(terms["guess"])
    expected = {"kind": mechanism.KIND, "round": str(number), "guess": str(guess)}
    if terms != expected or mechanism.rounded(guess) != guess or paid.offer.draws != 1:
        raise ValueError("another round than the one that was open")
    return terms
