"""What pure differential privacy says about the mean of the loss."""

from fractions import Fraction
from math import inf, tanh

from peekproof.core.loss import PureDP
from peekproof.core.numerics import float_up, up
from peekproof.core.theorem import theorem

LARGEST = Fraction(10) ** 300  # beyond it floats could overflow, and nothing is promised anyway


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
    if loss.epsilon > LARGEST:
        return inf
    epsilon = float_up(loss.epsilon)
    return up(epsilon * tanh(epsilon / 2))
