"""Multiplicative weights: how often a learnt distribution can be wrong."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.errors import InvalidInput
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


@theorem("T-private-mw", "peekproof", "The proof in its docstring")
def private_weights(
    *, cells: int, rows: int, threshold: int, radius: Fraction
) -> tuple[int, Fraction]:
    """The most failed guesses of privately checked weights, and how far any answer can err.

        failures ≤ ln|X|/(2γ²),    γ = (T − r − ½)/n        error ≤ (T + r + ½)/n

    Weights guess g for a share q, and G is the integer nearest to g·n, n = `rows`. Numeric sparse
    vector is asked whether the count c = n·q(S) less G reaches T = `threshold`, and if not, whether
    G less c does. If neither, g is the answer. If one does, its noisy count gives the answer a, cut
    to [0, 1], and the weights learn it, within r/n.

    Proof. Both differences move by at most 1 with one record, and G is known before they are asked,
    so they are counts as numeric sparse vector takes them. Suppose it errs by at most r = `radius`
    in all it says. A difference that reached T is at least T − r, so g is off by at least γ; the
    answer is off by at most r/n, also after it was cut, and further than that from g, for
    T − 2r − ½ > r. So each failure is an update of T-mw for D = S with error γ. A guess that stays
    has |c − G| < T + r, and |g − q(S)| is at most ½/n more; r alone is less than that. ∎

    Holds when: numeric sparse vector errs by at most r in all verdicts and counts of its run, as it
    does except with the probability its radius is for, two comparisons to a question; T > 3r + ½;
    and, for the number of failures, the weights take γ as their error, and every row of S is one of
    the cells for all questions asked.
    Rounds: up, by T-mw; the error not at all.
    """
    n, size = check.positive_integer(rows=rows), check.positive_integer(cells=cells)
    reach, top = check.amount(radius=radius), check.positive_integer(threshold=threshold)
    half = Fraction(1, 2)
    if top <= 3 * reach + half:
        raise InvalidInput(
            argument="threshold",
            accepted=f"above 3·radius + 1/2 = {3 * reach + half}",
            given=str(top),
        )
    most = most_updates(cells=size, error=(top - reach - half) / n)
    return most, (top + reach + half) / n
