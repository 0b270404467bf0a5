"""Guesses checked on some rows, noise on others, and each question where it is answered best."""

from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_down
from peekproof.data.statistic import exact_number
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.planner.plan import Checks, Guessed
from peekproof.query.question import parse_question
from peekproof.session.session import Session


@final
class Switching:
    """Checks guesses as long as that is narrower than noise, and switches when failures pile up.

    `checks` is a session that checks guesses and `noise` any other, about the same population and
    on disjoint rows of it: halves of a shuffled table, for example. All answers of both hold
    together at `confidence`, their failure probabilities added.

    Proof. Fix the rows and the noise of one session. Then its answers are no more than the coins of
    the analyst who questions the other, on rows that are independent of them, so what the other
    promises holds. It holds for every value that was fixed, so it holds; then the union bound.
    Where a question goes is decided by what was released before.
    """

    def __init__(self, *, checks: Session, noise: Session) -> None:
        if not isinstance(checks.plan.mechanism, Checks):
            raise InvalidInput(
                argument="checks",
                accepted="a session that checks guesses",
                given=repr(checks),
                hint="open its rows with mechanisms=[peekproof.Checking]",
            )
        if isinstance(noise.plan.mechanism, Guessed):
            raise InvalidInput(
                argument="noise", accepted="a session without guesses", given=repr(noise)
            )
        if checks.ledger.opening.fingerprint == noise.ledger.opening.fingerprint:
            raise InvalidInput(
                argument="noise",
                accepted="other rows than those that check guesses",
                given="the same rows",
                hint="shuffle the table, cut it in two, and open each part",
            )
        if checks.schema != noise.schema:
            raise InvalidInput(
                argument="noise",
                accepted="rows with the columns of those that check guesses",
                given=f"columns {', '.join(noise.schema.columns)}",
            )
        self.checks, self.noise = checks, noise

    def ask(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Answer:
        """A share or a mean of the population, with its interval.

        What either session has answered before is free. Else the guess is checked if passing would
        leave a shorter interval than noise, and if not, or if no more guesses fit, noise answers.
        """
        digest = parse_question(question, self.checks.schema).digest
        known = [each for each in (self.checks, self.noise) if digest in each.ledger.answers()]
        if known:
            return min((each.ask(question) for each in known), key=lambda found: found.radius)
        if self.checks_next(question, guess=guess, tolerance=tolerance):
            return self.checks.ask(question, guess=guess, tolerance=tolerance)
        return self.noise.ask(question)

    def checks_next(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> bool:
        """Whether a new question would go to the checks; nothing is spent."""
        if self.noise.remaining == 0:
            return True
        if self.checks.remaining == 0:
            return False
        drawn = self.noise.price_of(question).certificate.radius
        if tolerance is not None:
            check.positive_fraction(tolerance=exact_number(tolerance=tolerance))
        try:
            checked = self.checks.price_of(question, guess=guess, tolerance=tolerance)
        except InvalidInput as refused:
            limited = isinstance(self.checks.plan.mechanism, LimitedChecking)
            if limited or refused.argument != "tolerance":
                raise
            return False  # failures leave no room for this tolerance
        return checked.certificate.radius <= drawn

    @property
    def confidence(self) -> Fraction:
        """That all answers of both sessions hold together."""
        return 1 - self.checks.plan.target.beta - self.noise.plan.target.beta

    @property
    def failures(self) -> int:
        """How many guesses have failed."""
        return self.checks.failures

    @property
    def remaining(self) -> int:
        """How many new questions the two can still take."""
        return self.checks.remaining + self.noise.remaining

    def close(self) -> None:
        """Release both ledgers."""
        self.checks.close()
        self.noise.close()

    def __enter__(self) -> "Switching":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        level = level_down(self.confidence)
        return f"<Switching at confidence {level}: {self.checks!r}, then {self.noise!r}>"
