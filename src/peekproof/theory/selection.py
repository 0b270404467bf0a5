"""How much worse than the best the chosen of many candidates is, in the sample and beyond it.

Throughout, f_y(S) is the score of candidate y, OPT the best, |Y| the number of candidates, and
b = 2Δ/ε the scale at which a choice is ε-DP if one record moves every score by at most Δ.
"""

from fractions import Fraction
from math import exp, inf, log1p

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem


def _scaled(scale: Fraction, factor: float) -> float:
    """scale·factor, rounded up; a scale beyond the floats bounds nothing."""
    try:
        return up(float_up(scale) * factor) if factor else 0.0
    except OverflowError:
        return inf


def _checked(*, candidates: int, scale: Fraction) -> None:
    check.positive_integer(candidates=candidates)
    check.positive_fraction(scale=scale)


def _distance(**named: object) -> None:
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise InvalidInput(
            argument=name, accepted="a finite number of at least 0", given=repr(value)
        )


@theorem("T-exp", "dwork-roth-2014", "Utility of the exponential mechanism; proof in the docstring")
def exponential_loss(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT the choice of the exponential mechanism is, except with probability β.

        Pr[ f(chosen) ≤ OPT − b·(ln|Y| + ln(1/β)) ] ≤ β

    Proof. In Pr[y] = e^{f_y/b}/Σ_z e^{f_z/b} the sum is at least e^{OPT/b}, and at most |Y|
    candidates have f_y ≤ OPT − bt; together they have at most |Y|e^{−t}, which is β at the t above.

    Holds when: y is chosen with probability proportional to e^{f_y(S)/b}, given everything before.
    Rounds: up.
    """
    _checked(candidates=candidates, scale=scale)
    return _scaled(scale, up(log_of(candidates / check.probability(beta=beta))))


@theorem("T-exp-mean", "peekproof", "The proof in its docstring")
def exponential_mean_loss(*, candidates: int, scale: Fraction) -> float:
    """How far below OPT the choice of the exponential mechanism is on average.

        OPT − E f(chosen) ≤ b·ln|Y|

    Proof. ln Pr[y] = f_y/b − ln Σ_z e^{f_z/b} ≤ (f_y − OPT)/b. The mean of −ln Pr[y] is the entropy
    of the choice, at most ln|Y|; so (OPT − E f(chosen))/b ≤ ln|Y|.

    Holds when: y is chosen with probability proportional to e^{f_y(S)/b}. It is a mean over the
    choice alone, and so no promise about any one choice.
    Rounds: up.
    """
    _checked(candidates=candidates, scale=scale)
    return _scaled(scale, log_of(Fraction(candidates)))


@theorem("T-exp-shortfall", "peekproof", "The proof in its docstring")
def exponential_shortfall(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT the exponential mechanism chooses, on average over any event of chance β.

        E[ OPT − f(chosen) | B ] ≤ b·(ln|Y| + ln(1/β) + 1)        whenever Pr[B] ≥ β

    Proof. By T-exp the loss exceeds bt with probability at most |Y|e^{−t}, so given B with at most
    min(1, re^{−t}), r = |Y|/β. Its integral over t ≥ 0 is ln r + 1, for r ≥ 1.

    Holds when: y is chosen with probability proportional to e^{f_y(S)/b}, given everything before;
    B may depend on the sample, the choice and whatever follows.
    Rounds: up.
    """
    _checked(candidates=candidates, scale=scale)
    return _scaled(scale, up(log_of(candidates / check.probability(beta=beta)) + 1))


@theorem("T-flip", "peekproof", "The proof in its docstring")
def flip_loss(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT the choice of permute-and-flip is, except with probability β.

        Pr[ f(chosen) < OPT − b·ln(max(1, (|Y| − 1)/(2β))) ] ≤ β

    Proof. It chooses the largest f_y + bE_y with independent exponential E_y. Let o be a best
    candidate. Some y with f_y < OPT − bt is chosen only if E_y − E_o > t; for t ≥ 0 that has
    probability e^{−t}/2, and there are at most |Y| − 1 such y.

    Holds when: the E_y are independent of one another and of everything before.
    Rounds: up.
    """
    _checked(candidates=candidates, scale=scale)
    odds = (candidates - 1) / (2 * check.probability(beta=beta))
    return _scaled(scale, up(log_of(odds))) if odds > 1 else 0.0


@theorem("T-flip-shortfall", "peekproof", "The proof in its docstring")
def flip_shortfall(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT permute-and-flip chooses, on average over any event of chance β.

        E[ OPT − f(chosen) | B ] ≤ b·(1 + ln r) if r ≥ 1, else b·r        r = (|Y| − 1)/(2β)

    whenever Pr[B] ≥ β.

    Proof. By T-flip the loss exceeds bt with probability at most (|Y| − 1)e^{−t}/2, so given B with
    at most min(1, re^{−t}): integrate over t ≥ 0.

    Holds when: T-flip does; B may depend on the sample, the choice and whatever follows.
    Rounds: up.
    """
    _checked(candidates=candidates, scale=scale)
    odds = (candidates - 1) / (2 * check.probability(beta=beta))
    return _scaled(scale, up(1 + log_of(odds)) if odds > 1 else float_up(odds))


def _laplace_quantile(odds: Fraction) -> float:
    """A t ≥ 0 with odds·(1 + t/2)·e^{−t} ≤ 1, near the smallest.

    The smallest is 0 or solves t = ln(odds) + ln(1 + t/2) ≤ ln(odds) + t/2. The right-hand side
    grows by at most half as fast as t, so from 2·ln(odds), above the solution, repeating it falls
    towards the solution and halves the distance each time without passing it.
    """
    if odds <= 1:
        return 0.0
    level = log_of(odds)
    t = 2 * level
    for _ in range(60):
        t = level + log1p(t / 2)
    return up(t)


@theorem("T-noisy-max", "peekproof", "The proof in its docstring")
def noisy_max_loss(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT the largest score behind Laplace noise is, except with probability β.

        Pr[ f(chosen) < OPT − bt ] ≤ (|Y| − 1)·(1 + t/2)·e^{−t}/2 ≤ β        for some t near
        ln((|Y| − 1)/(2β)) + ln(1 + t/2)

    Proof. It chooses the largest f_y + bL_y. Let o be a best candidate. Some y with f_y < OPT − bt
    is chosen only if L_y − L_o > t, and there are at most |Y| − 1 such y. The difference of two
    Laplace variables has density (1 + |s|)e^{−|s|}/4, so for t ≥ 0 it exceeds t with probability
    (1 + t/2)e^{−t}/2.

    Holds when: the L_y are Laplace of scale 1, independent of one another and of everything before.
    Rounds: up. Every t at or above the smallest is valid.
    """
    _checked(candidates=candidates, scale=scale)
    odds = (candidates - 1) / (2 * check.probability(beta=beta))
    return _scaled(scale, _laplace_quantile(odds))


@theorem("T-noisy-max-shortfall", "peekproof", "The proof in its docstring")
def noisy_max_shortfall(*, candidates: int, scale: Fraction, beta: Fraction) -> float:
    """How far below OPT noisy max chooses, on average over any event of chance β.

        E[ OPT − f(chosen) | B ] ≤ b·(t + r·(3 + t)/2·e^{−t})        r = (|Y| − 1)/(2β)

    for every t ≥ 0, whenever Pr[B] ≥ β.

    Proof. By T-noisy-max the loss exceeds bs with probability at most β·r(1 + s/2)e^{−s}, so given
    B with at most r(1 + s/2)e^{−s}. Integrate 1 up to t and this from t on, where its integral is
    r(3/2 + t/2)e^{−t}.

    Holds when: T-noisy-max does; B may depend on the sample, the choice and whatever follows.
    Rounds: up. Every t gives a valid bound; the one of T-noisy-max gives the smallest.
    """
    _checked(candidates=candidates, scale=scale)
    odds = (candidates - 1) / (2 * check.probability(beta=beta))
    if not odds:
        return 0.0
    t = _laplace_quantile(odds)
    rest = exp(log_of(odds) - t)  # r itself may lie beyond the floats where t is large
    return _scaled(scale, up(t + rest * (3 + t) / 2))


@theorem("T-choice-population", "peekproof", "The proof in its docstring")
def choice_gap(*, shortfall: float, rows: int, drift: float) -> float:
    """How much better than the chosen candidate any other can be in the population.

        f_y(P) − f_chosen(P) ≤ min(1, s/n + 2d)        for all y, s = `shortfall`, d = `drift`

    Proof. The choice c is part of the transcript π. For each y, E[f_y(S) − f_c(S) | π] is at most
    E[OPT(S) − f_c(S) | π] ≤ s/n. q = (f_y − f_c + 1)/2 is a question with values in [0, 1], so its
    means under the posterior Q_π and under P differ by at most d: f_y(P) − f_c(P) = 2q(P) − 1
    ≤ 2q(Q_π) − 1 + 2d = E[f_y(S) − f_c(S) | π] + 2d. Means of values in [0, 1] differ by at most 1.

    With s the shortfall at β, E[OPT(S) − f_c(S) | π] ≤ s/n fails with probability at most β: were
    its failure an event of larger probability, the mean of the loss over it would be at most s/n,
    and above s/n.

    Holds when: f_y(S) = count/n is the mean over the sample of a function with values in [0, 1],
    fixed before the choice; the mean of count(best) − count(chosen) given π is at most s, and the
    drift of every question, asked or not, at most d.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    _distance(shortfall=shortfall)
    _distance(drift=drift)
    return min(1.0, up(shortfall / rows + 2 * drift))
