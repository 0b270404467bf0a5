"""Privacy filters and the odometer: rules that hold although each charge is chosen adaptively.

A filter admits a charge, or refuses it, so that the whole stays within a limit. There is one for
each kind of promise: Gaussian noise, pure, zero-concentrated and approximate differential privacy,
and promises that count answers. For Gaussian noise it is a clock: noise is observation time, and
time adds. `SessionGate` holds the filter of a session's promise behind the one question that a
ledger asks. The odometer bounds what a conversation has cost so far, at all times at once.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, log2, pi, sqrt
from typing import Generic, Protocol, TypeVar, final

from peekproof.core import check
from peekproof.core.charge import GDP, ZCDP, ApproxDP, Draws, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, up
from peekproof.core.theorem import theorem

S = TypeVar("S")
C_contra = TypeVar("C_contra", contravariant=True)
S_inv = TypeVar("S_inv")


@final
@dataclass(frozen=True, slots=True)
class Admitted(Generic[S]):
    """The charge fits; `spent` is the total once it is made."""

    spent: S


@final
@dataclass(frozen=True, slots=True)
class Refused(Generic[S]):
    """The charge does not fit under `limit`; nothing changes."""

    limit: S


class Gate(Protocol[C_contra, S_inv]):
    """Decides adaptively, from what was spent, whether a further charge keeps the promise.

    Implementations are filters (theorems that survive adaptively chosen charges), never
    composition theorems for charges fixed in advance: those return a loss and have no `admit`.
    """

    def admit(self, cost: C_contra, *, spent: S_inv) -> Admitted[S_inv] | Refused[S_inv]: ...


@final
@dataclass(frozen=True, slots=True)
class ClockFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: GDP

    @theorem("T-clock", "peekproof", "The clock")
    def admit(self, cost: GDP, *, spent: GDP) -> Admitted[GDP] | Refused[GDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j 1/(nσ_j)² ≤ μ²

        Proof. An answer with noise σ_j is the end point of a continuous observation lasting
        1/(nσ_j)². The supermartingale behind T-drift-gauss runs in that time, and stopping
        it at any adaptively chosen total of at most μ² keeps its bound.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)


@final
@dataclass(frozen=True, slots=True)
class DrawsFilter:
    """Admits answers while there are at most `limit` of them."""

    limit: Draws

    @theorem("T-draws", "peekproof", "The proof in its docstring")
    def admit(self, cost: Draws, *, spent: Draws) -> Admitted[Draws] | Refused[Draws]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

        Proof. T-truncation and T-split hold for at most k answers, whatever decides when to
        stop: with fewer, their union bounds have fewer terms. T-split holds for at most r rounds,
        too.

        Holds when: each answer, or each round of them, is counted before it is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)


@final
@dataclass(frozen=True, slots=True)
class PureFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: PureDP

    @theorem("T-filter-pure", "peekproof", "The proof in its docstring")
    def admit(self, cost: PureDP, *, spent: PureDP) -> Admitted[PureDP] | Refused[PureDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j ε_j ≤ ε

        Proof. The privacy loss of a transcript is the sum of the losses of its steps, and each
        is at most the ε_j chosen before it; so the sum is at most ε on every transcript.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)


@final
@dataclass(frozen=True, slots=True)
class ZCDPFilter:
    """Admits charges, chosen adaptively, while their exact sum stays within `limit`."""

    limit: ZCDP

    @theorem("T-filter-zcdp", "peekproof", "The proof in its docstring")
    def admit(self, cost: ZCDP, *, spent: ZCDP) -> Admitted[ZCDP] | Refused[ZCDP]:
        """The total once `cost` is charged, or a refusal; constant time, exact.

            Σ_j ρ_j ≤ ρ

        Proof. For an order a, let L_t be the loss after t steps and R_t = Σ_{j≤t} ρ_j. Given
        the past, step j has E e^{(a−1)(L_j − L_{j−1})} ≤ e^{(a−1)aρ_j}, and ρ_j is decided by
        the past, so e^{(a−1)(L_t − aR_t)} is a supermartingale under the first law. As R ≤ ρ
        whenever the conversation stops, E e^{(a−1)L} ≤ e^{(a−1)aρ}: the whole is ρ-zCDP.

        Holds when: each charge is decided before its answer is drawn.
        """
        total = spent + cost
        return Admitted(total) if total <= self.limit else Refused(self.limit)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxSpent:
    """What the theorem needs to remember: the sum of ε² and the sum of δ."""

    squares: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


@theorem(
    "T-filter",
    "whitehouse-ramdas-rogers-wu-2023",
    "The filter for approximate differential privacy",
)
def largest_squares(limit: ApproxDP, *, slack: Fraction) -> Fraction:
    """The largest Σε_j² that keeps a conversation within `limit`, when δ′ = `slack` is set aside.

        √(2 ln(1/δ′)·Σε_j²) + ½ Σε_j² ≤ ε,   δ′ + Σδ_j ≤ δ

    Solved for the sum: Σε_j² ≤ (√(2 ln(1/δ′) + 2ε) − √(2 ln(1/δ′)))², computed without
    cancellation as (2ε / (√(2 ln(1/δ′) + 2ε) + √(2 ln(1/δ′))))².

    Holds when: each (ε_j, δ_j) is decided before its answer is drawn; questions, parameters and
    the stopping time may all adapt.
    Rounds: down. The result is a limit: smaller is safer.
    """
    check.probability(slack=slack)
    double_log = up(-2 * log(float_down(slack)))
    epsilon = float_down(limit.epsilon)
    root = down(
        2 * epsilon / (sqrt(up(double_log + 2 * float_up(limit.epsilon))) + sqrt(double_log))
    )
    return Fraction(max(0.0, down(root * root)))


@lru_cache(maxsize=256)
def _most(limit: ApproxDP, slack: Fraction) -> ApproxSpent:
    return ApproxSpent(squares=largest_squares(limit, slack=slack), delta=limit.delta - slack)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxFilter:
    """Admits (ε_j, δ_j) chosen adaptively while T-filter keeps the whole within `limit`."""

    limit: ApproxDP
    slack: Fraction

    def __post_init__(self) -> None:
        check.probability(slack=self.slack)
        if self.slack > self.limit.delta:
            raise InvalidInput(
                argument="slack",
                accepted=f"at most the δ of the limit, {float(self.limit.delta):g}",
                given=f"{float(self.slack):g}",
            )

    def admit(
        self, cost: ApproxDP, *, spent: ApproxSpent
    ) -> Admitted[ApproxSpent] | Refused[ApproxSpent]:
        """The sums once `cost` is charged, or a refusal; constant time, exact sums."""
        total = ApproxSpent(squares=spent.squares + cost.epsilon**2, delta=spent.delta + cost.delta)
        most = _most(self.limit, self.slack)
        fits = total.squares <= most.squares and total.delta <= most.delta
        return Admitted(total) if fits else Refused(most)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """Reads zCDP spent so far as a bound on the privacy loss, right at every moment together.

    `delta` is the chance that any reading ever is too small; `first` is the level at which the
    grid starts: readings below it are those of `first`.
    """

    delta: Fraction
    first: ZCDP

    def __post_init__(self) -> None:
        check.probability(delta=self.delta)
        check.positive_fraction(first=self.first.rho)

    @theorem("T-odometer", "peekproof", "The proof in its docstring")
    def read(self, spent: ZCDP) -> ApproxDP:
        """The running (ε, δ): with probability 1 − δ the loss never exceeds any reading.

            ε_t = ρ_i + 2√(ρ_i ln(1/δ_i)),   ρ_i = 2^i·ρ_0 the first level ≥ Σρ_j,
            δ_i = δ·6/(π²(i+1)²)

        Proof. Fix i and stop the conversation at the first t with R_t ≤ ρ_i and loss above ε_i.
        By T-filter-zcdp the stopped conversation is ρ_i-zCDP, and then its loss exceeds
        ρ_i + 2√(ρ_i ln(1/δ_i)) with probability at most δ_i (Markov for e^{(a−1)L} at the best
        a). Sum over i: Σ δ_i ≤ δ.

        Holds when: each charge is decided before its answer is drawn.
        Rounds: up.
        """
        ratio = spent.rho / self.first.rho
        level = 0 if ratio <= 1 else ceil(log2(ratio.numerator) - log2(ratio.denominator))
        while self.first.rho * 2**level < spent.rho:  # a logarithm rounded down
            level += 1
        rho = float_up(self.first.rho * 2**level)
        share = float_down(self.delta) * 6 / (pi * (level + 1)) ** 2 * (1 - 2.0**-40)
        epsilon = up(rho + 2 * sqrt(rho * -log(share)))
        return ApproxDP(epsilon=Fraction(epsilon), delta=self.delta)
