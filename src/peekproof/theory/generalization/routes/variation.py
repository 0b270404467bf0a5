"""Gaussian noise priced through total variation: added up, or composed as Gaussians compose."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from peekproof.core import check
from peekproof.core.bound import OneQuestion, Simultaneous
from peekproof.core.loss import GDP, TV
from peekproof.core.numerics import up
from peekproof.core.target import Target
from peekproof.theory.conversion.to_tv import gdp_to_tv
from peekproof.theory.divergence.tv import gaussian_tv
from peekproof.theory.generalization.noise import gaussian_accuracy, gaussian_shortfall
from peekproof.theory.generalization.routes.priced import Priced
from peekproof.theory.generalization.search import descend, golden
from peekproof.theory.generalization.tv_expected import (
    markov_radius,
    one_question_radius,
    one_question_tv,
    tv_markov,
)

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
