"""From exact values to what may leave: each by the mechanism that was paid for."""

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from peekproof.core.charge import Offer
from peekproof.core.secret import Exact
from peekproof.data.source import Total
from peekproof.ledger.record import Value
from peekproof.mechanisms.checking import Checked, Failed, GuessAndCheck, Selection
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.gaussian import GaussianVector
from peekproof.noise.entropy import Entropy
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import Drawing, mechanism_under


def released(
    plan: Plan, offers: Sequence[Offer], exact: Sequence[Total], *, rng: Entropy
) -> list[Value]:
    """The released values of exact ones, drawn under these offers."""
    values: list[Value] = []
    terms: object = None
    for offer, total in zip(offers, exact, strict=True):
        if offer.terms is not terms:  # the questions of a batch mostly share theirs
            mechanism, terms = mechanism_under(plan, offer.terms), offer.terms
        values.append(_released(mechanism, total, rng))
    return values


def _released(mechanism: Drawing, total: Total, rng: Entropy) -> Value:
    if isinstance(mechanism, GaussianVector):
        return mechanism.release(cast(Exact[tuple[int, ...]], total), rng=rng)
    if isinstance(mechanism, Exponential | Quantile):
        return Fraction(mechanism.release(cast(Exact[tuple[int, ...]], total), rng=rng))
    if isinstance(mechanism, Selection):
        chosen = mechanism.release(cast(Exact[tuple[int, ...]], total), rng=rng)
        return Fraction(chosen.index), mechanism.midpoint(chosen.bin)
    if isinstance(mechanism, GuessAndCheck):
        return _checked(mechanism, mechanism.release(cast(Exact[int], total), rng=rng))
    return mechanism.release(cast(Exact[int], total), rng=rng)


def _checked(check: GuessAndCheck, outcome: Checked) -> Value:
    """The answer, and 1 if the guess failed."""
    if isinstance(outcome, Failed):
        return Fraction(2 * outcome.bin + 1, 2 * check.bins), Fraction(1)
    return check.guess, Fraction(0)
