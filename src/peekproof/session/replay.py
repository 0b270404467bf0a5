"""A ledger replayed from nothing: what its entries amount to, and whether all of it fits."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

from peekproof.core.errors import LedgerDamaged
from peekproof.core.numerics import level_down
from peekproof.ledger.entry import Opening, checked
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.state import State, shares_to_body
from peekproof.mechanisms.plan import recorded_plan
from peekproof.session.records import Certifier, check_record

# Replay tells how far it is after so many entries.
_STEP = 1024


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The sum of a ledger. `certificates` is how many answers the theorems certified again."""

    place: str
    opening: Opening
    state: State
    kinds: Mapping[str, int]
    certificates: int

    @property
    def entries(self) -> int:
        return sum(self.kinds.values())

    @property
    def unanswered(self) -> int:
        """How many questions were paid for and never answered."""
        return sum(len(questions) for questions in self.state.unanswered.values())

    def to_dict(self) -> dict[str, object]:
        """Everything but the place, with exact amounts as text."""
        opening, state = self.opening, self.state
        return {
            "fingerprint": opening.fingerprint,
            "data": opening.public_name,
            "rows": opening.rows,
            "confidence": level_down(opening.confidence),
            "questions": opening.questions,
            "budget": str(opening.budget.amount),
            "entries": self.entries,
            "kinds": dict(self.kinds),
            "digest": state.last.digest.hex() if state.last else "",
            "spent": str(state.spent.amount),
            "draws": state.draws,
            "answers": len(state.answers),
            "unanswered": self.unanswered,
            "analysts": {
                name: {
                    "spent": str(account.spent),
                    "draws": account.draws,
                }
                for name, account in state.accounts.by_name.items()
            },
            "shares": shares_to_body(state.accounts.shares),
            "overrides": state.overrides,
            "closed": state.closed,
            "certificates": self.certificates,
        }


def replay(ledger: Ledger, *, progress: Callable[[int, int], None] | None = None) -> Replay:
    """Fold all entries from the first, certify every answer anew, and compare with the snapshot.

    Whatever does not fit raises LedgerDamaged. `progress` is told how many entries are done.
    """
    known = ledger.look().last
    state, kinds = State(ledger.place), Counter[str]()
    for entry in checked(ledger.stream(), after=None, ledger=ledger.place):
        state.apply(entry)
        kinds[entry.kind] += 1
        if progress and known and entry.sequence % _STEP == 0:
            progress(entry.sequence, max(known.sequence, entry.sequence))
    if state.opening is None:
        raise LedgerDamaged(ledger=ledger.place, problem="has no entries")
    _compare(ledger, state)
    try:
        certificates = _certified(ledger, state, state.opening)
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        problem = f"promises what no theorem gives ({error})"
        raise LedgerDamaged(ledger=ledger.place, problem=problem) from error
    return Replay(
        place=ledger.place,
        opening=state.opening,
        state=state,
        kinds=kinds,
        certificates=certificates,
    )


def _certified(ledger: Ledger, state: State, opening: Opening) -> int:
    """How many answers are certified again: all, or it raises."""
    plan = recorded_plan(opening, ledger=ledger.place)
    check_record(plan, ledger)
    certifier = Certifier(plan, ledger=ledger.place)
    for settled in state.answers.values():
        certifier.finding(settled)
    return len(state.answers)


def _compare(ledger: Ledger, state: State) -> None:
    """Refuse a ledger that opens with another state than its entries give."""
    seen = ledger.look()
    if seen.last != state.last:
        return  # someone wrote meanwhile
    if _sums(seen) != _sums(state):
        raise LedgerDamaged(
            ledger=ledger.place, problem="opens with another state than its entries give"
        )


def _sums(state: State) -> tuple[object, ...]:
    return (
        state.spent,
        state.draws,
        len(state.answers),
        {entry: sorted(each) for entry, each in state.unanswered.items()},
        state.accounts.to_body(),
        state.overrides,
        state.closed,
        state.origin,
        state.lost,
        state.moved,
        state.arriving,
    )
