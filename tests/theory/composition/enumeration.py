"""Optimal composition by brute force: every outcome of every coin, at 50 digits."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from mpmath import exp, expm1, mpf, mpmathify, workdps

from peekproof.core.charge import ApproxDP


def exact_delta(losses: Sequence[ApproxDP], epsilon: Fraction) -> mpf:
    """δ of the worst mechanisms: each fails openly, or tells the truth or a lie.

    An outcome without failures weighs P − e^ε·Q = P·(1 − e^{ε − loss}), where ε − loss is exact.
    """
    with workdps(50):
        coins = []
        for loss in losses:
            eps, works = mpmathify(loss.epsilon), 1 - mpmathify(loss.delta)
            truth = (works / (1 + exp(-eps)), loss.epsilon)
            lie = (works / (1 + exp(eps)), -loss.epsilon)
            coins.append((truth, lie))
        total = mpmathify(1 - _all_work(losses))
        for outcome in product(*coins):
            beyond = epsilon - sum((amount for _, amount in outcome), Fraction(0))
            if beyond < 0:
                here = mpf(1)
                for probability, _ in outcome:
                    here *= probability
                total -= here * expm1(mpmathify(beyond))
        return total


def _all_work(losses: Sequence[ApproxDP]) -> Fraction:
    alive = Fraction(1)
    for loss in losses:
        alive *= 1 - loss.delta
    return alive
