"""Questions of a session that checks guesses: one by one, for a failed guess teaches the next."""

from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.data.statistic import PairStatistic
from peekproof.guess.guesser import Guesser
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.checking import Checking, GuessAndCheck
from peekproof.mechanisms.thresholdout import Thresholdout, told_within
from peekproof.planner.own import Price
from peekproof.planner.plan import Guessed, Plan
from peekproof.query.form import Mean, Share
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.flow import Flow
from peekproof.session.guess import Guess
from peekproof.session.pairing import pairs_request
from peekproof.session.past import Past
from peekproof.session.request import Request, guess_request
from peekproof.theory.generalization.checking import Transcript


def past_of(plan: Plan, *, schema: Schema, guesser: Guesser | None) -> Past:
    """What is to be learned from the answers of a plan."""
    holdout = plan.mechanism
    noise = told_within(holdout) if isinstance(holdout, Thresholdout) else Fraction(0)
    return Past(schema=schema, guesser=guesser, noise=noise)


@final
class Guessing:
    """Where guesses come from and what became of them."""

    def __init__(
        self, *, plan: Plan, ledger: Ledger, flow: Flow, past: Past, guesser: Guesser | None
    ) -> None:
        self._plan = plan
        self._ledger = ledger
        self._flow = flow
        self._past = past
        self._guesser = guesser

    def through(self, flow: Flow) -> "Guessing":
        """The same, for whoever this flow is for."""
        other = copy(self)
        other._flow = flow
        return other

    def check(
        self,
        asked: Question | PairStatistic,
        *,
        radius: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
    ) -> Answer:
        """The answer to a checked guess, or what was answered before."""
        self._ledger.spent()  # others may have answered, and taught
        plain = isinstance(asked, PairStatistic) or isinstance(asked.form, Share | Mean)
        if plain and asked.digest in self._ledger.seen.answers:
            return self._flow.replies([]).scalar(asked)
        with self._flow.turn:
            request = self._request(
                asked, radius, guess=guess, tolerance=tolerance, trained_on=trained_on
            )
            return self._flow.replies([request]).scalar(asked)

    def check_all(self, asked: list[Question], *, radius: float | None) -> list[Answer]:
        """Each with its guesser's guess, if the new ones among them fit."""
        self._ledger.spent()
        new = {each.digest for each in asked} - self._ledger.seen.answers.keys()
        if len(new) > self._flow.left():
            raise self._flow.refusal(len(new))
        return [self.check(each, radius=radius) for each in asked]

    def price(
        self,
        asked: Question,
        *,
        radius: float | None,
        guess: float | None,
        tolerance: float | None,
        after: Price | None = None,
    ) -> Price:
        """What a check would cost: nothing, if it was answered before.

        `after` is the price of another that comes first, and that may fail: what is checked after
        a failure reaches further, so the price is that.
        """
        self._ledger.spent()
        if known := self._flow.known_price(asked):
            return known
        request = self._request(asked, radius, guess=guess, tolerance=tolerance)
        worse = self._after_failure(after)
        if worse is not None and isinstance(request.guess, Guess):
            request = replace(request, guess=replace(request.guess, past=lambda: worse))
        return self._flow.checked_price(request)

    def _after_failure(self, first: Price | None) -> Transcript | None:
        """The past after the failure of a guess with this price, if later widths depend on it."""
        if first is None or first.known or not isinstance(first.mechanism, GuessAndCheck):
            return None
        past = self.transcript()
        # Beyond the horizon nothing is answered; with a limit, all guesses have one tolerance.
        last = past.questions + 1 >= self._plan.target.questions
        if last or not isinstance(self._plan.mechanism, Checking):
            return None
        return past.failed(bins=first.mechanism.bins)

    def _request(
        self,
        asked: Question | PairStatistic,
        radius: float | None,
        *,
        guess: float | None,
        tolerance: float | None,
        trained_on: int | None = None,
    ) -> Request:
        if radius is not None:
            accepted = "left out where guesses are checked"
            raise InvalidInput(argument="radius", accepted=accepted, given=repr(radius))
        if isinstance(asked, PairStatistic):
            return pairs_request(
                self._plan,
                asked,
                guess=guess,
                tolerance=tolerance,
                past=self.transcript,
                trained_on=trained_on,
            )
        self.transcript()  # so that the guesser knows all that was released
        share = None
        plain = isinstance(asked.form, Share | Mean)
        if plain and guess is None and self._guesser is not None:
            share = self._past.guess(asked)
        return guess_request(
            self._plan,
            asked,
            guess=guess,
            share=share,
            tolerance=tolerance,
            past=self.transcript,
            trained_on=trained_on,
        )

    def transcript(self) -> Transcript:
        """What was asked so far, and how many guesses failed, as of the last look."""
        if not isinstance(self._plan.mechanism, Guessed):
            return Transcript(questions=self._ledger.seen.draws)
        return self._past.look(self._ledger.seen)
