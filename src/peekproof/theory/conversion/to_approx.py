"""To (ε, δ)-differential privacy, where that is the definition itself."""

from fractions import Fraction

from peekproof.core.loss import TV, ApproxDP, PureDP
from peekproof.core.theorem import theorem


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
