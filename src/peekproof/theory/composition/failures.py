"""The δ_i of mechanisms that each fail on their own coin: the exact part of optimal composition."""

from collections.abc import Iterable
from fractions import Fraction
from math import exp, expm1, fsum, inf

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, log_of, up
from peekproof.theory.conversion.outward import LEAST_DELTA, float_above


def log_survival(deltas: Iterable[tuple[Fraction, int]]) -> float:
    """ln Π (1 − δ_i)^{k_i}, or −∞ if some δ_i is 1."""
    return fsum(_log_survival(delta, count) for delta, count in deltas if delta)


def _log_survival(delta: Fraction, count: int) -> float:
    if delta == 1:
        return -inf
    if delta < LEAST_DELTA:  # floats lose its digits; −ln(1 − δ) is δ to 300 of them
        return -float_up(min(Fraction(10**300), max(count * delta, LEAST_DELTA)))
    return float_above(count=Fraction(count)) * log_of(1 - delta)


def left_over(delta: Fraction, *, survival: float) -> float:
    """What failures leave of δ: the largest h with 1 − (1 − h)·e^survival ≤ δ, rounded down."""
    if not survival:
        return float_down(delta)
    spent = up(-expm1(survival))
    if (rest := down(float_down(delta) - spent)) <= 0:
        accepted = f"above {spent:g}, the chance that some mechanism fails"
        raise InvalidInput(argument="delta", accepted=accepted, given=f"{float(delta):g}")
    return down(rest / up(exp(survival)))


def joined(delta: float, *, survival: float) -> Fraction:
    """1 − (1 − delta)·e^survival: failures and the rest together, rounded up."""
    if not survival:
        return Fraction(delta)
    return Fraction(min(1.0, up(-expm1(survival) + exp(survival) * delta)))
