"""Losses measured by a divergence or a Gaussian test: they add without loss."""

from collections.abc import Iterable
from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.core.loss import GDP, RDP, ZCDP
from peekproof.core.theorem import theorem
from peekproof.theory.composition.grouped import Losses, grouped, total


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
