"""Losses that simply add."""

from fractions import Fraction

from peekproof.core.loss import TV, ApproxDP, PureDP
from peekproof.core.theorem import theorem
from peekproof.theory.composition.grouped import Losses, grouped, total


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
