"""Conversions of privacy losses: to total variation, zCDP, Rényi DP and (ε, δ). Each is a theorem.

A conversion may lose, never gain: the result holds for every mechanism that satisfies the input.
Exact amounts become floats always on the safe side, and are refused where floats end.

Total variation is by how much the probability of any event can move. It is the δ of (ε, δ) at
ε = 0, by the definition itself, and a pure ε comes with δ = 0. Rényi losses of one or more orders,
and zCDP, give an ε for a δ or a δ for an ε. For Gaussian differential privacy both directions are
exact: plain floats find where the curve nearly meets a δ, and a bound from above tests what they
find.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import (
    cosh,
    erf,
    erfc,
    exp,
    expm1,
    fsum,
    inf,
    isfinite,
    log,
    log1p,
    log2,
    pi,
    sinh,
    sqrt,
    tanh,
)

import numpy as np

from peekproof.core import check
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN, float_down, float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.divergence import LaplacePair, as_float

LEAST_DELTA = Fraction(1, 10**300)
_LEAST_LOG = -700.0  # e^−700 is about 1e-304, the last decade of floats at full precision


def _shown(value: Fraction) -> str:
    if value.numerator.bit_length() + value.denominator.bit_length() < 400:
        return repr(value)
    return f"about 2^{log2(abs(value.numerator)) - log2(value.denominator):.0f}"


def failure(**named: object) -> Fraction:
    """The one δ given, if its logarithm is finite and negative: from 1e-300 to below 1."""
    ((name, value),) = named.items()
    if not isinstance(value, Fraction) or not LEAST_DELTA <= value < 1:
        shown = _shown(value) if isinstance(value, Fraction) else repr(value)
        accepted = "a Fraction from 1e-300 to below 1"
        raise InvalidInput(argument=name, accepted=accepted, given=shown)
    return value


def float_above(*, most: float = 1e100, **named: Fraction) -> float:
    """A float not below the one amount given: 0 stays 0, specks become 1e-100."""
    ((name, value),) = named.items()
    if value > most:
        accepted = f"at most {most:g} for this bound"
        raise InvalidInput(argument=name, accepted=accepted, given=_shown(value))
    return max(1e-100, float_up(value)) if value else 0.0


def sum_up(*terms: float) -> float:
    """A float above the sum of what the terms approximate, even where they cancel."""
    return up(fsum(terms)) + MARGIN * fsum(map(abs, terms))


def amount_above(value: float, *, argument: str) -> Fraction:
    """`value` as an exact amount of at least 0; a bound that overflowed is refused."""
    if not isfinite(value):
        raise InvalidInput(argument=argument, accepted="small enough to bound", given="overflow")
    return Fraction(max(0.0, value))


def exp_up(logarithm: float) -> float:
    """A float above e^logarithm, at most 1 and never below 1e-304."""
    # The floor is an upper bound too, and above it the logarithm is good to 2e-13.
    return min(1.0, up(exp(max(_LEAST_LOG, min(logarithm, 0.0)))))


def least_holding(holds: Callable[[float], bool], *, high: float, argument: str) -> float:
    """A point where `holds` was seen to hold, next to the least one in [0, high].

    `holds` is false below some threshold and true above. A bracket whose upper end fails, or a
    NaN inside, ends in a refusal: nothing is returned that was not tested.
    """
    if holds(0.0):
        return 0.0
    if not 0 < high < inf or not holds(high):
        raise InvalidInput(argument=argument, accepted="within reach of this bound", given="no ε")
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= high * 2.0**-48:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _tv(distance: float) -> TV:
    return TV(Fraction(min(1.0, up(distance))))


@theorem(
    "T-pure-tv", "kairouz-oh-viswanath-2015", "The privacy region, with the proof of T-approx-tv"
)
def pure_to_tv(loss: PureDP) -> TV:
    """The total variation that ε-DP allows; randomised response attains it.

        TV ≤ (e^ε − 1)/(e^ε + 1) = tanh(ε/2)

    Holds when: always.
    Rounds: up.
    """
    if not loss.epsilon:
        return TV(Fraction(0))
    return _tv(tanh(float_above(epsilon=min(loss.epsilon, Fraction(100))) / 2))


@theorem("T-approx-tv", "kairouz-oh-viswanath-2015", "The privacy region; proof in the docstring")
def approx_to_tv(loss: ApproxDP) -> TV:
    """The total variation that (ε, δ)-DP allows; sharp.

        TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1)

    Proof. For an event of probabilities x and y, x ≤ e^ε·y + δ, and for its complement
    1 − y ≤ e^ε·(1 − x) + δ. Add them: (x − y)(1 + e^ε) ≤ e^ε − 1 + 2δ.

    Holds when: always.
    Rounds: up. Numerator and denominator are divided by e^ε, so nothing overflows.
    """
    if not loss.epsilon:
        return TV(loss.delta)
    eps = float_above(epsilon=min(loss.epsilon, Fraction(100)))
    return _tv((-expm1(-eps) + 2 * float_up(loss.delta) * exp(-eps)) / (1 + exp(-eps)))


@theorem("T-approx-mean", "bassily-et-al-2016", "The monitor; proof in the docstring")
def approx_to_mean(loss: ApproxDP, *, mean: Fraction) -> float:
    """How large the mean of a score in [0, 1] can be, given its mean on the neighbour's output.

        E f(X) ≤ min(1, e^ε·E f(Y) + δ)                            E f(Y) = `mean`

    Proof. For f ≥ 0, E f(X) = ∫₀¹ Pr[f(X) ≥ z] dz ≤ ∫₀¹ e^ε·Pr[f(Y) ≥ z] + δ dz.

    Holds when: Pr[X ∈ E] ≤ e^ε·Pr[Y ∈ E] + δ for every event E, and f has values in [0, 1].
    Rounds: up.
    """
    check.unit_fraction(mean=mean)
    growth = exp(float_above(epsilon=min(loss.epsilon, Fraction(700))))
    return min(1.0, up(growth * float_up(mean) + float_up(loss.delta)))


@theorem("T-gdp-tv", "dong-roth-su-2022", "The (ε, δ) curve of μ-GDP, at ε = 0")
def gdp_to_tv(loss: GDP) -> TV:
    """The total variation that μ-GDP allows; the Gaussian mechanism attains it.

        TV ≤ 2Φ(μ/2) − 1

    Holds when: always.
    Rounds: up.
    """
    if not loss.mu_squared:
        return TV(Fraction(0))
    return _tv(erf(sqrt(float_above(mu_squared=min(loss.mu_squared, Fraction(10**6))) / 8)))


@theorem("T-pure-zcdp", "bun-steinke-2016", "Proposition 1.4")
def pure_to_zcdp(loss: PureDP) -> ZCDP:
    """The zCDP that every ε-DP mechanism has.

        ρ = ε²/2

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.epsilon**2 / 2)


