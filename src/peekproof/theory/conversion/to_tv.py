"""To total variation: by how much the probability of any event can move."""

from fractions import Fraction
from math import erf, exp, expm1, sqrt, tanh

from peekproof.core.loss import GDP, TV, ApproxDP, PureDP
from peekproof.core.numerics import float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.outward import float_above


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
