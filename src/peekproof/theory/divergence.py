"""Divergences of two probability laws: finite, Gaussian and Laplace pairs, and bounds on them.

Direction matters: D(P‖Q) is the divergence of P from Q, and P is the law that is sampled. `Pair`
holds two laws on the same finite set, by exact probabilities; `GaussianPair` holds N(0, σ²) and
N(shift, σ²), and `LaplacePair` Lap(0, b) and Lap(shift, b), both in closed form. Numbers come in
as exact rationals, and elementary functions of them are rounded once or twice. Tails of the
standard normal law have full relative precision, as far out as floats reach.

Five theorems follow: the total variation that Gaussian noise on one value leaves, what pure
differential privacy says about the mean of the privacy loss, and, for finite pairs, what a random
map and a second answer do to a divergence, and how near a pair is to one of pure privacy. Bounds
on total variation for mechanisms that are known only by their loss are in `theory.conversion`.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from math import erf, erfc, fsum, inf, log1p, pi, sqrt, tanh
from typing import final

import numpy as np
from numpy.typing import NDArray

from peekproof.core import check
from peekproof.core.charge import TV, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem

Number = int | float | Fraction
NEXT_ORDER = 1 + Fraction(1, 2**100)


def number(**named: object) -> Fraction:
    """The one finite number given, exactly: a float stands for its binary value."""
    ((name, value),) = named.items()
    accepted = "a finite number"
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(argument=name, accepted=accepted, given=type(value).__name__)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(argument=name, accepted=accepted, given=repr(value))
    return Fraction(value)


def positive(**named: object) -> Fraction:
    """The one number given, exactly, if it is finite and above 0."""
    ((name, value),) = named.items()
    exact = number(**named)
    if exact <= 0:
        raise InvalidInput(argument=name, accepted="a number above 0", given=f"{value}")
    return exact


def order_of(**named: object) -> Fraction:
    """The one Rényi order given, exactly, if it is finite and at least 1.

    Orders nearer to 1, but above it, are read as `NEXT_ORDER`: divergences rise with their
    order, and no float can tell.
    """
    ((name, value),) = named.items()
    exact = number(**named)
    if exact < 1:
        accepted = "a Rényi order of at least 1"
        raise InvalidInput(argument=name, accepted=accepted, given=f"{value}")
    return exact if exact == 1 else max(exact, NEXT_ORDER)


def unit(**named: object) -> Fraction:
    """The one number given, exactly, if it lies between 0 and 1, ends included."""
    ((name, value),) = named.items()
    exact = number(**named)
    if not 0 <= exact <= 1:
        raise InvalidInput(argument=name, accepted="between 0 and 1", given=f"{value}")
    return exact


def as_float(exact: Fraction) -> float:
    """The nearest float; an infinity beyond the largest."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def exp_of(exact: Fraction) -> float:
    """e^x, also where rounding x itself to a float would show: e^(h+l) = e^h (1 + l)."""
    high = as_float(exact)
    if high < -746:  # below the smallest float
        return 0.0
    try:
        return math.exp(high) * (1 + float(exact - Fraction(high)))
    except OverflowError:
        return math.inf


def expm1_of(exact: Fraction) -> float:
    """e^x − 1, without cancelling near 0 and with the digits of x that a float drops."""
    high = as_float(exact)
    return math.expm1(high) if abs(high) < 1 else exp_of(exact) - 1


TOLERANCE = Fraction(1, 10**12)
DIGITS = 80  # sums of logarithms and roots cancel down to 1e-60 before a float could notice