@theorem("T-pure-zcdp-sharp", "peekproof", "The proof in its docstring")
def pure_to_zcdp_sharp(loss: PureDP) -> ZCDP:
    """The least zCDP that every ε-DP mechanism has; randomised response attains it.

        ρ = ε·tanh(ε/2)

    Proof. By T-pure-rdp it is enough that f(a) = ln cosh((a−½)ε) − ln cosh(ε/2) − a(a−1)ρ is
    not positive for a > 1. f(1) = 0, and f′(a)/ε = tanh((2a−1)ε/2) − (2a−1)·tanh(ε/2) ≤ 0, for
    tanh is concave on [0, ∞) and 0 at 0. As a → 1, D_a is ρ itself.

    Holds when: always; below ε²/2, by half for ε = 3.8.
    Rounds: up.
    """
    if not loss.epsilon:
        return ZCDP(Fraction(0))
    eps = float_above(epsilon=loss.epsilon)
    return min(pure_to_zcdp(loss), ZCDP(Fraction(up(eps * tanh(eps / 2)))))


@theorem("T-gdp-zcdp", "dong-roth-su-2022", "Blackwell's theorem; proof in the docstring")
def gdp_to_zcdp(loss: GDP) -> ZCDP:
    """The zCDP that every μ-GDP mechanism has.

        ρ = μ²/2

    Proof. By Blackwell's theorem both output laws are one randomised function of N(0,1) and of
    N(μ,1). That function cannot raise a divergence, and D_a(N(0,1) ‖ N(μ,1)) = aμ²/2.

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.mu_squared / 2)


_FINEST = Fraction(1, 10**100)  # nearer to 1, or further out, no float tells orders apart
_LARGE = 300  # hyperbolic functions of half of this are floats


@theorem("T-zcdp-rdp", "bun-steinke-2016", "Definition 1.1")
def zcdp_to_rdp(loss: ZCDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that ρ-zCDP allows: its definition.

        ε_a = ρ·a

    Holds when: order a > 1.
    Rounds: not at all.
    """
    check.above_one(order=order)
    return RDP(order=order, epsilon=loss.rho * order)


