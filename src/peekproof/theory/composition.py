"""Composition theorems: what several mechanisms, or records, cost together; and Azuma's bound.

The questions may adapt to earlier answers; the parameters and their number may not. So nothing
here may gate a session: an analyst who picks the next ε after seeing answers is outside these
theorems. Bounds that survive that are filters (`accounting.filters`).

Basic composition adds up ε, δ or total variation. Advanced composition grows like √k: part of δ
buys a smaller ε. Losses that are measured by a divergence (Rényi DP, zCDP) or by a Gaussian test
(GDP) add without loss. `log_survival`, `left_over` and `joined` are about mechanisms that each
fail on a coin of their own, with probability δ_i: the exact part of optimal composition.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from math import exp, expm1, fsum, inf, log, nextafter, sqrt, tanh
from typing import TypeVar

from peekproof.core import check
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import LEAST_DELTA, amount_above, failure, float_above

L = TypeVar("L", bound=Hashable)

Losses = Mapping[L, int] | Iterable[L]


def grouped(losses: Losses[L]) -> dict[L, int]:
    """How often each loss occurs: as given, or counted.

    Mechanisms with equal parameters are composed together, however often they occur.
    """
    if isinstance(losses, Mapping):
        return {loss: check.positive_integer(count=count) for loss, count in losses.items()}
    return dict(Counter(losses))


def total(amounts: Iterable[tuple[Fraction, int]]) -> Fraction:
    """The exact sum of amounts with their counts; equal denominators are added as integers."""
    sums: dict[int, int] = {}
    for amount, count in amounts:
        sums[amount.denominator] = sums.get(amount.denominator, 0) + amount.numerator * count
    return sum((Fraction(over, under) for under, over in sorted(sums.items())), Fraction(0))


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


@theorem("T-basic", "dwork-roth-2014", "Theorem 3.16")
def basic(losses: Losses[ApproxDP]) -> ApproxDP:
    """The loss of all the mechanisms together, each with its own (ε, δ).

        (Σ ε_i, Σ δ_i)

    Holds when: every (ε_i, δ_i) is fixed in advance; the questions may adapt.
    Rounds: not at all; a δ above 1 is 1.
    """
    each = grouped(losses).items()
    epsilon = total((loss.epsilon, count) for loss, count in each)
    delta = total((loss.delta, count) for loss, count in each)
    return ApproxDP(epsilon=epsilon, delta=min(Fraction(1), delta))


@theorem("T-basic-pure", "dwork-roth-2014", "Theorem 3.16, with δ = 0")
def basic_pure(losses: Losses[PureDP]) -> PureDP:
    """The loss of all the mechanisms together, each with its own ε.

        Σ ε_i

    Holds when: every ε_i is fixed in advance; the questions may adapt.
    Rounds: not at all.
    """
    each = grouped(losses).items()
    return PureDP(total((loss.epsilon, count) for loss, count in each))


@theorem("T-tv-comp", "dwork-roth-2014", "Theorem 3.16, with ε = 0")
def total_variation(losses: Losses[TV]) -> TV:
    """The total variation of all the mechanisms together.

        min(1, Σ TV_i)

    For k Gaussian answers it is far from sharp: they compose like √k, not k (T-gdp-tv).

    Holds when: every TV_i is fixed in advance; the questions may adapt.
    Rounds: not at all.
    """
    each = grouped(losses).items()
    distance = total((loss.distance, count) for loss, count in each)
    return TV(min(Fraction(1), distance))


def _total(each: Iterable[Fraction], slack: Fraction) -> Fraction:
    return min(Fraction(1), sum(each, Fraction(0)) + slack)


@theorem("T-advanced", "dwork-roth-2014", "Theorem 3.20")
def advanced(each: ApproxDP, *, count: int, slack: Fraction) -> ApproxDP:
    """The loss of `count` mechanisms, each at most `each`, in the form of the textbooks.

        ε_total = ε·√(2k ln(1/δ′)) + k·ε·(e^ε − 1)
        δ_total = k·δ + δ′                         with k = count, δ′ = slack

    Holds when: ε, δ and k are fixed in advance; the questions may adapt.
    Rounds: up. Every term is positive and increasing in ε.
    """
    check.positive_integer(count=count)
    k = float_above(count=Fraction(count))
    log_inverse = -log_of(failure(slack=slack))
    eps = float_above(most=700, epsilon=each.epsilon)
    epsilon = up(eps * sqrt(2 * k * log_inverse) + k * eps * expm1(eps))
    return ApproxDP(
        epsilon=amount_above(epsilon, argument="epsilon"),
        delta=_total([each.delta * count], slack),
    )


@theorem(
    "T-advanced-sharp",
    "kairouz-oh-viswanath-2015",
    "Composition of different parameters, here equal",
)
def advanced_sharp(each: ApproxDP, *, count: int, slack: Fraction) -> ApproxDP:
    """The loss of `count` mechanisms, each at most `each`, with the sharp first-order term.

        ε_total = ε·√(2k ln(1/δ′)) + k·ε·tanh(ε/2)
        δ_total = k·δ + δ′                         with k = count, δ′ = slack

    ε·tanh(ε/2) is the largest mean of a privacy loss bounded by ε; randomised response has it.

    Holds when: ε, δ and k are fixed in advance; the questions may adapt.
    Rounds: up. Every term is positive and increasing in ε.
    """
    check.positive_integer(count=count)
    k = float_above(count=Fraction(count))
    log_inverse = -log_of(failure(slack=slack))
    eps = float_above(epsilon=each.epsilon)
    epsilon = up(eps * sqrt(2 * k * log_inverse) + k * eps * tanh(eps / 2))
    return ApproxDP(
        epsilon=amount_above(epsilon, argument="epsilon"),
        delta=_total([each.delta * count], slack),
    )


@theorem("T-advanced-mixed", "kairouz-oh-viswanath-2015", "Composition of different parameters")
def advanced_mixed(losses: Losses[ApproxDP], *, slack: Fraction) -> ApproxDP:
    """The loss of all the mechanisms together, each with its own (ε, δ).

        ε_total = √(2 ln(1/δ′)·Σ ε_i²) + Σ ε_i·tanh(ε_i/2)
        δ_total = Σ δ_i + δ′                       with δ′ = slack

    Holds when: every (ε_i, δ_i) is fixed in advance; the questions may adapt.
    Rounds: up. Every term is positive and increasing in every ε_i.
    """
    each = grouped(losses)
    log_inverse = -log_of(failure(slack=slack))
    eps = [
        (float_above(epsilon=loss.epsilon), float_above(count=Fraction(count)))
        for loss, count in each.items()
    ]
    spread, mean = fsum(k * x * x for x, k in eps), fsum(k * x * tanh(x / 2) for x, k in eps)
    epsilon = up(sqrt(2 * log_inverse * spread) + mean)
    return ApproxDP(
        epsilon=amount_above(epsilon, argument="epsilon"),
        delta=_total((loss.delta * count for loss, count in each.items()), slack),
    )


@theorem(
    "T-advanced-best",
    "kairouz-oh-viswanath-2015",
    "Composition of different parameters; proof in the docstring",
)
def advanced_within(losses: Losses[ApproxDP], *, delta: Fraction) -> ApproxDP:
    """The least ε of `advanced_mixed` for a total δ: the slack is all that the δ_i leave.

        δ′ = δ − Σ δ_i

    Proof. ε_total falls as δ′ grows, and δ_total = Σ δ_i + δ′ ≤ δ allows no larger δ′.

    Holds when: every (ε_i, δ_i) is fixed in advance; the questions may adapt.
    Rounds: up.
    """
    each = grouped(losses)
    spent = total((loss.delta, count) for loss, count in each.items())
    if failure(delta=delta) <= spent:
        raise InvalidInput(
            argument="delta",
            accepted=f"above {float(min(spent, Fraction(1))):g}, the sum over the mechanisms",
            given=f"{float(delta):g}",
        )
    return advanced_mixed(each, slack=delta - spent)


@theorem("T-rdp-comp", "mironov-2017", "Proposition 1")
def rdp(mechanisms: Iterable[Iterable[RDP]]) -> tuple[RDP, ...]:
    """The Rényi losses of all the mechanisms together, at every order that all of them state.

        ε_a = Σ_i ε_{a,i}    for each order a

    Holds when: every ε_{a,i} is fixed in advance; the questions may adapt. A mechanism that
    states one order twice is held to the smaller.
    Rounds: not at all. Mechanisms without a common order are refused.
    """
    stated: list[dict[Fraction, Fraction]] = []
    for curve in mechanisms:
        least: dict[Fraction, Fraction] = {}
        for loss in curve:
            least[loss.order] = min(loss.epsilon, least.get(loss.order, loss.epsilon))
        stated.append(least)
    orders = sorted(set(stated[0]).intersection(*stated[1:])) if stated else []
    if not orders:
        raise InvalidInput(
            argument="mechanisms", accepted="losses with an order in common", given="none"
        )
    return tuple(
        RDP(order=order, epsilon=sum((curve[order] for curve in stated), Fraction(0)))
        for order in orders
    )


@theorem("T-zcdp-comp", "bun-steinke-2016", "Lemma 1.7")
def zcdp(losses: Losses[ZCDP]) -> ZCDP:
    """The zCDP of all the mechanisms together.

        ρ = Σ ρ_i

    Holds when: every ρ_i is fixed in advance; the questions may adapt.
    Rounds: not at all.
    """
    each = grouped(losses).items()
    return ZCDP(total((loss.rho, count) for loss, count in each))


@theorem("T-gdp-comp", "dong-roth-su-2022", "Composition of Gaussian differential privacy")
def gdp(losses: Losses[GDP]) -> GDP:
    """The Gaussian loss of all the mechanisms together.

        μ² = Σ μ_i²

    Holds when: every μ_i is fixed in advance; the questions may adapt.
    Rounds: not at all.
    """
    each = grouped(losses).items()
    return GDP(total((loss.mu_squared, count) for loss, count in each))


_MOST_GROWTH = 700  # e^700 is about 1e304
_LEAST_EPSILON = Fraction(1, 10**100)


@theorem("T-group-pure", "dwork-roth-2014", "Theorem 2.2")
def group_pure(loss: PureDP, *, records: int) -> PureDP:
    """The pure loss when K = `records` records are replaced.

        ε_K = K·ε

    Holds when: always.
    Rounds: not at all.
    """
    return PureDP(loss.epsilon * check.positive_integer(records=records))


@theorem("T-group", "dwork-roth-2014", "Theorem 2.2; proof in the docstring")
def group_approx(loss: ApproxDP, *, records: int) -> ApproxDP:
    """The (ε, δ) loss when K = `records` records are replaced.

        ε_K = K·ε,    δ_K = δ·(e^{Kε} − 1)/(e^ε − 1) = δ·Σ_{j<K} e^{jε}

    Proof. Replace the records one by one: p_j ≤ e^ε·p_{j+1} + δ for j < K, and substitute.

    Holds when: always.
    Rounds: up. As e^{(K−1)ε}·(1 − e^{−Kε})/(1 − e^{−ε}), and 1 where that overflows.
    """
    k, eps = check.positive_integer(records=records), loss.epsilon
    growth = (k - 1) * eps
    if growth > _MOST_GROWTH:
        return ApproxDP(epsilon=k * eps, delta=Fraction(1 if loss.delta else 0))
    factor = Fraction(up(exp(float(growth)))) if growth else Fraction(1)
    if eps < _LEAST_EPSILON:  # then the K terms are equal, or each is at most the last
        factor *= k
    else:
        factor *= Fraction(up(expm1(-float(k * eps)) / expm1(-float(eps))))
    return ApproxDP(epsilon=k * eps, delta=min(Fraction(1), loss.delta * factor))


@theorem("T-group-zcdp", "bun-steinke-2016", "Proposition 1.9")
def group_zcdp(loss: ZCDP, *, records: int) -> ZCDP:
    """The zCDP when K = `records` records are replaced.

        ρ_K = K²·ρ

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.rho * check.positive_integer(records=records) ** 2)