@contextmanager
def _digits() -> Iterator[None]:
    with localcontext(Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        yield


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _law(name: str, weights: Sequence[Number]) -> tuple[Fraction, ...]:
    """The weights as exact probabilities, divided by their sum, which floats miss slightly."""
    values = [number(**{f"{name}[{i}]": weight}) for i, weight in enumerate(weights)]
    total = sum(values, Fraction(0))
    if abs(total - 1) > TOLERANCE:
        accepted = "probabilities that sum to 1"
        raise InvalidInput(argument=name, accepted=accepted, given=f"sum {as_float(total)!r}")
    return tuple(value / total for value in values)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two laws P and Q on the same outcomes, as exact probabilities; `Pair.of` takes floats.

    Every method is a divergence D(P‖Q) of P from Q, rounded once to the nearest float or nearly
    so (relative error below 1e-15), and infinite where P puts mass that Q does not, if the
    divergence demands it. `swapped()` gives the other direction.
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            accepted = f"as long as p, {len(self.p)} outcomes"
            raise InvalidInput(argument="q", accepted=accepted, given=f"{len(self.q)}")
        for name, law in (("p", self.p), ("q", self.q)):
            for i, value in enumerate(law):
                check.amount(**{f"{name}[{i}]": value})
            if sum(law) != 1:
                accepted = "Fractions that sum to 1 exactly"
                raise InvalidInput(argument=name, accepted=accepted, given=f"sum {sum(law)}")

    @classmethod
    def of(cls, p: Sequence[Number], q: Sequence[Number]) -> "Pair":
        """The pair with these weights, each sum within 1e-12 of 1 and then divided out."""
        return cls(p=_law("p", p), q=_law("q", q))

    def swapped(self) -> "Pair":
        """The same laws in the other order."""
        return Pair(p=self.q, q=self.p)

    def kl(self) -> float:
        """D(P‖Q) = Σ p ln(p/q), the Kullback–Leibler divergence."""
        if self._escapes():
            return inf
        with _digits():
            return float(sum(_decimal(p) * _decimal(p / q).ln() for p, q in self._shared()))

    def renyi(self, *, order: Number) -> float:
        """D_a(P‖Q) = ln(Σ p^a q^{1−a}) / (a − 1) for orders a > 1; D_1 is KL."""
        a = order_of(order=order)
        if a == 1 or self.p == self.q or self._escapes():
            return self.kl()
        with _digits():
            power, losses = _decimal(a - 1), [_decimal(p / q).ln() for p, q in self._shared()]
            most = max(losses)  # taken out, so that no power overflows
            moment = Decimal(0)
            for (p, _), loss in zip(self._shared(), losses, strict=True):
                moment += _decimal(p) * (power * (loss - most)).exp()
            return float(most + moment.ln() / power)

    def max_divergence(self) -> float:
        """D_∞(P‖Q) = max ln(p/q) over outcomes that P can have."""
        return inf if self._escapes() else log_of(max(p / q for p, q in self._shared()))

    def approximate_max_divergence(self, *, delta: Number) -> float:
        """D_∞^δ(P‖Q), the smallest ε with P(E) − e^ε Q(E) ≤ δ for every event E.

            e^ε = max_E (P(E) − δ) / Q(E)

        reached on one of the events {p/q ≥ r}, so sorting by p/q finds it exactly. Negative when
        δ exceeds the total variation; −∞ at δ = 1.
        """
        allowed = unit(delta=delta)
        above = sum((p for p, q in zip(self.p, self.q, strict=True) if q == 0), Fraction(0))
        if above > allowed:
            return inf
        below, best = Fraction(0), Fraction(0)
        falling = sorted(self._shared(), key=lambda both: both[0] / both[1], reverse=True)
        for p, q in falling:
            above, below = above + p, below + q
            best = max(best, (above - allowed) / below)
        return log_of(best) if best > 0 else -inf

    def total_variation(self) -> float:
        """TV(P, Q) = ½ Σ |p − q|, the largest P(E) − Q(E)."""
        return float(sum(abs(p - q) for p, q in zip(self.p, self.q, strict=True)) / 2)

    def hockey_stick(self, *, epsilon: Number) -> float:
        """Σ (p − e^ε q)₊, the largest P(E) − e^ε Q(E), for every real ε."""
        eps = number(epsilon=epsilon)
        lost = sum((p for p, q in zip(self.p, self.q, strict=True) if q == 0), Fraction(0))
        shared = self._shared()
        # Outside the range of the ratios nothing is left to subtract, and e^ε may be astronomic.
        if not shared or eps > 1 + log_of(max(p / q for p, q in shared)):
            return float(lost)
        with _digits():
            ratio = _decimal(eps).exp()
            kept = sum(max(_decimal(p) - ratio * _decimal(q), Decimal(0)) for p, q in shared)
            return float(_decimal(lost) + kept)

    def chi_square(self) -> float:
        """χ²(P‖Q) = Σ (p − q)²/q."""
        if self._escapes():
            return inf
        return as_float(
            sum(((p - q) ** 2 / q for p, q in zip(self.p, self.q, strict=True) if q), Fraction(0))
        )

    def bhattacharyya(self) -> float:
        """Σ √(pq), the affinity: 1 for equal laws, 0 for laws that share no outcome."""
        with _digits():
            return float(sum(p * q for p, q in self._roots()))

    def hellinger_squared(self) -> float:
        """½ Σ (√p − √q)² = 1 − Σ √(pq)."""
        with _digits():
            return float(sum((p - q) ** 2 for p, q in self._roots()) / 2)

    def _roots(self) -> list[tuple[Decimal, Decimal]]:
        laws = zip(self.p, self.q, strict=True)
        return [(_decimal(p).sqrt(), _decimal(q).sqrt()) for p, q in laws]

    def _shared(self) -> list[tuple[Fraction, Fraction]]:
        """The outcomes that both laws can have."""
        return [(p, q) for p, q in zip(self.p, self.q, strict=True) if p and q]

    def _escapes(self) -> bool:
        """Whether P can have an outcome that Q cannot."""
        return any(p and not q for p, q in zip(self.p, self.q, strict=True))


# Gauss–Legendre on three pieces of [0, 1], with few enough nodes in each for full precision. The
# integrands below are entire and fall by e⁻⁴⁵ over the range: only rounding is left.
_nodes, _weights = np.polynomial.legendre.leggauss(24)
_EDGES = np.array([0.0, 0.1, 0.35, 1.0])
NODES = (_EDGES[:-1, None] + np.diff(_EDGES)[:, None] * (_nodes + 1) / 2).ravel()
WEIGHTS = (np.diff(_EDGES)[:, None] * _weights / 2).ravel()
REACH = 45.0


def _kernel(x: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points t and weights with Σ weight·f(t) = ∫₀^∞ e^{−xt − t²/2} f(t) dt, for x ≥ −½."""
    length = 2 * REACH / (x + sqrt(x * x + 2 * REACH))
    t = length * NODES
    return t, length * WEIGHTS * np.exp(-t * (x + t / 2))


def mills(x: float) -> float:
    """Φ(−x)/φ(x) = ∫₀^∞ e^{−xt − t²/2} dt for x ≥ −½."""
    if x > 1e9:  # 1/x − 1/x³ + …
        return 1 / x
    return float(_kernel(x)[1].sum())


def mills_difference(x: float, *, step: float) -> float:
    """mills(x) − mills(x + step) for x ≥ −½ and 0 ≤ step ≤ 8, without subtracting.

    = ∫₀^∞ e^{−xt − t²/2} (1 − e^{−step·t}) dt, whose integrand is positive.
    """
    t, weight = _kernel(x)
    return float(weight @ -np.expm1(-step * t))


def density(x: Fraction) -> float:
    """φ(x) = e^{−x²/2} / √(2π), with relative error of a few 2⁻⁵³ while it is a normal float."""
    return exp_of(-x * x / 2) / sqrt(2 * pi)


def upper_tail(x: Fraction) -> float:
    """Φ(−x), the probability above x, with relative error below 1e-14 for all x."""
    near = as_float(x)
    if near < 1:
        return erfc(near / sqrt(2)) / 2
    return density(x) * mills(near)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianPair:
    """P = N(0, σ²) and Q = N(shift, σ²); every divergence depends on μ = |shift|/σ alone.

    Reflection swaps P and Q, so D(P‖Q) = D(Q‖P) for each of them. Results have a relative error
    below 1e-13 while they are normal floats, and are infinite beyond the largest one.
    """

    shift: Number
    sigma: Number

    def __post_init__(self) -> None:
        number(shift=self.shift)
        positive(sigma=self.sigma)

    @property
    def mu(self) -> Fraction:
        return abs(Fraction(self.shift)) / Fraction(self.sigma)

    def kl(self) -> float:
        """D(P‖Q) = μ²/2."""
        return as_float(self.mu**2 / 2)

    def renyi(self, *, order: Number) -> float:
        """D_a(P‖Q) = aμ²/2."""
        return as_float(order_of(order=order) * self.mu**2 / 2)

    def max_divergence(self) -> float:
        """D_∞(P‖Q): infinite unless P = Q."""
        return inf if self.mu else 0.0

    def total_variation(self) -> float:
        """TV(P, Q) = 2Φ(μ/2) − 1 = erf(μ/√8)."""
        return erf(as_float(self.mu) / sqrt(8))

    def chi_square(self) -> float:
        """χ²(P‖Q) = e^{μ²} − 1."""
        return expm1_of(self.mu**2)

    def bhattacharyya(self) -> float:
        """∫√(pq) = e^{−μ²/8}."""
        return exp_of(-(self.mu**2) / 8)

    def hellinger_squared(self) -> float:
        """½∫(√p − √q)² = 1 − e^{−μ²/8}."""
        return -expm1_of(-(self.mu**2) / 8)

    def hockey_stick(self, *, epsilon: Number) -> float:
        """sup_E P(E) − e^ε Q(E), for every real ε.

            δ(ε) = Φ(−a) − e^ε Φ(−b),   a = ε/μ − μ/2,   b = ε/μ + μ/2

        As e^ε φ(b) = φ(a), this is φ(a)·(R(a) − R(b)) with R = (1 − Φ)/φ: the exponential never
        overflows, and what is left of the cancellation is integrated, not subtracted. For
        negative ε, δ(ε) = 1 − e^ε + e^ε δ(−ε).
        """
        eps, mu = number(epsilon=epsilon), self.mu
        if eps < 0:
            return -expm1_of(eps) + exp_of(eps) * self.hockey_stick(epsilon=-eps)
        if mu == 0:
            return 0.0
        a = eps / mu - mu / 2
        if abs(a) > 40:  # below the smallest float, or within 1e-340 of 1
            return 0.0 if a > 0 else 1.0
        near, step = as_float(a), as_float(mu)
        if near < -0.5:  # then μ > 1, and at most half cancels
            return upper_tail(a) - density(a) * mills(as_float(a + mu))
        if step < 8:
            return density(a) * mills_difference(near, step=step)
        return density(a) * (mills(near) - mills(as_float(a + mu)))

    def approximate_max_divergence(self, *, delta: Number) -> float:
        """D_∞^δ(P‖Q), the smallest ε with `hockey_stick(epsilon=ε)` at most δ.

        Negative when δ exceeds the total variation, and at least ln(1 − δ). Found by bisection
        between neighbouring floats; the end that satisfies the inequality is returned.
        """
        target = unit(delta=delta)
        if target == 1:
            return -inf
        if self.mu == 0:
            return log1p(-float(target))
        if target == 0 or self.kl() == inf:
            return inf
        low, step = log1p(-float(target)), 1.0
        while self.hockey_stick(epsilon=low + step) > target:
            low, step = low + step, 2 * step
        high = low + step
        while low < (middle := (low + high) / 2) < high:
            if self.hockey_stick(epsilon=middle) > target:
                low = middle
            else:
                high = middle
        return high


LARGEST = 1e300  # in place of an infinity that would meet a 0


def _excess(x: Fraction) -> float:
    """e^x − 1 − x, which is about x²/2, to full relative precision."""
    near = as_float(x)
    if abs(near) >= 0.5:
        return expm1_of(x) - near if near < inf else inf
    terms, term = [], near
    for k in range(2, 20):  # 0.5¹⁸/19! is below 2⁻⁵³ of the first term
        term *= near / k
        terms.append(term)
    return fsum(terms)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LaplacePair:
    """P = Lap(0, b) and Q = Lap(shift, b), b = `scale`; only ε₀ = |shift|/b matters.

    Reflection swaps P and Q, so D(P‖Q) = D(Q‖P) for each of them. Results have a relative error
    below 1e-13 while they are normal floats (`approximate_max_divergence`: absolute, times
    1 + ε₀), and are infinite beyond the largest one.
    """

    shift: Number
    scale: Number

    def __post_init__(self) -> None:
        number(shift=self.shift)
        positive(scale=self.scale)

    @property
    def epsilon(self) -> Fraction:
        """ε₀, the largest loss: the pair is ε₀-indistinguishable and no better."""
        return abs(Fraction(self.shift)) / Fraction(self.scale)

    def kl(self) -> float:
        """D(P‖Q) = ε₀ + e^{−ε₀} − 1."""
        return _excess(-self.epsilon)

    def renyi(self, *, order: Number) -> float:
        """D_a(P‖Q) = ln( a/(2a−1)·e^{(a−1)ε₀} + (a−1)/(2a−1)·e^{−aε₀} ) / (a − 1); D_1 is KL.

        With g(x) = e^x − 1 − x the linear parts cancel exactly: the logarithm is of
        1 + (a·g((a−1)ε₀) + (a−1)·g(−aε₀)) / (2a−1), a sum of positive terms.
        """
        a, eps = order_of(order=order), self.epsilon
        if a == 1:
            return self.kl()
        if (a - 1) * eps > 1:
            share = float((a - 1) / (2 * a - 1))
            return as_float(eps) + log1p(share * expm1_of(-(2 * a - 1) * eps)) / as_float(a - 1)
        rising = float(a / (2 * a - 1)) * _excess((a - 1) * eps) / as_float(a - 1)
        falling = float(1 / (2 * a - 1)) * _excess(-a * eps)
        growth = as_float(a - 1) * (rising + falling)
        # ln(1 + y)/y is 1 to the last digit when y is so small that it may underflow.
        slope = log1p(growth) / growth if growth > 1e-100 else 1.0
        return (rising + falling) * slope

    def max_divergence(self) -> float:
        """D_∞(P‖Q) = ε₀."""
        return as_float(self.epsilon)

    def total_variation(self) -> float:
        """TV(P, Q) = 1 − e^{−ε₀/2}."""
        return -expm1_of(-self.epsilon / 2)

    def chi_square(self) -> float:
        """χ²(P‖Q) = (2e^{ε₀} + e^{−2ε₀})/3 − 1 = (2g(ε₀) + g(−2ε₀))/3, g(x) = e^x − 1 − x."""
        return (2 * _excess(self.epsilon) + _excess(-2 * self.epsilon)) / 3

    def bhattacharyya(self) -> float:
        """∫√(pq) = e^{−ε₀/2}·(1 + ε₀/2)."""
        half = self.epsilon / 2
        return exp_of(-half) * (1 + min(as_float(half), LARGEST))

    def hellinger_squared(self) -> float:
        """½∫(√p − √q)² = 1 − e^{−ε₀/2}·(1 + ε₀/2) = e^{−ε₀/2}·g(ε₀/2), g(x) = e^x − 1 − x."""
        half = self.epsilon / 2
        return exp_of(-half) * _excess(half) if half < 1 else 1 - self.bhattacharyya()

    def hockey_stick(self, *, epsilon: Number) -> float:
        """sup_E P(E) − e^ε Q(E), for every real ε.

        1 − e^{(ε−ε₀)/2} for |ε| ≤ ε₀;   0 above;   1 − e^ε below.
        """
        eps = number(epsilon=epsilon)
        return -expm1_of(min((eps - self.epsilon) / 2, eps, Fraction(0)))

    def approximate_max_divergence(self, *, delta: Number) -> float:
        """D_∞^δ(P‖Q) = max(ε₀ + 2 ln(1 − δ), ln(1 − δ)), the smallest ε with hockey stick ≤ δ.

        Negative when δ exceeds the total variation.
        """
        kept = 1 - unit(delta=delta)
        if kept == 0:
            return -inf
        return max(as_float(self.epsilon) + 2 * log_of(kept), log_of(kept))


def laplace_density(at: Number, *, centre: Number, scale: Number) -> float:
    """The density e^{−|x−μ|/b}/(2b) of Lap(μ, b) at x = `at`, μ = `centre` and b = `scale`.

    Rounds: to about the nearest float. The exponent is exact before it is rounded.
    """
    b = positive(scale=scale)
    distance = abs(number(at=at) - number(centre=centre))
    return exp_of(-distance / b) / as_float(2 * b)


@theorem("T-tv-gauss", "peekproof", "The proof in its docstring")
def gaussian_tv(*, sensitivity: Fraction, sigma: Fraction) -> TV:
    """The total variation of a Δ-sensitive value behind Gaussian noise σ, Δ = `sensitivity`.

        TV = 2Φ(Δ/(2σ)) − 1 ≤ Δ/(√(2π)·σ)

    Proof. N(0, σ²) and N(s, σ²) have equal densities at s/2, so P(E) − Q(E) is largest for the
    half-line on one side of it: Φ(s/(2σ)) − Φ(−s/(2σ)), which rises with s ≤ Δ. The inequality is
    φ ≤ 1/√(2π). The seeds' radical covers σ too, which is a misprint.

    Holds when: the value moves by at most Δ when one record is replaced.
    Rounds: up.
    """
    check.amount(sensitivity=sensitivity)
    check.positive_fraction(sigma=sigma)
    if sensitivity == 0:
        return TV(Fraction(0))
    distance = up(GaussianPair(shift=sensitivity, sigma=sigma).total_variation())
    return TV(min(Fraction(1), Fraction(distance)))


LARGEST_EPSILON = (
    Fraction(10) ** 300
)  # beyond it floats could overflow, and nothing is promised anyway


@theorem("T-pure-kl", "peekproof", "The proof in its docstring")
def pure_to_kl(loss: PureDP) -> float:
    """A bound on the Kullback–Leibler divergence D(P‖Q) of what neighbours give.

        D(P‖Q) ≤ ε·tanh(ε/2) ≤ ε²/2

    Proof. Let Y = dQ/dP. By the assumption Y ∈ [e^{−ε}, e^ε], and E_P Y = 1. D(P‖Q) =
    E_P[−ln Y], and −ln is convex, so it lies below its chord on that interval; the mean of a
    chord is its value at E_P Y = 1, which is ε − 2ε(1 − e^{−ε})/(e^ε − e^{−ε}) = ε·tanh(ε/2).
    Finally tanh x ≤ x. Randomised response, P = (e^ε, 1)/(1 + e^ε) against its mirror image,
    has Y at the ends only and attains the bound.

    Holds when: D_∞(P‖Q) ≤ ε and D_∞(Q‖P) ≤ ε; pure differential privacy gives both.
    Rounds: up. The bound rises with ε, which enters rounded up.
    """
    if loss.epsilon == 0:
        return 0.0
    if loss.epsilon > LARGEST_EPSILON:
        return inf
    epsilon = float_up(loss.epsilon)
    return up(epsilon * tanh(epsilon / 2))


@theorem("T-post", "dwork-roth-2014", "Proposition 2.1; proof in the docstring")
def post_processed(pair: Pair, *, channel: Sequence[Sequence[Number]]) -> Pair:
    """Two laws after the same random map: no divergence between them is larger than before.

        P′(z) = Σ_y P(y)·K(z | y),   Q′(z) = Σ_y Q(y)·K(z | y)        K(· | y) = `channel`[y]

    Proof. Each divergence here rises with some Σ q·f(p/q), f convex, or is a limit of such sums.
    Writing z beside y splits outcomes by a coin, K, that is the same for both laws: the ratios p/q
    stay, and so do the sums. Forgetting y merges outcomes, and by Jensen's inequality
    (Σ q)·f(Σ p/Σ q) ≤ Σ q·f(p/q). What stands between a mechanism and an analyst, and the analyst,
    are such a map of the answers: questions and views are random functions of what was answered.

    Holds when: the map sees nothing of the data but what P and Q are the laws of.
    Rounds: not at all. Floats in the channel are divided by their sum.
    """
    rows = [_law(f"channel[{i}]", row) for i, row in enumerate(channel)]
    if len(rows) != len(pair.p) or len({len(row) for row in rows}) != 1:
        accepted = f"{len(pair.p)} laws on the same outcomes, one for each of the pair"
        raise InvalidInput(argument="channel", accepted=accepted, given="other lengths")

    def after(law: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        columns = zip(*rows, strict=True)
        return tuple(
            sum((mass * k for mass, k in zip(law, column, strict=True)), Fraction(0))
            for column in columns
        )

    return Pair(p=after(pair.p), q=after(pair.q))


@theorem("T-chain", "bun-steinke-2016", "Lemma 2.2; proof in the docstring")
def chained(first: Pair, *, then: Sequence[Pair]) -> Pair:
    """Two laws of two answers, the second of which may depend on the first: divergences add.

        D_a(P‖Q) ≤ D_a(P₁‖Q₁) + max_y D_a(P₂(·|y)‖Q₂(·|y))      (P₂(·|y), Q₂(·|y)) = `then`[y]
        TV(P, Q) ≤ TV(P₁, Q₁) + max_y TV(P₂(·|y), Q₂(·|y))

    for every Rényi order a from 1 (KL) to ∞ (the largest loss); the first line is an equality if
    the second pair is the same for all y.

    Proof. E_Q(dP/dQ)^a = Σ_y P₁(y)^a·Q₁(y)^{1−a}·Σ_z P₂(z|y)^a·Q₂(z|y)^{1−a}. Bound the inner sum
    by its largest value e^{(a−1)·max D_a}, take the logarithm and divide by a − 1; the ends are
    limits. And |P₁P₂ − Q₁Q₂| ≤ P₁·|P₂ − Q₂| + Q₂·|P₁ − Q₁|, summed and halved.

    Holds when: always; the second mechanism may be chosen by the first answer in any way.
    Rounds: not at all.
    """
    if len(then) != len(first.p):
        accepted = f"{len(first.p)} pairs, one for each outcome of the first"
        raise InvalidInput(argument="then", accepted=accepted, given=f"{len(then)}")
    return Pair(
        p=tuple(mass * p for mass, pair in zip(first.p, then, strict=True) for p in pair.p),
        q=tuple(mass * q for mass, pair in zip(first.q, then, strict=True) for q in pair.q),
    )


@theorem(
    "T-nearest-pure",
    "dwork-roth-2014",
    "Approximate max divergence and distance; proof in the docstring",
)
def nearest_pure(pair: Pair, *, ratio: Fraction) -> Pair:
    """A pair whose probabilities keep within a factor e^ε of each other, as near as (ε, δ) allows.

        P′ ≤ e^ε·Q′,  Q′ ≤ e^ε·P′,  TV(P, P′) = TV(Q, Q′) = δ/(1 + e^ε)        e^ε = `ratio`

    with δ the larger of Σ(p − e^ε·q)₊ and Σ(q − e^ε·p)₊. No other such pair is nearer in both.

    Proof. Let r = e^ε. Where p > rq, move (p − rq)/(1 + r) from p to q, so that their ratio is r;
    where q > rp the other way round. With δ₁, δ₂ the two sums and say δ₁ ≥ δ₂, P′ now sums to 1 − α
    and Q′ to 1 + α, α = (δ₁ − δ₂)/(1 + r). On the outcomes with p′ < q′ the differences sum to 2α
    at least, so moving a common part of half of each, α in all, from q′ to p′ makes both sum to 1
    and no ratio larger. P lost δ₁/(1 + r) where p > rq, and gained as much elsewhere, and Q the
    reverse. Conversely, if P′ and Q′ are within d of P and Q and r bounds their ratios,
    P(E) ≤ P′(E) + d ≤ r·Q′(E) + d ≤ r·Q(E) + (1 + r)·d, so δ ≤ (1 + r)·d.

    Holds when: always, for e^ε ≥ 1.
    Rounds: not at all. e^ε is given as a Fraction, in place of ε.
    """
    if number(ratio=ratio) < 1:
        raise InvalidInput(argument="ratio", accepted="e^ε, at least 1", given=str(ratio))
    moved = [
        max(Fraction(0), p - ratio * q) - max(Fraction(0), q - ratio * p)
        for p, q in zip(pair.p, pair.q, strict=True)
    ]
    near = [p - each / (1 + ratio) for p, each in zip(pair.p, moved, strict=True)]
    far = [q + each / (1 + ratio) for q, each in zip(pair.q, moved, strict=True)]
    lacking = 1 - sum(near, Fraction(0))
    if lacking < 0:
        far, near = _evened(far, near, lacking=-lacking)
    elif lacking > 0:
        near, far = _evened(near, far, lacking=lacking)
    return Pair(p=tuple(near), q=tuple(far))


def _evened(
    less: list[Fraction], more: list[Fraction], *, lacking: Fraction
) -> tuple[list[Fraction], list[Fraction]]:
    """Both with sum 1, by moving the same part of every surplus from `more` to `less`."""
    surplus = [max(Fraction(0), b - a) for a, b in zip(less, more, strict=True)]
    part = lacking / sum(surplus, Fraction(0))
    return (
        [a + part * each for a, each in zip(less, surplus, strict=True)],
        [b - part * each for b, each in zip(more, surplus, strict=True)],
    )
