"""Multiplicative weights: how often a learnt distribution can be wrong."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.numerics import log_of, up
from peekproof.core.theorem import theorem

# The most that one update changes the logarithm of a ratio of weights. At least 4, for the proof.
LARGEST_STEP = 8.0


@theorem("T-mw", "peekproof", "The proof in its docstring")
def most_updates(*, cells: int, error: Fraction) -> int:
    """The most updates multiplicative weights can make, if each failed guess errs by `error`.

        m ≤ ln|X|/(2γ²)                |X| = `cells`, γ = `error`

    The weights p are a distribution on X, at first uniform; a question q has values in [0, 1] on X,
    and its guess is g = Σ p(x)·q(x). With a t between g and q(D), |t − g| ≥ γ, an update is

        p′(x) ∝ p(x)·(1 + (e^ρ − 1)·q(x)),        e^ρ = t(1 − g)/((1 − t)g)

    but |ρ| is at most 8. For a q of zeros and ones it is the usual factor e^{ρq}; without the limit
    it then moves the guess to t.

    Proof. The relative entropy K = Σ D(x)·ln(D(x)/p(x)) is at least 0, and ln|X| − H(D) ≤ ln|X| at
    the start. As ln(1 + (e^ρ − 1)q) is concave in q, it is at least ρq on [0, 1], so an update
    lowers K by

        Σ D(x)·ln(1 + (e^ρ − 1)·q(x)) − ln(1 + (e^ρ − 1)·g)  ≥  ρ·q(D) − ln(1 + (e^ρ − 1)·g)
                                                             ≥  ρ·t − ln(1 + (e^ρ − 1)·g) = f(ρ),

    for ρ has the sign of t − g, and q(D) lies at t or beyond. f is concave with its maximum at
    ln(t(1 − g)/((1 − t)g)), which is t − g times a slope of the logit and so at least 4|t − g| in
    size; so is the limit. By Hoeffding's lemma ln(1 + (e^ρ − 1)g) ≤ ρg + ρ²/8, so f is at least
    2(t − g)² at ρ = 4(t − g), and from there to the ρ that is used it only grows. Hence each update
    lowers K by at least 2(t − g)² ≥ 2γ², and m of them need 2mγ² ≤ ln|X|. ∎

    With the factor e^{±γq/2} and a second-order bound in place of Hoeffding's lemma the same
    argument gives the 4·ln|X|/γ² of the literature.

    Holds when: one distribution D on the cells is close to all answers that updates used, each of
    them a and its `within` w with |a − q(D)| ≤ w < |a − g|, and |q(D) − g| ≥ γ each time; then the
    side of t is known. In real arithmetic: doubles move K by some 10⁻¹² in an update.
    Rounds: up before the quotient, which is exact, and then to the integer below.
    """
    size, gap = check.positive_integer(cells=cells), check.positive_fraction(error=error)
    if size == 1:
        return 0
    return int(Fraction(up(log_of(Fraction(size)))) / (2 * gap * gap))
