"""How fine a grid a composition needs."""

from collections.abc import Mapping
from fractions import Fraction
from math import exp, sqrt

from peekproof.core.charge import GDP
from peekproof.theory.conversion import float_above

# A split between grid lines adds to the variance of the loss; ε grows by half of that part.
_ADDED = 2e-4
_MOST_DIFFERENT = 2000
_BITS = 12
_FINEST = Fraction(1, 10**100)
_FINENESS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def step_for(
    *, responses: Mapping[Fraction, int], laplaces: Mapping[Fraction, int], gaussian: GDP
) -> Fraction:
    """The coarsest step with which a grid adds no more than about 0.1 % to ε, mostly a tenth of it.

    Only tightness depends on it: a bad choice is never a wrong bound.
    """
    sizes = {*responses, *laplaces}
    others, noises = _floats(responses), _floats(laplaces)
    squares = float_above(mu_squared=gaussian.mu_squared)
    squares += sum(epsilon**2 * count for epsilon, count in (*others, *noises))
    count = sum(responses.values()) + sum(laplaces.values()) + bool(gaussian.mu_squared)
    if not squares:
        return Fraction(1)
    # One parameter: its fractions are grid lines. Several: their root mean square is a good size.
    alone = len(sizes) == 1 and not gaussian.mu_squared
    typical = max(sizes.pop(), _FINEST) if alone else Fraction(sqrt(squares / count))
    for fineness in _FINENESS:
        step = typical / fineness
        if _added(others, noises, gaussian, float(step)) <= _ADDED * squares:
            return step
    return step


def _floats(losses: Mapping[Fraction, int]) -> list[tuple[float, float]]:
    return [
        (float_above(epsilon=epsilon), float_above(count=Fraction(count)))
        for epsilon, count in losses.items()
    ]


def _added(
    responses: list[tuple[float, float]],
    laplaces: list[tuple[float, float]],
    gaussian: GDP,
    step: float,
) -> float:
    """What splitting adds to the variance of the total loss, roughly."""
    total = step**2 / 6 if gaussian.mu_squared else 0.0
    for epsilon, count in responses:
        total += count * _of_an_atom(epsilon, step)
    for epsilon, count in laplaces:
        atoms = (1 + exp(-epsilon)) / 2
        total += count * (atoms * _of_an_atom(epsilon, step) + (1 - atoms) * step**2 / 6)
    return total


def _of_an_atom(loss: float, step: float) -> float:
    part = loss / step % 1
    return part * (1 - part) * step**2


def few(losses: Mapping[Fraction, int]) -> dict[Fraction, int]:
    """The same losses, or at most 0.05 % larger ones, so that not too many are different."""
    if len(losses) <= _MOST_DIFFERENT:
        return dict(losses)
    grouped: dict[Fraction, int] = {}
    for epsilon, count in losses.items():
        if not epsilon:
            continue
        octave = epsilon.numerator.bit_length() - epsilon.denominator.bit_length()
        unit = Fraction(2) ** (octave - _BITS)
        rounded = -(-epsilon // unit) * unit
        grouped[rounded] = grouped.get(rounded, 0) + count
    return grouped
