"""Noise calibration: the smallest noise, or the most answers, that keep a privacy target.

Both are found for Gaussian and Laplace noise, and the smallest discrete Gaussian noise by zCDP.
What a search returns was tested first. `best_slack` finds the best δ′ for advanced composition of
Gaussian answers, and `step_for` how fine a grid a numerical composition needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, isqrt, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, largest, up
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.conversion import (
    CLOSE,
    NEXT,
    delta_above,
    failure,
    float_above,
    gdp_to_approx_at,
    mu_near,
    zcdp_to_approx_at,
)
from peekproof.theory.optimal_composition import optimal_at

# Relative precision of the noise scale: far below what any release could show.
_PRECISION = Fraction(1, 2**40)
_MOST_ANSWERS = 10**18
_LEAST = Fraction(1, 10**100)
_WIDEST = 300


def gaussian_sigma(target: ApproxDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Gaussian noise, to 1 in 2³³, with which `count` answers meet the target.

    By T-gdp-dp, exact for the Gaussian mechanism: σ = √k·Δ/μ for the largest μ whose δ(ε) is at
    most δ. The μ used was tested, so an imperfect search costs noise and never the promise.
    """
    check.positive_fraction(sensitivity=sensitivity)
    check.positive_integer(count=count)
    square = _quick(target) or largest_amount(lambda square: _meets(GDP(square), target))
    return root_up(count * sensitivity**2 / square)


def _quick(target: ApproxDP) -> Fraction | None:
    """A μ² that was tested, with one a little larger that fails the test; or None."""
    if not (_LEAST <= target.delta < 1 and _LEAST <= target.epsilon <= 700):
        return None
    epsilon, delta = float_down(target.epsilon), float_down(target.delta)
    near = mu_near(epsilon, delta)
    if delta_above((near * (1 + NEXT)) ** 2, epsilon) <= delta:
        return None
    tried = ((near * (1 - close)) ** 2 for close in CLOSE)
    return next((Fraction(x) for x in tried if delta_above(x, epsilon) <= delta), None)


def most_answers(target: ApproxDP, *, each: GDP) -> int:
    """How many answers of loss `each` meet the target together; 0 if not even one."""
    check.positive_fraction(mu_squared=each.mu_squared)
    return most_that_fit(lambda count: _meets(each * count, target), most=_MOST_ANSWERS)


def most_that_fit(fits: Callable[[int], bool], *, most: int) -> int:
    """The largest count that fits; refused if even `most` does, for the search ends there."""
    count = largest(fits, most=most)
    if count == most:
        raise InvalidInput(
            argument="each",
            accepted=f"a loss of which fewer than {most:,} fit",
            given="one of which more do",
        )
    return count


def _meets(loss: GDP, target: ApproxDP) -> bool:
    return gdp_to_approx_at(loss, epsilon=target.epsilon).delta <= target.delta


