"""The public past of a conversation of guesses, as its ledger records it."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import final

from holdfast.core.errors import InvalidInput
from holdfast.guess.guesser import Guesser
from holdfast.ledger.state import Settled, State
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.query.question import parse_question
from holdfast.query.schema import Schema
from holdfast.theory.generalization.checking import Transcript


@final
class Past:
    """Counts failed guesses and teaches them to the guesser, in the order of the ledger.

    Only what is new since the last look is read, whoever wrote it. What was paid for and never
    settled counts as failed: nobody may have seen it, and nobody can be sure. So does what was
    drawn twice, for both draws are on record. Threads take turns.
    """

    def __init__(self, *, schema: Schema, guesser: Guesser | None = None) -> None:
        self._schema = schema
        self._guesser = guesser
        self._turn = threading.RLock()
        self._read = self._read_again = 0
        self._failures = 0
        self._values = 1

    def look(self, state: State) -> Transcript:
        """All of it, up to the last entry of the ledger."""
        with self._turn:
            return self._looked(state)

    def _looked(self, state: State) -> Transcript:
        # Copies, for another thread may add to the ledger meanwhile; what is pending comes
        # first, so that what is settled in between counts twice and not never.
        draws, pending = state.draws, tuple(state.pending.values())
        for settled in tuple(islice(state.answers.values(), self._read, None)):
            self._read += 1
            if bins := self._count(settled):
                self._teach(settled, bins)
        for settled in state.repeated[self._read_again :]:
            self._read_again += 1
            self._count(settled)
        failures, values = self._failures, self._values
        for questions in pending:
            for paid in questions.values():
                if paid.offer.terms.get("kind") == GuessAndCheck.KIND:
                    failures, values = failures + 1, values * int(paid.offer.terms["bins"])
        return Transcript(questions=max(draws, failures), failures=failures, values=values)

    def _count(self, settled: Settled) -> int:
        """The bins of a failed guess, which now counts; else 0."""
        if settled.terms.get("kind") != GuessAndCheck.KIND or not failed(settled.value):
            return 0
        bins = int(settled.terms["bins"])
        self._failures, self._values = self._failures + 1, self._values * bins
        return bins

    def _teach(self, settled: Settled, bins: int) -> None:
        if self._guesser is not None and isinstance(settled.value, tuple):
            question = parse_question(settled.text, self._schema)
            # A guesser need not know all columns; what it cannot use it does not learn.
            with suppress(InvalidInput):
                self._guesser.learn(question, settled.value[0], within=Fraction(1, 2 * bins))


def failed(value: object) -> bool:
    """Whether the settled value of a checked guess says that it failed."""
    return isinstance(value, tuple) and len(value) == 2 and value[1] == 1


def with_outcome(settled: Settled) -> Mapping[str, str]:
    """The terms of an answer, and if it is a checked guess whether that failed."""
    if settled.terms.get("kind") != GuessAndCheck.KIND:
        return settled.terms
    return {**settled.terms, "outcome": "failed" if failed(settled.value) else "passed"}


def possible(check: GuessAndCheck, value: object) -> bool:
    """Whether a check can have been settled with this value."""
    match value:
        case (Fraction() as answer, 0):
            return answer == check.guess
        case (Fraction() as answer, 1):
            held = answer * check.bins - Fraction(1, 2)
            return held.denominator == 1 and 0 <= held < check.bins
        case _:
            return False