@theorem("T-gdp-rdp", "dong-roth-su-2022", "Blackwell's theorem, with the proof of T-gdp-zcdp")
def gdp_to_rdp(loss: GDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that μ-GDP allows; the Gaussian mechanism attains it.

        ε_a = a·μ²/2

    Holds when: order a > 1.
    Rounds: not at all.
    """
    return zcdp_to_rdp(gdp_to_zcdp(loss), order=order)


@theorem("T-pure-rdp", "kairouz-oh-viswanath-2015", "Randomised response is the worst case")
def pure_to_rdp(loss: PureDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that ε-DP allows; randomised response attains it.

        ε_a = ln( cosh((a−½)ε) / cosh(ε/2) ) / (a−1)

    Proof. Every ε-DP pair of laws is a function of the pair (p, 1−p), (1−p, p) with odds e^ε,
    and a function cannot raise a divergence. For that pair
    e^{(a−1)D_a} = (e^{aε} + e^{(1−a)ε})/(1 + e^ε) = cosh((a−½)ε)/cosh(ε/2).

    Holds when: order a > 1.
    Rounds: up. The quotient is 1 + 2·sinh(aε/2)·sinh((a−1)ε/2)/cosh(ε/2), and beyond the floats
    e^{(a−1)ε}·(1 + e^{−(2a−1)ε})/(1 + e^{−ε}): neither cancels.
    """
    check.above_one(order=order)
    eps = float_above(epsilon=loss.epsilon)
    if order > 1 / _FINEST:
        return RDP(order=order, epsilon=loss.epsilon)
    a = max(order, 1 + _FINEST)  # divergences rise with their order
    less = float_up(a - 1)
    if a * loss.epsilon < _LARGE:
        half = float(a * loss.epsilon / 2), float((a - 1) * loss.epsilon / 2)
        bound = log1p(2 * sinh(half[0]) * sinh(half[1]) / cosh(eps / 2)) / less * (1 + MARGIN)
    else:
        bound = eps - log1p(exp(-eps)) / less * (1 - MARGIN) + exp(-_LARGE)
    plain = min(loss.epsilon, order * loss.epsilon**2 / 2)
    return RDP(order=order, epsilon=min(plain, amount_above(up(bound), argument="epsilon")))


@theorem("T-laplace-rdp", "mironov-2017", "The Laplace mechanism")
def laplace_to_rdp(loss: PureDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order of Laplace noise that is ε-private.

        ε_a = ln( a/(2a−1)·e^{(a−1)ε} + (a−1)/(2a−1)·e^{−aε} ) / (a−1)

    Holds when: order a > 1, and the noise has the Laplace law.
    Rounds: up.
    """
    check.above_one(order=order)
    if not loss.epsilon:
        return RDP(order=order, epsilon=Fraction(0))
    exact = LaplacePair(shift=loss.epsilon, scale=1).renyi(order=order)
    return RDP(order=order, epsilon=min(loss.epsilon, amount_above(up(exact), argument="epsilon")))


@theorem("T-pure-approx", "dwork-roth-2014", "Definition 2.4")
def pure_to_approx(loss: PureDP) -> ApproxDP:
    """The same ε with δ = 0.

    Holds when: always. With a δ to give away, `optimal` for one mechanism is smaller.
    Rounds: not at all.
    """
    return ApproxDP(epsilon=loss.epsilon, delta=Fraction(0))


@theorem("T-tv-approx", "dwork-roth-2014", "Definition 2.4; proof in the docstring")
def tv_to_approx(loss: TV) -> ApproxDP:
    """The total variation as δ, with ε = 0.

    Proof. Pr[M(S) ∈ E] ≤ Pr[M(S′) ∈ E] + TV for all events is the definition of both.

    Holds when: always.
    Rounds: not at all.
    """
    return ApproxDP(epsilon=Fraction(0), delta=loss.distance)


# Orders nearer to 1 or to infinity than this are passed over: floats cannot hold them.


def _least(
    losses: Iterable[RDP], *, delta: Fraction, bound: Callable[[RDP, float], float]
) -> ApproxDP:
    log_delta = log_of(failure(delta=delta))
    epsilon = min((bound(loss, log_delta) for loss in losses), default=inf)
    if epsilon == inf:
        raise InvalidInput(
            argument="losses", accepted="at least one, of a usable order", given="none"
        )
    return ApproxDP(epsilon=amount_above(epsilon, argument="losses"), delta=delta)


def _sharp(loss: RDP, log_delta: float) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    eps, order, less = float_above(epsilon=loss.epsilon), loss.order, float(loss.order - 1)
    return sum_up(eps, log_of(1 - 1 / order), -log_delta / less, -log_of(order) / less)


def _plain(loss: RDP, log_delta: float) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    return sum_up(float_above(epsilon=loss.epsilon), -log_delta / float(loss.order - 1))


def _log_rdp_delta(loss: RDP, epsilon: Fraction) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    float_above(epsilon=max(epsilon, loss.epsilon))
    order, less = loss.order, loss.order - 1
    gap = as_float(less * (loss.epsilon - epsilon))
    return sum_up(gap, as_float(order) * log_of(less / order), -log_of(less))


@theorem("T-rdp-dp", "canonne-kamath-steinke-2020", "Proposition 12 (arXiv v4)")
def rdp_to_approx(losses: Iterable[RDP], *, delta: Fraction) -> ApproxDP:
    """The least ε at this δ that any of the Rényi losses of one mechanism gives.

        ε = min_a  ε_a + ln((a−1)/a) − (ln δ + ln a)/(a−1)

    Holds when: all losses are of the same mechanism; never above Mironov's bound.
    Rounds: up. Terms of both signs are added with a margin for each.
    """
    return _least(losses, delta=delta, bound=_sharp)


@theorem("T-rdp-dp-at", "canonne-kamath-steinke-2020", "Proposition 12 (arXiv v4), solved for δ")
def rdp_to_approx_at(losses: Iterable[RDP], *, epsilon: Fraction) -> ApproxDP:
    """The least δ at this ε that any of the Rényi losses of one mechanism gives.

        δ = min_a  exp((a−1)(ε_a − ε))·(1 − 1/a)^a / (a−1)

    Holds when: all losses are of the same mechanism.
    Rounds: up, and never below 1e-304.
    """
    check.amount(epsilon=epsilon)
    least = min((_log_rdp_delta(loss, epsilon) for loss in losses), default=inf)
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(least)))


@theorem("T-rdp-dp-mironov", "mironov-2017", "Proposition 3")
def rdp_to_approx_mironov(losses: Iterable[RDP], *, delta: Fraction) -> ApproxDP:
    """The ε at this δ by the first and best-known conversion, for comparison.

        ε = min_a  ε_a + ln(1/δ)/(a−1)

    Holds when: all losses are of the same mechanism.
    Rounds: up.
    """
    return _least(losses, delta=delta, bound=_plain)


def _turning_point(slope: Callable[[float], float], *, low: float, high: float) -> float:
    """Where a slope in x = a − 1 turns positive, by bisection in ln x between the ends.

    Every order gives a valid bound, so a bracket that misses makes the bound larger, not wrong.
    """
    left, right = log(low), log(high)
    for _ in range(60):
        middle = (left + right) / 2
        left, right = (left, middle) if slope(exp(middle)) > 0 else (middle, right)
    return exp((left + right) / 2)


def _furthest(*, rho: float, epsilon: float) -> float:
    """An a − 1 beyond the best: there (2x+1)ρ exceeds ε + 1/x."""
    return epsilon / rho + 1 / sqrt(rho) + 1


@theorem("T-zcdp-dp-closed", "bun-steinke-2016", "Proposition 1.3")
def zcdp_to_approx_closed(loss: ZCDP, *, delta: Fraction) -> ApproxDP:
    """The ε at this δ in closed form, for comparison.

        ε = ρ + 2√(ρ ln(1/δ))

    Holds when: always.
    Rounds: up.
    """
    rho, log_inverse = float_above(rho=loss.rho), -log_of(failure(delta=delta))
    epsilon = up(rho + 2 * sqrt(rho * log_inverse)) if rho else 0.0
    return ApproxDP(epsilon=amount_above(epsilon, argument="rho"), delta=delta)


@theorem("T-zcdp-dp", "canonne-kamath-steinke-2020", "Corollary 13 (arXiv v4)")
def zcdp_to_approx(loss: ZCDP, *, delta: Fraction) -> ApproxDP:
    """The least ε at this δ over all Rényi orders.

        ε = inf_{a>1}  aρ + ln((a−1)/a) − (ln δ + ln a)/(a−1)

    The bound is quasi-convex in a: where it is at most ε is where the convex exponent of
    T-zcdp-dp-at is at most ln δ. Its slope has the sign of (2a−1)ρ − bound(a) + ln((a−1)/a).

    Holds when: always; never above the closed form.
    Rounds: up. Every order gives a valid bound, so the search cannot make it too small.
    """
    rho, log_delta = float_above(rho=loss.rho), log_of(failure(delta=delta))
    if not rho:
        return ApproxDP(epsilon=Fraction(0), delta=delta)

    def terms(x: float) -> tuple[float, float, float, float]:
        return (1 + x) * rho, -log1p(1 / x), -log_delta / x, -log1p(x) / x

    def slope(x: float) -> float:
        return (2 * x + 1) * rho - log1p(1 / x) - sum(terms(x))

    closed = rho + 2 * sqrt(-rho * log_delta)
    best = _turning_point(slope, low=1e-30, high=_furthest(rho=rho, epsilon=closed))
    epsilon = min(sum_up(*terms(best)), up(closed))
    return ApproxDP(epsilon=amount_above(epsilon, argument="rho"), delta=delta)


@theorem("T-zcdp-dp-at", "canonne-kamath-steinke-2020", "Corollary 13 (arXiv v4)")
def zcdp_to_approx_at(loss: ZCDP, *, epsilon: Fraction) -> ApproxDP:
    """The least δ at this ε over all Rényi orders.

        δ = inf_{a>1}  exp((a−1)(aρ − ε))·(1 − 1/a)^a / (a−1)

    The exponent is convex in a, with slope (2a−1)ρ − ε + ln(1 − 1/a).

    Holds when: always.
    Rounds: up, and never below 1e-304. Every order gives a valid bound.
    """
    check.amount(epsilon=epsilon)
    rho, eps = float_above(rho=loss.rho), float_above(epsilon=epsilon)
    if not rho:
        return ApproxDP(epsilon=epsilon, delta=Fraction(0))

    def slope(x: float) -> float:
        return (2 * x + 1) * rho - eps - log1p(1 / x)

    x = _turning_point(slope, low=1e-30, high=_furthest(rho=rho, epsilon=eps))
    # aρ − ε from the exact amounts, so that it is the only place where ε enters and is not raised.
    gap = float((1 + Fraction(x)) * Fraction(rho) - epsilon)
    exponent = sum_up(x * gap, -(1 + x) * log1p(1 / x), -log(x))
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(exponent)))


_U = 2.0**-53
_ROOT = sqrt(2.0)
_DENSITY = 1 / sqrt(2 * pi)
_STEPS = 60

# How far a guess is moved to the safe side before it is tested, and how far to the other side it
# must fail: what passes is then within a part in 2³³ of the best.
CLOSE = (2.0**-40, 2.0**-36)
NEXT = 2.0**-34


def delta_above(mu_squared: float, epsilon: float) -> float:
    """A float above Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), loose where the two terms cancel.

    Each argument errs by at most 6 units u = 2⁻⁵³ of s = ε/μ + μ/2, and a tail's relative change
    is at most that times its hazard, below |x| + 1; erfc and exp err by at most 8 units.
    """
    mu = sqrt(mu_squared)
    if not mu or epsilon > 700:
        return inf
    a, s = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if a > 36 or s > 1e6:  # tails end before 38, where floats do
        return inf
    first = erfc(a / _ROOT) / 2
    second = exp(epsilon) * erfc(s / _ROOT) / 2 if s < 37 else 0.0
    error = first * ((abs(a) + 1) * 6 * s + 10) + second * ((s + 1) * 6 * s + 14)
    return (first - second + 2 * _U * error) * (1 + 4 * _U)


def epsilon_near(mu: float, delta: float) -> float:
    """Nearly the ε > 0 with δ(ε) = δ, by Newton's method in ln δ; nothing may rest on it."""
    most = sqrt(-2 * log(delta))
    epsilon = mu * most + mu * mu / 2
    for _ in range(_STEPS):
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        if epsilon > 700 or b > 37:
            return epsilon
        lost = exp(epsilon) * erfc(b / _ROOT) / 2  # −∂δ/∂ε
        reached = erfc(a / _ROOT) / 2 - lost
        if reached <= 0 or lost <= 0:
            return epsilon
        change = log(reached / delta) * reached / lost
        epsilon = max(epsilon + change, epsilon / 4)
        if abs(change) <= 1e-14 * epsilon:
            break
    return epsilon


def mu_near(epsilon: float, delta: float) -> float:
    """Nearly the μ with δ(ε) = δ, by Newton's method in ln δ; nothing may rest on it."""
    most = sqrt(-2 * log(delta))
    mu = 2 * epsilon / (sqrt(most * most + 2 * epsilon) + most)
    for _ in range(_STEPS):
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        if epsilon > 700 or b > 37:
            return mu
        reached = erfc(a / _ROOT) / 2 - exp(epsilon) * erfc(b / _ROOT) / 2
        if reached <= 0:
            return mu
        change = log(delta / reached) * reached / (_DENSITY * exp(-a * a / 2))  # ∂δ/∂μ = φ(a)
        mu = min(max(mu + change, mu / 2), 2 * mu)
        if abs(change) <= 1e-14 * mu:
            break
    return mu


# Trapezoid rule in u = ln t. The integrands are analytic for |Im u| < π/4, so the step 1/10
# leaves an error of e^−49; they fall like e^u on the left and like exp(−e^u) on the right.
_STEP = 0.1
_NODES = np.exp(np.arange(-38.0, 4.5, _STEP))
_LEAST_SQUARE = Fraction(1, 10**200)


def _mills(start: float) -> float:
    """∫₀^∞ e^{−bt − t²/2} dt = Φ̄(b)/φ(b) for b = `start` ≥ −1."""
    t = _NODES / max(1.0, start)
    return float(np.exp(-t * (start + t / 2)) @ t) * _STEP


def _mills_gap(start: float, mu: float) -> float:
    """∫₀^∞ e^{−at − t²/2}(1 − e^{−μt}) dt = Φ̄(a)/φ(a) − Φ̄(a+μ)/φ(a+μ) for a = `start` ≥ −1."""
    t = _NODES / max(1.0, start)
    return float(np.exp(-t * (start + t / 2)) @ (t * -np.expm1(-mu * t))) * _STEP


def _log_gdp_delta(mu_squared: Fraction, epsilon: Fraction) -> float:
    """ln δ(ε), to about 2e-13, for μ > 0.

    With a = ε/μ − μ/2 and b = a + μ, φ(a) = e^ε·φ(b), so δ = φ(a)·(Φ̄(a)/φ(a) − Φ̄(b)/φ(b)): an
    integral of positive terms. The difference of tails itself would cancel. Both ε − μ²/2 and
    a² are exact, for at μ = 1000 the rounding of their floats would exceed the margin.
    """
    mu, centred = sqrt(mu_squared), epsilon - mu_squared / 2
    a = float(centred) / mu
    if a > 40:
        return -800.0  # δ ≤ e^{−a²/2}, and nothing below 1e-304 is told apart
    half_square = centred * centred / (2 * mu_squared)
    if a >= -1:
        return log(_mills_gap(a, mu) / sqrt(2 * pi)) - float(half_square)
    # Here b > 1, and the second term is at most a fifth of the first.
    return log(erfc(a / sqrt(2)) / 2 - exp(-float(half_square)) * _mills(a + mu) / sqrt(2 * pi))


def _quick(mu_squared: Fraction, delta: Fraction) -> Fraction | None:
    """An ε that was tested, with one a little smaller that fails the test; or None."""
    square, least = float_up(mu_squared), float_down(delta)
    near = epsilon_near(sqrt(square), least)
    if delta_above(square, near * (1 - NEXT)) <= least:
        return None
    tried = (near * (1 + close) for close in CLOSE)
    return next((Fraction(x) for x in tried if delta_above(square, x) <= least), None)


@theorem("T-gdp-dp-at", "dong-roth-su-2022", "The (ε, δ) curve of μ-GDP")
def gdp_to_approx_at(loss: GDP, *, epsilon: Fraction) -> ApproxDP:
    """The δ at this ε, exactly that of the Gaussian mechanism.

        δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2)

    Holds when: always; no smaller δ holds for every μ-GDP mechanism.
    Rounds: up, and never below 1e-304.
    """
    check.amount(epsilon=epsilon)
    float_above(epsilon=epsilon)
    float_above(mu_squared=loss.mu_squared)
    if not loss.mu_squared:
        return ApproxDP(epsilon=epsilon, delta=Fraction(0))
    logarithm = _log_gdp_delta(max(loss.mu_squared, _LEAST_SQUARE), epsilon)
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(logarithm)))


