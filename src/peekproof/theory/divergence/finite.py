"""Divergences of two laws on the same finite set, from exact probabilities."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from math import inf
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import log_of
from peekproof.theory.divergence import exact
from peekproof.theory.divergence.exact import Number, as_float

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
    values = [exact.number(**{f"{name}[{i}]": weight}) for i, weight in enumerate(weights)]
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
        a = exact.order_of(order=order)
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
        allowed = exact.unit(delta=delta)
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
        eps = exact.number(epsilon=epsilon)
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
