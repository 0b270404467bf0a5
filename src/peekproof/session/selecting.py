"""A choice of the best on its way to being made where guesses are checked, and what it told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.charge import Offer
from peekproof.mechanisms.checking import Checking, Selection, described_selection, selection_offer
from peekproof.planner.plan import Plan
from peekproof.theory.generalization.checking import Transcript


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Selecting:
    """How many candidates there are, and the past after which one of them is chosen."""

    candidates: int
    past: Callable[[], Transcript]  # asked under the ledger's lock, when nobody else can add to it

    def offer(self, plan: Plan, *, levels: int) -> Offer:
        past, promised = self.past(), plan.mechanism
        if not isinstance(promised, Checking):
            raise TypeError("no session that checks guesses")
        if past.questions >= plan.target.questions:  # beyond the horizon; the ledger refuses it
            return Offer(cost=promised.cost())
        return selection_offer(
            promised, candidates=self.candidates, past=past, target=plan.target, levels=levels
        )


def selected(terms: Mapping[str, str]) -> bool:
    """Whether an answer under these terms is the best of many, told with its share."""
    return terms.get("kind") == Selection.KIND


def selected_share(terms: Mapping[str, str], value: object, *, rows: int) -> tuple[int, Fraction]:
    """The place of what was chosen, and its share, or ValueError if no choice says that."""
    chose = described_selection(terms, rows=rows)
    match value:
        case (Fraction() as place, Fraction() as share):
            held = share * chose.bins - Fraction(1, 2)
            if all(each.denominator == 1 for each in (place, held)) and (
                0 <= place < chose.candidates and 0 <= held < chose.bins
            ):
                return int(place), share
    raise ValueError("no choice says that")
