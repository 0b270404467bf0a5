"""The certificate of a session whose counts carry discrete Laplace noise."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem
from peekproof.theory.discrete_noise import discrete_laplace_shortfall, laplace
from peekproof.theory.generalization.drift import drift_part, pure_drift, rounding_part


@theorem("T-joint-discrete-laplace", "peekproof", "The proof in its docstring")
def discrete_laplace_certificate(
    *,
    rows: int,
    scale: Fraction,
    step: Fraction,
    target: Target,
    cells: int = 1,
    sensitivity: int = 1,
    levels: int = 1,
) -> Certificate:
    """The radius that all answers of a session with discrete Laplace noise on its totals keep.

        radius = ES/(nL) + tanh(kΔ/(4nb)) + step/2      b = `scale`, Δ = `sensitivity`, L = `levels`

    with ES the bound of T-noise-discrete-laplace on k·`cells` noises of scale nbL, on totals in
    units of 1/L. Answers of one session may have different L: each fails with its own part of β.

    Proof. a_j − q_j(P) = E[N_j|π]/(nL) + E[R_j|π] + (q_j(Q_π) − q_j(P)), with R_j from rounding,
    for every cell j of every answer. Each of the first is within the first term except with
    probability β/(k·cells), by T-noise-discrete-laplace for one noise alone, so all are except with
    probability β. k answers are together ε-DP with ε = kΔ/(nb) (T-laplace), so the drift is within
    the second term surely, for every question with values in [0, 1] (T-drift-pure).

    Holds when: at most k = target.questions answers are drawn, each of at most `cells` sums over
    the rows of numbers 0, 1/L, …, 1, moved by at most Δ in L1 when one row is replaced; each sum,
    in units of 1/L, has discrete Laplace noise of scale nbL and is then rounded, as a share, to
    the grid of `step`.
    Rounds: up.
    """
    whole = check.positive_integer(rows=rows) * check.positive_integer(levels=levels)
    on_totals = check.drawable(scale=scale) * whole
    moved = Fraction(check.positive_integer(sensitivity=sensitivity) * levels)
    noises = target.questions * check.positive_integer(cells=cells)
    loss = laplace(scale=on_totals, sensitivity=moved) * target.questions
    shortfall = discrete_laplace_shortfall(scale=on_totals, beta=target.beta, count=noises)
    noise = Part(
        theorem="T-noise-discrete-laplace",
        covers="what the added noise can hide",
        radius=up(shortfall / whole),
        numbers=(("scale", float(scale)), ("shortfall", shortfall)),
    )
    drift = drift_part("T-drift-pure", pure_drift(loss), epsilon=float(loss.epsilon))
    return Certificate(
        target=target,
        rows=rows,
        joins="T-joint-discrete-laplace",
        parts=(noise, drift, rounding_part(step)),
    )