@theorem("T-group-gdp", "dong-roth-su-2022", "Group privacy")
def group_gdp(loss: GDP, *, records: int) -> GDP:
    """The Gaussian loss when K = `records` records are replaced.

        μ_K = K·μ

    Holds when: always.
    Rounds: not at all.
    """
    return GDP(loss.mu_squared * check.positive_integer(records=records) ** 2)


FAR = Fraction(1000)  # e^{−1000} is below the smallest float
LARGEST = Fraction(10) ** 300  # beyond it floats could overflow


def _rational(**named: object) -> Fraction:
    ((name, value),) = named.items()
    if not isinstance(value, Fraction):
        raise InvalidInput(argument=name, accepted="a Fraction", given=repr(value))
    return value


def _conditions(count: int, bound: Fraction, mean: Fraction) -> None:
    check.positive_integer(count=count)
    check.positive_fraction(bound=bound)
    if abs(_rational(mean=mean)) > bound:
        accepted = f"between -{bound} and {bound}"
        raise InvalidInput(argument="mean", accepted=accepted, given=str(mean))


@theorem("T-azuma", "peekproof", "The proof in its docstring")
def azuma_tail(*, threshold: Fraction, count: int, bound: Fraction, mean: Fraction) -> float:
    """A bound on Pr[Z_1 + … + Z_k > threshold], k = `count`.

        Pr[ Σ Z_i > kβ + t·√k·α ] ≤ e^{−t²/2}        α = `bound`, β = `mean`, t ≥ 0

    Proof. By Hoeffding's lemma a variable in [−α, α] with conditional mean at most β has
    conditional E e^{λZ} ≤ e^{λβ + λ²α²/2} for λ ≥ 0. Multiply over i, one condition at a time,
    and apply Markov to e^{λΣZ}: Pr[Σ Z > kβ + s] ≤ e^{−λs + kλ²α²/2}, at λ = s/(kα²).

    Holds when: |Z_i| ≤ α surely and E[Z_i | Z_1, …, Z_{i−1}] ≤ β surely; the terms may depend
    on one another in any other way, and k is fixed in advance.
    Rounds: up. The exponent is exact and enters rounded towards 0.
    """
    _conditions(count, bound, mean)
    excess = _rational(threshold=threshold) - count * mean
    if excess <= 0:
        return 1.0
    exponent = min(excess**2 / (2 * count * bound**2), FAR)
    return min(1.0, up(exp(-float_down(exponent))))


@theorem("T-azuma-deviation", "peekproof", "The proof in its docstring")
def azuma_deviation(*, count: int, bound: Fraction, mean: Fraction, beta: Fraction) -> float:
    """A level that Z_1 + … + Z_k, k = `count`, exceeds with probability at most `beta`.

        k·mean + bound·√(2k ln(1/beta))

    Proof. T-azuma with t = √(2 ln(1/beta)).

    Holds when: as for T-azuma.
    Rounds: up. Drift and deviation are each rounded up, and so is their sum.
    """
    _conditions(count, bound, mean)
    check.probability(beta=beta)
    if count * max(bound, Fraction(1)) > LARGEST:
        return inf
    deviation = up(float_up(bound) * sqrt(-2 * count * log(float_down(beta))))
    return nextafter(float_up(count * mean) + deviation, inf)
