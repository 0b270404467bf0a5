"""Composition that grows like √k: part of δ buys a smaller ε."""

from collections.abc import Iterable
from fractions import Fraction
from math import expm1, fsum, sqrt, tanh

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.loss import ApproxDP
from peekproof.core.numerics import log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.composition.grouped import Losses, grouped, total
from peekproof.theory.conversion.outward import amount_above, failure, float_above


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