@theorem("T-gdp-dp", "dong-roth-su-2022", "The (ε, δ) curve of μ-GDP, solved for ε")
def gdp_to_approx(loss: GDP, *, delta: Fraction) -> ApproxDP:
    """The ε at this δ, exactly that of the Gaussian mechanism.

        ε = min{ε ≥ 0 : Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) ≤ δ}

    Found by bisection between 0 and μ√(2 ln(1/δ)) + μ²/2, which T-zcdp-dp-closed allows.

    Holds when: always; no smaller ε holds for every μ-GDP mechanism.
    Rounds: up. The ε returned was tested against a bound from above on δ(ε).
    """
    log_delta = log_of(failure(delta=delta))
    float_above(mu_squared=loss.mu_squared)
    if not loss.mu_squared:
        return ApproxDP(epsilon=Fraction(0), delta=delta)
    square = max(loss.mu_squared, _LEAST_SQUARE)
    mu = sqrt(square)
    if (quick := _quick(square, delta)) is not None:
        return ApproxDP(epsilon=quick, delta=delta)
    epsilon = least_holding(
        lambda epsilon: _log_gdp_delta(square, Fraction(epsilon)) + MARGIN <= log_delta,
        high=(mu * sqrt(-2 * log_delta) + mu * mu / 2) * (1 + 1e-9),
        argument="mu_squared",
    )
    return ApproxDP(epsilon=amount_above(epsilon, argument="mu_squared"), delta=delta)
