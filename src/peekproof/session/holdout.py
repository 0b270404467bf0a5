"""The rounds of a reusable holdout, as one session holds them."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast, final

from peekproof.core.charge import Offer, amount_of
from peekproof.core.errors import EvaluationFailed, InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.source import Total
from peekproof.ledger.record import Value
from peekproof.ledger.state import State
from peekproof.mechanisms.thresholdout import (
    Corrected,
    Thresholdout,
    ThresholdoutRun,
    held_offer,
    rounds_paid,
    within_round,
)
from peekproof.noise.entropy import Entropy
from peekproof.planner.plan import Plan
from peekproof.query.form import Mean, Share


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeldGuess:
    """A guessed share on its way to a reusable holdout."""

    share: Fraction

    @classmethod
    def about(cls, form: Share | Mean, *, share: Fraction, tolerance: float | None) -> "HeldGuess":
        """The guess, if a holdout can take it."""
        if isinstance(form, Mean):
            raise InvalidInput(
                argument="question",
                accepted="a share, in a session by Thresholdout",
                given="a mean",
                hint="mechanisms=[peekproof.Checking] checks guesses about means",
            )
        if tolerance is not None:
            raise InvalidInput(
                argument="tolerance",
                accepted="left out: a session by Thresholdout has one threshold for all guesses",
                given=repr(tolerance),
            )
        return cls(share=share)

    def offer(self, plan: Plan, *, levels: int) -> Offer:  # noqa: ARG002 of shares there are none
        """What it pays if it opens a round; `Holdout.offers` knows better."""
        if not isinstance(plan.mechanism, Thresholdout):
            raise TypeError("another promise has no rounds")
        return held_offer(plan.mechanism, guess=self.share, number=0)


@final
class Holdout:
    """The round that one session object has opened: it alone knows the noisy threshold.

    A round costs ε/B, paid by its first question; the others cost nothing, up to the first
    correction. A session without an open round opens one, also after a restart, for noise is never
    written down: what a restart loses is one of B rounds, and nothing else.

    Only the round opened last goes on. Rounds of several sessions then never overlap, and the
    ledger is a run of `Thresholdout` in which some rounds were left before they corrected anything.
    Proof. Under the ledger's write lock each question names the round that compares it, and from
    then on it is fixed. So when a round opens, all questions of earlier ones are fixed by what
    was released, and none is added later. That some are still being compared changes only when
    their outcomes are told, not their law, for each round has noise of its own; in the order of
    the ledger the rounds are mechanisms of ε/B one after the other, chosen adaptively, and pure
    losses add (T-filter-pure). There are at most B, with k comparisons in all, drawn twice or never
    settled among them; T-thresholdout takes any choice of rounds that the transcript decides.

    A question that was paid for and never settled may have ended its round, so it does.
    Threads take turns: a round waits for one outcome before the next comparison. Forks are refused
    by the ledger, and runs cannot be copied.
    """

    __slots__ = ("_mechanism", "_number", "_rng", "_run", "turn")

    def __init__(self, mechanism: Thresholdout, *, rng: Entropy) -> None:
        self._mechanism, self._rng = mechanism, rng
        self._run: ThresholdoutRun | None = None
        self._number = -1
        self.turn = threading.RLock()

    def open(self, state: State) -> bool:
        """Whether this session has the round that was opened last, and may go on with it."""
        paid = rounds_paid(self._mechanism, state.spent)
        return (
            self._run is not None
            and self._number == paid - 1
            and not any(
                each.offer.terms.get("round") == str(self._number)
                for questions in tuple(state.pending.values())
                for each in questions.values()
            )
        )

    def offers(self, made: Sequence[Offer], state: State) -> list[Offer]:
        """What one question pays now; asked under the ledger's lock, when nobody can add to it."""
        (opening,) = made
        if self.open(state):
            return [within_round(opening, number=self._number)]
        guess = Fraction(opening.terms["guess"])
        return [
            held_offer(
                self._mechanism, guess=guess, number=rounds_paid(self._mechanism, state.spent)
            )
        ]

    def release(self, offers: Sequence[Offer], exact: Sequence[Total]) -> list[Value]:
        """The answer to the one question that was paid for, and 1 if it corrects the guess."""
        (offer,), (total,) = offers, exact
        number = int(offer.terms["round"])
        if amount_of(offer.cost):
            # Only now: a round that was offered and refused is not this session's.
            self._run, self._number = self._mechanism.one_round.start(rng=self._rng), number
        if self._run is None or number != self._number:
            raise EvaluationFailed()
        told = self._run.release(cast(Exact[int], total), guess=Fraction(offer.terms["guess"]))
        if isinstance(told, Corrected):
            self._run = None
            return [(told.share, Fraction(1))]
        return [(told.share, Fraction(0))]
