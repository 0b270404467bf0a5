"""The public past of a conversation of guesses, as its ledger records it."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.guess.guesser import Guesser
from peekproof.ledger.answers import answers_after
from peekproof.ledger.record import Paid, Settled
from peekproof.ledger.state import State
from peekproof.mechanisms.checking import GuessAndCheck, Selection, described_check
from peekproof.mechanisms.thresholdout import Thresholdout, held_possible
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.session.selecting import selected
from peekproof.theory.generalization.checking import Transcript


@final
class Past:
    """Counts failed guesses and teaches them to the guesser, in the order of the ledger.

    Only what is new since the last look is read, whoever wrote it. What was paid for and never
    settled counts as failed: nobody may have seen it, and nobody can be sure. So does what was
    drawn twice, for both draws are on record. Threads take turns. `noise` is how far a noisy
    correction errs.
    """

    def __init__(
        self,
        *,
        schema: Schema,
        guesser: Guesser | None = None,
        noise: Fraction = Fraction(0),
    ) -> None:
        self._schema = schema
        self._guesser = guesser
        self._noise = noise
        self._turn, self._lesson = threading.RLock(), threading.RLock()
        self._read = self._read_again = 0
        self._failures = 0
        self._values = 1

    def look(self, state: State) -> Transcript:
        """All of it, up to the last entry of the ledger."""
        # Copies, for another thread may add to the ledger meanwhile; what is pending comes
        # first, so that what is settled in between counts twice and not never. Old answers lie
        # in the store: its lock comes before ours, for whoever is being charged looks with it.
        draws, pending = state.draws, tuple(state.pending.values())
        start = self._read
        answers = answers_after(state.answers, start)
        with self._turn:
            self._take_in(answers[self._read - start :], state)
            return self._counted(draws, pending)

    def guess(self, asked: Question) -> Fraction | None:
        """What the guesser says, if there is one; it is never asked and taught at once."""
        with self._lesson:
            return None if self._guesser is None else self._guesser.guess(asked)

    def _take_in(self, answers: tuple[Settled, ...], state: State) -> None:
        for settled in answers:
            self._read += 1
            if bins := self._count(settled):
                held = settled.terms["kind"] == Thresholdout.KIND
                self._teach(settled, within=self._noise if held else Fraction(1, 2 * bins))
        for settled in state.repeated[self._read_again :]:
            self._read_again += 1
            self._count(settled)

    def _counted(self, draws: int, pending: tuple[Mapping[str, Paid], ...]) -> Transcript:
        failures, values = self._failures, self._values
        for questions in pending:
            for paid in questions.values():
                if bins := _bins(paid.offer.terms):
                    failures, values = failures + 1, values * bins
        return Transcript(questions=max(draws, failures), failures=failures, values=values)

    def _count(self, settled: Settled) -> int:
        """The bins of a failed guess, which now counts; else 0, also for a choice, which counts."""
        bins = _bins(settled.terms)
        chosen = selected(settled.terms)
        if not bins or not (chosen or failed(settled.value)):
            return 0
        self._failures, self._values = self._failures + 1, self._values * bins
        return 0 if chosen else bins

    def _teach(self, settled: Settled, *, within: Fraction) -> None:
        if self._guesser is not None and isinstance(settled.value, tuple):
            # A guesser need not know all columns, and an earlier version may have read questions
            # that this one refuses; what it cannot use it does not learn.
            with self._lesson, suppress(InvalidInput, QuestionError):
                question = parse_question(settled.text, self._schema)
                self._guesser.learn(question, settled.value[0], within=within)


def _bins(terms: Mapping[str, str]) -> int:
    """How many things a failure tells one of: 1 if noise hides which; 0 without a guess."""
    match terms.get("kind"):
        case GuessAndCheck.KIND:
            return int(terms["bins"])
        case Selection.KIND:
            return int(terms["candidates"]) * int(terms["bins"])
        case Thresholdout.KIND:
            return 1
        case _:
            return 0


def failed(value: object) -> bool:
    """Whether the settled value of a checked guess says that it failed."""
    return isinstance(value, tuple) and len(value) == 2 and value[1] == 1


def guessed(settled: Settled) -> bool:
    """Whether it is the answer to a guess."""
    return settled.terms.get("kind") in (GuessAndCheck.KIND, Thresholdout.KIND)


def with_outcome(settled: Settled) -> Mapping[str, str]:
    """The terms of an answer, and if it is a checked guess whether that failed."""
    if not guessed(settled):
        return settled.terms
    return {**settled.terms, "outcome": "failed" if failed(settled.value) else "passed"}


def plausible(settled: Settled, *, rows: int) -> bool:
    """Whether the answer to a guess can be one."""
    if settled.terms["kind"] == Thresholdout.KIND:
        return held_possible(settled.terms, settled.value, rows=rows)
    return possible(described_check(settled.terms, rows=rows), settled.value)


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
