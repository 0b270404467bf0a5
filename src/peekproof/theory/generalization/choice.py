"""What a choice between many candidates promises about the population, inside a session."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.charge import GDP
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.drift import drift_part
from peekproof.theory.generalization.gaussian import levels, own_drift
from peekproof.theory.selection import exponential_shortfall


def _shortfall_part(
    *, rows: int, candidates: int, epsilon: Fraction, target: Target, draws: int
) -> Part:
    """How far below the best of the sample the choice is, in shares."""
    scale = 2 / (check.positive_integer(rows=rows) * check.positive_fraction(epsilon=epsilon))
    _, level = levels(target)
    beta = level * draws / target.questions
    loss = exponential_shortfall(candidates=candidates, scale=scale, beta=beta)
    return Part(
        theorem="T-exp-shortfall",
        covers="how far from the best of the sample the choice can be",
        radius=loss,
        numbers=(("candidates", float(candidates)), ("epsilon", float(epsilon))),
    )


def choice_certificate(
    *, rows: int, candidates: int, epsilon: Fraction, budget: GDP, target: Target, draws: int
) -> Certificate:
    """How much better than the chosen any candidate can be in the population (T-choice-population).

    The choice counts as `draws` of the session's questions, `budget` is the session's clock. The
    drift is the event of T-own-radius.
    """
    shortfall = _shortfall_part(
        rows=rows, candidates=candidates, epsilon=epsilon, target=target, draws=draws
    )
    drift = own_drift(budget, target)
    twice = drift_part("T-drift-choice", up(2 * drift), drift=drift)
    return Certificate(
        target=target, rows=rows, joins="T-choice-population", parts=(shortfall, twice)
    )


@theorem("T-quantile", "peekproof", "The proof in its docstring")
def quantile_certificate(
    *, rows: int, candidates: int, epsilon: Fraction, budget: GDP, target: Target, draws: int
) -> Certificate:
    """How far from the level that was asked the chosen value is a quantile of the population.

        P(x < y) ≤ level + radius  and  P(x ≤ y) ≥ level − radius
        radius = b·(ln|Y| + ln(1/β′) + 1) + sin(a*),    b = 2/(nε), a* of T-drift-angle

    with β′ the part of β that `draws` of the session's questions have; all together with its other
    answers.

    Proof. The score of y is minus the distance of level from [F_S(y−), F_S(y)]; one record moves it
    by at most 1/n, and some y of the grid has score 0. By T-exp-shortfall the mean of the distance
    given π is at most the first term, except with probability β′, as in T-choice-population; so
    E[F_S(y−)|π] − level and level − E[F_S(y)|π] are at most that. F(y−) and F(y) are means of
    functions with values in [0, 1], which the conversation moves by at most sin(a*).

    Holds when: every row lies in one cell of the grid, the grid is fixed beforehand, and y is
    chosen by the exponential mechanism with these scores.
    Rounds: up.
    """
    shortfall = _shortfall_part(
        rows=rows, candidates=candidates, epsilon=epsilon, target=target, draws=draws
    )
    drift = own_drift(budget, target)
    once = drift_part("T-drift-choice", drift, drift=drift)
    return Certificate(target=target, rows=rows, joins="T-quantile", parts=(shortfall, once))
