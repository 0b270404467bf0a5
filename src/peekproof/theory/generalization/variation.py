"""The transfer theorem by total variation: on average, for one question, and for all questions.

Gaussian noise is priced through it in two ways: the total variation of each answer is added up, or
that of the whole conversation is found as Gaussians compose.
"""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from peekproof.core import check
from peekproof.core.certificate import OnAverage, OneQuestion, Simultaneous, Target
from peekproof.core.charge import GDP, TV
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import gdp_to_tv
from peekproof.theory.divergence import gaussian_tv
from peekproof.theory.generalization.noise import Shortfall, gaussian_accuracy, gaussian_shortfall
from peekproof.theory.generalization.search import Priced, descend, golden


@theorem("T-tv-mean", "peekproof", "The proof in its docstring")
def expected_tv(loss: TV) -> OnAverage:
    """How far the chosen question's sample mean is from its population mean, in expectation.

        |E[q(S) − q(P)]| ≤ ε                        with ε the total variation, q ← M(S)

    Proof. Let S′ be S with x_i replaced by a fresh x′. E q(x_i) with q ← M(S′) is E q(P), and with
    q ← M(S) it differs by at most ε, as q has values in [0,1]. Average over i.

    Holds when: q maps records to [0,1] and is chosen through an ε-TV-stable M; the records are
    independent draws from P. The signed mean is bounded, not that of the size.
    Rounds: up.
    """
    return OnAverage.of(float_up(loss.distance))


@theorem("T-tv-expected", "peekproof", "The proof in its docstring")
def one_question_tv(loss: TV, *, rows: int, beta: Fraction) -> OneQuestion:
    """How far one chosen question is from the population on average over the mechanism's coins.

        Pr_S[ |E_coins[q(S) − q(P)]| ≤ ε + (2εn + 1)·√(ln(2/β)/(2n)) ] ≥ 1 − β

    Proof. g(S) = E_coins[q(S) − q(P)] has |E g| ≤ ε by T-tv-mean. Replacing one record moves the
    law of q by ε in total variation, and q(S) − q(P) spans 2; it moves q(S) by 1/n for fixed q.
    So g moves by at most 2ε + 1/n, and McDiarmid's inequality gives the second term.

    Holds when: as for T-tv-mean. The coins are averaged out before the sample is drawn, so it
    does not hold for the answer that was seen, nor for the worst of several.
    Rounds: up.
    """
    return OneQuestion.of(one_question_radius(loss, rows=rows, beta=beta), beta=beta)


def one_question_radius(loss: TV, *, rows: int, beta: Fraction) -> float:
    """The radius of T-tv-expected before it is cut at 1, for searches."""
    check.positive_integer(rows=rows)
    level = log_of(2 / check.probability(beta=beta))
    distance = float_up(loss.distance)
    return up(distance + (2 * distance * rows + 1) * sqrt(level / (2 * rows)))


@theorem("T-tv-markov", "peekproof", "The proof in its docstring")
def tv_markov(noise: Shortfall, loss: TV) -> Simultaneous:
    """The radius that all answers keep together if all of them are ε-TV-stable.

        radius = shortfall_β + ε/β

    Proof. Let Q be the law of the sample given the transcript π, and D(π) the largest |q_j(Q) −
    q_j(P)|. Let f_π be that q_j, or 1 − q_j if q_j(Q) is the smaller. As in T-tv-mean, for each i
    E f_π(x_i) ≤ E f_π(P) + ε, so E D ≤ ε. If U + D > radius on an event of probability above β,
    with U = max_j |E[a_j − q_j(S) | π]|, then given that event U has mean at most shortfall_β and
    D at most ε/β, and their sum is above the radius: contradiction.

    Holds when: the whole transcript is ε-TV-stable, questions may adapt, records are independent.
    Rounds: up.
    """
    return Simultaneous.of(markov_radius(noise, loss), beta=noise.beta)


def markov_radius(noise: Shortfall, loss: TV) -> float:
    """The radius of T-tv-markov before it is cut at 1, for searches."""
    return up(noise.radius + float_up(loss.distance / noise.beta))


Composition = Callable[[int, Fraction, int], TV]


def _added(rows: int, sigma: Fraction, questions: int) -> TV:
    """T-tv-gauss for each answer, T-tv-comp for all."""
    each = gaussian_tv(sensitivity=Fraction(1, rows), sigma=sigma)
    return TV(min(Fraction(1), each.distance * questions))


def _composed(rows: int, sigma: Fraction, questions: int) -> TV:
    """T-gdp-tv for the whole conversation."""
    return gdp_to_tv(GDP(1 / (rows * sigma) ** 2) * questions)


def one_question_added(rows: int, target: Target) -> Priced[OneQuestion]:
    """T-tv-expected with noise for all answers, total variation added: the founding chain."""
    return _one_question(rows, target, _added)


def one_question_composed(rows: int, target: Target) -> Priced[OneQuestion]:
    """T-tv-expected with noise for all answers, total variation of the whole."""
    return _one_question(rows, target, _composed)


def _one_question(rows: int, target: Target, compose: Composition) -> Priced[OneQuestion]:
    check.positive_integer(rows=rows)
    k, beta = target.questions, target.beta

    def noise_beta(odds: float) -> Fraction:
        return beta * Fraction(odds / (1 + odds))

    def radius(point: tuple[float, ...]) -> float:
        sigma, share = Fraction(point[0]), noise_beta(point[1])
        noise = gaussian_accuracy(sigma=sigma, count=k, beta=share)
        loss = compose(rows, sigma, k)
        return noise.radius + one_question_radius(loss, rows=rows, beta=beta - share)

    best = descend(radius, start=(sqrt(k / sqrt(rows)), 1.0))
    sigma, share = Fraction(best[0]), noise_beta(best[1])
    noise = gaussian_accuracy(sigma=sigma, count=k, beta=share)
    bound = one_question_tv(compose(rows, sigma, k), rows=rows, beta=beta - share)
    return Priced(
        theorem="T-tv-expected",
        bound=OneQuestion.of(up(noise.radius + bound.radius), beta=beta),
        parameters=(("sigma", sigma), ("noise_beta", share)),
    )


def markov_added(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-tv-markov, total variation added."""
    lowest = target.questions / (2.5 * check.positive_integer(rows=rows))
    return _markov(rows, target, _added, lowest)


def markov_composed(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-tv-markov, total variation of the whole."""
    lowest = sqrt(target.questions) / (2 * check.positive_integer(rows=rows))
    return _markov(rows, target, _composed, lowest)


def _markov(rows: int, target: Target, compose: Composition, lowest: float) -> Priced[Simultaneous]:
    # Below `lowest` total variation is near 1, and the bound no longer falls and then rises.
    k, beta = target.questions, target.beta

    def radius(point: float) -> float:
        sigma = Fraction(point)
        noise = gaussian_shortfall(sigma=sigma, count=k, beta=beta)
        return markov_radius(noise, compose(rows, sigma, k))

    sigma = Fraction(golden(radius, low=lowest, high=lowest * rows + 1))
    noise = gaussian_shortfall(sigma=sigma, count=k, beta=beta)
    return Priced(
        theorem="T-tv-markov",
        bound=tv_markov(noise, compose(rows, sigma, k)),
        parameters=(("sigma", sigma),),
    )
