"""A ledger over time: how its budget went, and where its answers are. Read once, then followed."""

import threading
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.charge import amount_of
from peekproof.ledger.entry import Entry
from peekproof.ledger.ledger import Ledger


@final
@dataclass(frozen=True, slots=True)
class Moment:
    """After a charge: how many questions were paid for, and which part of the budget."""

    entry: int
    at: str
    draws: int
    spent_part: float


@final
@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer is: its digest, and the entry that has it."""

    digest: str
    at: str
    draws: int


@final
class Timeline:
    """Follows one ledger; threads take turns."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._turn = threading.Lock()
        self._last = 0
        self._budget = amount_of(ledger.opening.budget)
        self._draws = 0
        self._moments: list[Moment] = []
        self._places: list[Place] = []

    def moments(self, most: int) -> list[Moment]:
        """At most so many, the last among them; between two kept ones the budget only fell."""
        with self._turn:
            self._follow()
            step = max(1, -(-len(self._moments) // most))
            return self._moments[::-1][::step][::-1]

    def places(self, *, after: int, most: int) -> tuple[int, list[Place]]:
        """How many answers there are, and those after the first `after` of them."""
        with self._turn:
            self._follow()
            return len(self._places), self._places[after : after + most]

    def _follow(self) -> None:
        for entry in self._ledger.stream(after=self._last):
            self._last = entry.sequence
            if entry.kind in ("answer", "lost"):
                self._take_in(entry)

    def _take_in(self, entry: Entry) -> None:
        body = entry.body
        common = int(body.get("draws", 1))
        draws = {str(e["digest"]): int(e.get("draws", common)) for e in body["questions"]}
        if "lost" not in body:  # else it was charged before
            self._draws += sum(draws.values())
            spent = Fraction(body["spent"]) / self._budget if self._budget else Fraction(0)
            self._moments.append(Moment(entry.sequence, _at(entry), self._draws, float(spent)))
        if entry.kind == "answer":
            self._places += [Place(digest, _at(entry), each) for digest, each in draws.items()]


def _at(entry: Entry) -> str:
    return str(entry.body.get("at", ""))
