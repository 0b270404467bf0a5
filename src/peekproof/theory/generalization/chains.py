"""Two ways to plan noise from stability: by total variation alone, or through privacy.

Both end in T-tv-mean (`OnAverage`) or in T-tv-expected (`OneQuestion`), whose radius is the goal.
The rows needed for fixed noise grow with the number of questions k as

    goal          total variation adds       privacy composes
    OnAverage     k                          √k
    OneQuestion   k²                         k             up to logarithms

Neither goal is simultaneous, so a plan made here certifies no answer.
"""

from collections.abc import Callable
from fractions import Fraction
from math import log1p, pi, sqrt

from peekproof.core import check
from peekproof.core.certificate import OnAverage, OneQuestion
from peekproof.core.charge import TV, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_down, float_up, largest, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.composition import advanced_sharp
from peekproof.theory.conversion import approx_to_tv
from peekproof.theory.generalization.search import each_within, golden

Goal = OnAverage | OneQuestion
_MOST_ROWS = 10**18


def allowed_distance(goal: Goal, *, rows: int) -> Fraction:
    """The largest total variation that reaches the goal; 0 or less if none does.

        OnAverage: ε = τ          OneQuestion: ε = (τ − r)/(1 + 2nr),  r = √(ln(2/β)/(2n))

    Rounds: down.
    """
    if isinstance(goal, OnAverage):
        return Fraction(goal.radius)
    r = up(sqrt(log_of(2 / check.probability(beta=goal.beta)) / (2 * rows)))
    return Fraction(down((goal.radius - r) / (1 + 2 * rows * r)))


def _attainable(goal: Goal, *, rows: int) -> Fraction:
    distance = allowed_distance(goal, rows=check.positive_integer(rows=rows))
    if not 0 < distance <= 1:
        raise InvalidInput(
            argument="rows", accepted="enough rows for this goal", given=f"{rows} rows"
        )
    if distance < 1e-250:
        raise InvalidInput(argument="goal", accepted="a larger radius", given=repr(goal))
    return distance


@theorem("T-chain-tv", "peekproof", "The proof in its docstring")
def sigma_by_variation(goal: Goal, *, rows: int, questions: int) -> Fraction:
    """The Gaussian noise with which `questions` answers reach the goal, by adding total variation.

        σ = k/(√(2π)·n·ε)                         with ε = allowed_distance(goal)

    Proof. Each answer has total variation at most 1/(√(2π)·nσ) by T-tv-gauss, and k of them k times
    that by T-tv-comp.

    Holds when: as for T-tv-mean or T-tv-expected; questions may adapt.
    Rounds: up.
    """
    distance = _attainable(goal, rows=rows)
    each = distance / check.positive_integer(questions=questions)
    return Fraction(up(float_up(1 / (rows * each)) / sqrt(2 * pi)))


def _epsilon_within(distance: float, *, questions: int, slack: float) -> float:
    """The ε per answer at which T-advanced-sharp with this slack uses up `distance`, about."""
    if distance >= 1 or slack >= distance:
        return 0.0
    total = log1p(2 * (distance - slack) / (1 - distance))
    return each_within(total, count=questions, slack=slack)


@theorem("T-chain-dp", "peekproof", "The proof in its docstring")
def epsilon_by_privacy(goal: Goal, *, rows: int, questions: int) -> Fraction:
    """The ε per answer with which `questions` answers reach the goal, by advanced composition.

        (e^{ε′} − 1 + 2δ′)/(e^{ε′} + 1) ≤ allowed distance,   ε′ = ε·√(2k ln(1/δ′)) + kε·tanh(ε/2)

    at the best δ′. Laplace noise of scale 1/(nε) has that ε.

    Proof. T-advanced-sharp bounds the privacy of k answers and T-approx-tv its total variation.

    Holds when: as for T-tv-mean or T-tv-expected; questions may adapt.
    Rounds: down; both theorems are evaluated again at the ε returned.
    """
    distance = float_down(_attainable(goal, rows=rows))
    check.positive_integer(questions=questions)

    def cost(slack: float) -> float:
        return -_epsilon_within(distance, questions=questions, slack=slack)

    slack = golden(cost, low=distance * 1e-12, high=distance * 0.999)
    epsilon = Fraction(-cost(slack) * (1 - 1e-9))
    exact, allowed = Fraction(slack), Fraction(distance)
    if not epsilon or variation_of(epsilon, questions=questions, slack=exact).distance > allowed:
        raise InvalidInput(argument="goal", accepted="a larger radius", given=repr(goal))
    return epsilon


def variation_of(epsilon: Fraction, *, questions: int, slack: Fraction) -> TV:
    """The total variation of `questions` ε-DP answers, by T-advanced-sharp and T-approx-tv."""
    each = ApproxDP(epsilon=epsilon, delta=Fraction(0))
    return approx_to_tv(advanced_sharp(each, count=questions, slack=slack))


def scale_by_privacy(goal: Goal, *, rows: int, questions: int) -> Fraction:
    """The Laplace noise 1/(nε) of T-chain-dp."""
    return 1 / (rows * epsilon_by_privacy(goal, rows=rows, questions=questions))


def _least_rows(noise: Callable[[int], Fraction], *, goal: Goal, most: Fraction) -> int:
    """The least n at which the goal is attainable and needs noise of at most `most`."""

    def fails(rows: int) -> bool:
        return not 0 < allowed_distance(goal, rows=rows) <= 1 or noise(rows) > most

    enough = largest(fails, most=_MOST_ROWS) + 1
    if enough > _MOST_ROWS:
        raise InvalidInput(argument="goal", accepted="within reach of 10^18 rows", given=repr(goal))
    return enough


def rows_by_variation(goal: Goal, *, questions: int, sigma: Fraction) -> int:
    """The rows that T-chain-tv needs for noise of at most `sigma`."""
    check.positive_fraction(sigma=sigma)
    return _least_rows(
        lambda rows: sigma_by_variation(goal, rows=rows, questions=questions),
        goal=goal,
        most=sigma,
    )


def rows_by_privacy(goal: Goal, *, questions: int, scale: Fraction) -> int:
    """The rows that T-chain-dp needs for noise of at most `scale`."""
    check.positive_fraction(scale=scale)
    return _least_rows(
        lambda rows: scale_by_privacy(goal, rows=rows, questions=questions), goal=goal, most=scale
    )