def largest_amount(fits: Callable[[Fraction], bool]) -> Fraction:
    """A tested amount, next to the largest that fits; refused if 2^±300 does not bracket it."""
    low = Fraction(1)
    steps = 0
    while not fits(low) and steps < _WIDEST:
        low, steps = low / 2, steps + 1
    while fits(2 * low) and steps < _WIDEST:
        low, steps = 2 * low, steps + 1
    if steps == _WIDEST:
        raise InvalidInput(
            argument="target",
            accepted="an ε and δ that some noise meets and not every noise",
            given=f"one that noise between 2^-{_WIDEST // 2} and 2^{_WIDEST // 2} does not bracket",
        )
    high = 2 * low
    while high - low > _PRECISION * low:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def root_up(square: Fraction) -> Fraction:
    """A rational above the root of `square`, by less than 1 in 2⁶⁰."""
    size = square.numerator.bit_length() - square.denominator.bit_length()
    bits = 2 * max(0, 64 - size // 2)  # then the root has at least 63 bits
    scaled = -(-(square.numerator << bits) // square.denominator)
    root = isqrt(scaled)
    root += root * root < scaled
    return Fraction(root + 1, 1 << (bits // 2))


_SCALE_PRECISION = Fraction(1, 2**30)


def laplace_scale(target: PureDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest Laplace scale with which `count` answers are together ε-private: kΔ/ε, exact."""
    check.positive_fraction(epsilon=target.epsilon)
    check.positive_fraction(sensitivity=sensitivity)
    return check.positive_integer(count=count) * sensitivity / target.epsilon


def laplace_scale_within(target: ApproxDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """A Laplace scale with which `count` answers meet (ε, δ), least to 1 in 2³⁰ by T-optimal.

    Between Δ/ε, below which not even one answer fits by more than δ buys, and kΔ/ε, which needs
    no δ. The scale returned was tested.
    """
    failure(delta=target.delta)
    high = laplace_scale(PureDP(target.epsilon), sensitivity=sensitivity, count=count)

    def meets(scale: Fraction) -> bool:
        each = ApproxDP(epsilon=sensitivity / scale, delta=Fraction(0))
        return optimal_at(each, count=count, epsilon=target.epsilon).delta <= target.delta

    low = high / 2
    while meets(low):
        low, high = low / 2, low
    while high - low > _SCALE_PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def most_laplace_answers(target: ApproxDP, *, each: PureDP) -> int:
    """How many Laplace answers of loss `each` meet the target together, by T-optimal."""
    check.positive_fraction(epsilon=each.epsilon)
    failure(delta=target.delta)
    one = ApproxDP(epsilon=each.epsilon, delta=Fraction(0))
    return most_that_fit(
        lambda count: optimal_at(one, count=count, epsilon=target.epsilon).delta <= target.delta,
        most=10**9,
    )


def zcdp_within(target: ApproxDP) -> ZCDP:
    """The largest ρ, to 1 in 2⁴⁰, that meets (ε, δ) by T-zcdp-dp-at."""
    check.positive_fraction(epsilon=target.epsilon)
    failure(delta=target.delta)

    def fits(rho: Fraction) -> bool:
        return zcdp_to_approx_at(ZCDP(rho), epsilon=target.epsilon).delta <= target.delta

    return ZCDP(largest_amount(fits))


def discrete_gaussian_sigma(target: ZCDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest discrete Gaussian noise with which `count` answers are ρ-zCDP: √(kΔ²/2ρ)."""
    check.positive_fraction(rho=target.rho)
    check.positive_fraction(sensitivity=sensitivity)
    return root_up(check.positive_integer(count=count) * sensitivity**2 / (2 * target.rho))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SlackChoice:
    """How to spend δ: δ′ = `slack` on composing, the rest in equal parts on the answers."""

    slack: Fraction
    each: ApproxDP
    sigma: Fraction


def best_slack(target: ApproxDP, *, sensitivity: Fraction, count: int) -> SlackChoice:
    """The δ′ with which `count` Gaussian answers need the least noise by T-advanced-sharp.

    For Laplace answers there is nothing to choose: they fail with no δ of their own, and the best
    δ′ is all of it. The exact composition (`gaussian_sigma`) needs less noise than any δ′.
    """
    failure(delta=target.delta)
    check.positive_integer(count=count)
    if count == 1:
        sigma = gaussian_sigma(target, sensitivity=sensitivity)
        return SlackChoice(slack=Fraction(0), each=target, sigma=sigma)

    def choice(part: float) -> SlackChoice:
        slack = target.delta * Fraction(part)
        each = _each(target, slack, count)
        return SlackChoice(
            slack=slack, each=each, sigma=gaussian_sigma(each, sensitivity=sensitivity)
        )

    # σ is unimodal in the logarithm of the odds of δ′ in δ.
    low, high = -12.0, 12.0
    while high - low > 1e-2:
        third = (high - low) / 3
        left, right = choice(_part(low + third)), choice(_part(high - third))
        low, high = (low, high - third) if left.sigma < right.sigma else (low + third, high)
    return choice(_part((low + high) / 2))


def _part(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def _each(target: ApproxDP, slack: Fraction, count: int) -> ApproxDP:
    """The largest equal parameters that compose within the target."""
    delta = (target.delta - slack) / count

    def fits(epsilon: Fraction) -> bool:
        one = ApproxDP(epsilon=epsilon, delta=delta)
        return advanced_sharp(one, count=count, slack=slack).epsilon <= target.epsilon

    return ApproxDP(epsilon=largest_amount(fits), delta=delta)


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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VectorAccuracy:
    """The root mean square of ‖answer − mean‖₂ for the mean of n records in [0, 1]^K."""

    dimensions: int
    laplace: float
    gaussian: float


def vector_accuracy(*, rows: int, dimensions: int, target: ApproxDP) -> VectorAccuracy:
    """Laplace noise, ε-private, beside Gaussian noise, (ε, δ)-private, in R^K.

        Laplace:  √2·K^{3/2}/(nε)      (L1 sensitivity K/n, scale K/(nε) in each coordinate)
        Gaussian: K/(nμ)               (L2 sensitivity √K/n, σ = √K/(nμ), μ = μ(ε, δ))

    Rounds: up.
    """
    n, size = check.positive_integer(rows=rows), check.positive_integer(dimensions=dimensions)
    scale = laplace_scale(PureDP(target.epsilon), sensitivity=Fraction(size, n))
    sigma = gaussian_sigma(target, sensitivity=Fraction(1, n), count=size)
    return VectorAccuracy(
        dimensions=size,
        laplace=up(sqrt(2 * size) * float(scale)),
        gaussian=up(sqrt(size) * float(sigma)),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseForMany:
    """The noise that each of `count` answers of sensitivity 1 needs, as a standard deviation."""

    count: int
    basic: float
    advanced: float
    optimal: float
    gaussian: float


def noise_for_many(*, count: int, target: ApproxDP) -> NoiseForMany:
    """Laplace noise by three composition theorems, and Gaussian noise by its exact one.

    Basic composition needs the scale k/ε, the others about √(2k ln(1/δ))/ε.
    """
    one = Fraction(1)
    scale = laplace_scale(PureDP(target.epsilon), sensitivity=one, count=count)

    def fits(epsilon: Fraction) -> bool:
        each = ApproxDP(epsilon=epsilon, delta=Fraction(0))
        return advanced_sharp(each, count=count, slack=target.delta).epsilon <= target.epsilon

    def deviation(of_scale: Fraction) -> float:
        return up(sqrt(2) * float(of_scale))

    return NoiseForMany(
        count=count,
        basic=deviation(scale),
        advanced=deviation(min(scale, 1 / largest_amount(fits))),
        optimal=deviation(laplace_scale_within(target, sensitivity=one, count=count)),
        gaussian=up(float(gaussian_sigma(target, sensitivity=one, count=count))),
    )
