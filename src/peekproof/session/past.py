"""The public past of a conversation, as its ledger records it, and what guessers learn from it."""

import threading
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import final

from peekproof.core.charge import amount_of
from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.guess.guesser import Guesser
from peekproof.ledger.answers import answers_after
from peekproof.ledger.record import Settled
from peekproof.ledger.state import State
from peekproof.mechanisms.base import Draw, Past, recorded_draw
from peekproof.mechanisms.plan import Plan
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.session.records import drawn, numbers


@final
class Pasts:
    """Folds answers into a `Past`, and teaches corrections to the guesser, in the ledger's order.

    Only what is new since the last look is read, whoever wrote it. What was paid for and never
    answered counts as told: nobody may have seen it, and nobody can be sure. So does what is on
    its way to the disk. Threads take turns.
    """

    def __init__(
        self, plan: Plan, *, schema: Schema | None = None, guesser: Guesser | None = None
    ) -> None:
        self._plan = plan
        self._schema = schema or Schema({})
        self._guesser = guesser
        self._turn, self._lesson = threading.RLock(), threading.RLock()
        self._read = 0
        self._told = Past(target=plan.target)

    def look(self, state: State) -> Past:
        """All of it, up to the last entry of the ledger."""
        # Copies, for another thread may add to the ledger meanwhile; what is on its way comes
        # first, so that what is written in between counts twice and not never. Old answers lie
        # in the store: its lock comes before ours, for whoever is being charged looks with it.
        rows = self._plan.rows
        staged = tuple(state.staged.values())
        waiting = [paid for each in tuple(state.unanswered.values()) for paid in each.values()]
        draws, spent = state.draws, amount_of(state.spent)
        pending = tuple(recorded_draw(each.offer.terms, rows=rows) for each in waiting)
        past = self._told
        if self._plan.mechanism.remembers:
            start = self._read
            answers = answers_after(state.answers, start)
            with self._turn:
                self._take_in(answers[self._read - start :])
                past = self._told
            for each in staged:
                past = past.told(drawn(each, rows=rows).told(numbers(each.value)))
        for draw in pending:
            past = past.told(draw.told(None))
        return replace(past, spent=spent, draws=draws, pending=pending)

    def guess(self, asked: Question) -> Fraction | None:
        """What the guesser says, if there is one; it is never asked and taught at once."""
        with self._lesson:
            return None if self._guesser is None else self._guesser.guess(asked)

    def _take_in(self, answers: tuple[Settled, ...]) -> None:
        for settled in answers:
            self._read += 1
            draw = self._count(settled)
            within = draw.within(self._plan.mechanism, numbers(settled.value))
            if within is not None and self._guesser is not None:
                self._teach(settled, draw, within)

    def _count(self, settled: Settled) -> Draw:
        draw = drawn(settled, rows=self._plan.rows)
        self._told = self._told.told(draw.told(numbers(settled.value)))
        return draw

    def _teach(self, settled: Settled, draw: Draw, within: Fraction) -> None:
        # A guesser need not know all columns, and an earlier version may have read questions
        # that this one refuses; what it cannot use it does not learn.
        with self._lesson, suppress(InvalidInput, QuestionError, ValueError):
            (answer,) = draw.shares(numbers(settled.value))
            question = parse_question(settled.text, self._schema)
            if self._guesser is not None:
                self._guesser.learn(question, answer, within=within)
