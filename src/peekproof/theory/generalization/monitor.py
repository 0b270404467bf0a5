"""The transfer theorem for Gaussian noise, by a monitor that sees only answers.

`gaussian_monitor` and `gaussian_monitor_two_sided` price Gaussian noise through it, at the best
noise and number of copies.
"""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, expm1, log1p, pi, sqrt
from statistics import NormalDist

import numpy as np

from peekproof.core import check
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.charge import GDP
from peekproof.core.numerics import MARGIN, float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import float_above
from peekproof.theory.generalization.noise import mean_largest_normal
from peekproof.theory.generalization.search import Priced, golden

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _between(low: float, width: float) -> float:
    """Φ(low + width) − Φ(low), without cancelling."""
    if width > 0.5:
        return (erfc(-(low + width) / sqrt(2)) - erfc(-low / sqrt(2))) / 2
    t = low + width * (_NODES + 1) / 2
    return float(_WEIGHTS @ np.exp(-t * t / 2)) * width / 2 / sqrt(2 * pi)


def _reaching(mass: Callable[[float], float], *, share: float, top: float) -> float:
    """A z ≤ top, next to the least, where the rising `mass` was seen to reach `share`, or top."""
    low, high = NormalDist().inv_cdf(share / 4) + 2 * top - 1, top
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if mass(middle) >= share * (1 + MARGIN) else (middle, high)
    return high


def one_sided_leak(mu: float, copies: int) -> float:
    """T·max_{y ≤ 1/T} Φ(Φ⁻¹(y) + μ) − y; the maximum over all y is at Φ(−μ/2)."""
    z = _reaching(lambda z: erfc(-z / sqrt(2)) / 2, share=1 / copies, top=-mu / 2)
    return up(copies * _between(z, mu))


def two_sided_leak(mu: float, copies: int) -> float:
    """T·(Φ(z+μ) − Φ(z)) at the z ≤ −μ/2 with Φ(z) + Φ(z+μ) = 1/T."""

    def mass(z: float) -> float:
        return (erfc(-z / sqrt(2)) + erfc(-(z + mu) / sqrt(2))) / 2

    z = _reaching(mass, share=1 / copies, top=-mu / 2)
    return up(copies * _between(z, mu))


def monitor_radius(*, sigma: float, copies: int, largest: float, leak: float, beta: float) -> float:
    """(σ·E max + leak)/(1 − (1−β)^T), before it is cut at 1."""
    return up((sigma * largest + leak) / -expm1(copies * log1p(-beta)))


def total_mu(*, rows: int, sigma: Fraction, questions: int) -> float:
    """√k/(nσ), not below: the μ of the whole conversation."""
    total = GDP(1 / (rows * sigma) ** 2) * questions
    return up(sqrt(float_above(mu_squared=min(total.mu_squared, Fraction(1600)))))


@theorem("T-monitor-gdp", "bassily-et-al-2016", "The monitor; proof in the docstring")
def monitor(*, rows: int, sigma: Fraction, copies: int, target: Target) -> Simultaneous:
    """The radius that all answers with Gaussian noise keep together, by T copies of the whole.

        radius·(1 − (1−β)^T) = σ·E max_{Tk} |Z| + T·Φ(Φ⁻¹(1/T) + μ) − 1,     μ = √k/(nσ)

    Proof. Draw T = `copies` samples and hold the conversation with each. Let t, j be the answer
    furthest from the population, and f the q_j or 1 − q_j for which the answer is too large. If
    one conversation errs by more than the radius r with probability above β, the pick errs by
    more than r·(1 − (1−β)^T) on average. It is chosen from the answers alone, so it is μ-GDP in
    each record of each sample. Its error is its noise, at most the largest of Tk, plus f(S_t) −
    f(P). For each copy t, with y_t = E[1(t is picked)·f(P)] and G(y) = Φ(Φ⁻¹(y) + μ), swapping
    one record for a fresh one gives E[1(t is picked)·f(x_i)] ≤ G(y_t), by the trade-off and since
    G is concave. So the mean of f(S_t) − f(P) is at most Σ_t G(y_t) − y_t ≤ T·(G(y) − y) at the
    mean y of the y_t, and y ≤ 1/T. G(y) − y rises up to y = Φ(−μ/2); if that is below 1/T, its
    value there is used.

    Holds when: at most k = target.questions answers are given, each with noise σ fixed in advance
    on a statistic that one record moves by at most 1/n; questions may adapt, records are
    independent. Clipping answers to [0,1] brings them no further from the population.
    Rounds: up.
    """
    return _monitored(one_sided_leak, rows=rows, sigma=sigma, copies=copies, target=target)


@theorem("T-monitor-two-sided", "peekproof", "The proof in its docstring")
def monitor_two_sided(*, rows: int, sigma: Fraction, copies: int, target: Target) -> Simultaneous:
    """T-monitor-gdp with a smaller leak, since a question and its complement bound each other.

        radius·(1 − (1−β)^T) = σ·E max_{Tk} |Z| + T·(Φ(z+μ) − Φ(z)),   Φ(z) + Φ(z+μ) = 1/T

    Proof. As there, with also y′_t = E[1(t is picked)·(1 − f(P))]. A fresh record leaves the
    chance that t is picked as it is, y_t + y′_t, so E[1(t is picked)·(f(x_i) − f(P))] is at most
    G(y_t) − y_t and also at most y′_t − G⁻¹(y′_t). Both are concave, so is their minimum, and the
    sum over t is at most T times its value at the means y, y′ with y + y′ = 1/T. Take z ≤ −μ/2 as
    above. If y ≤ Φ(z), then G(y) − y ≤ G(Φ(z)) − Φ(z), as it rises up to Φ(−μ/2). Otherwise y′ <
    Φ(z+μ), and y′ − G⁻¹(y′), which rises up to Φ(μ/2), is at most Φ(z+μ) − Φ(z). Both are the
    same number.

    Holds when: as for T-monitor-gdp.
    Rounds: up. A z that is too large gives a larger bound.
    """
    return _monitored(two_sided_leak, rows=rows, sigma=sigma, copies=copies, target=target)


def _monitored(
    leak: Callable[[float, int], float], *, rows: int, sigma: Fraction, copies: int, target: Target
) -> Simultaneous:
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    check.positive_integer(copies=copies)
    mu = total_mu(rows=rows, sigma=sigma, questions=target.questions)
    radius = monitor_radius(
        sigma=float_up(sigma),
        copies=copies,
        largest=mean_largest_normal(count=copies * target.questions),
        leak=leak(mu, copies),
        beta=float_down(target.beta),
    )
    return Simultaneous.of(radius, beta=target.beta)


def _best(rows: int, target: Target, leak: Callable[[float, int], float]) -> tuple[int, Fraction]:
    """Copies T and noise σ: for each T the best σ, and the best T."""
    check.positive_integer(rows=rows)
    beta, root = float(target.beta), sqrt(target.questions)

    def best_sigma(copies: int) -> tuple[float, float]:
        largest = mean_largest_normal(count=copies * target.questions)

        def radius(sigma: float) -> float:
            return monitor_radius(
                sigma=sigma,
                copies=copies,
                largest=largest,
                leak=leak(root / (rows * sigma), copies),
                beta=beta,
            )

        low = root / (2 * rows)  # μ = 2: beyond it the leak is near 1
        sigma = golden(radius, low=low, high=low * rows + 1, precision=1e-3)
        return radius(sigma), sigma

    # The best T is a few times 1/β: it trades E max over Tk against the chance that none errs.
    copies = golden(
        lambda copies: best_sigma(round(copies))[0],
        low=1,
        high=max(2.0, min(1e14 / target.questions, 100 / beta)),
        precision=0.02,
    )
    return round(copies), Fraction(best_sigma(round(copies))[1])


def gaussian_monitor(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-monitor-gdp at the best σ and number of copies."""
    copies, sigma = _best(rows, target, one_sided_leak)
    return Priced(
        theorem="T-monitor-gdp",
        bound=monitor(rows=rows, sigma=sigma, copies=copies, target=target),
        parameters=(("sigma", sigma), ("copies", Fraction(copies))),
    )


def gaussian_monitor_two_sided(rows: int, target: Target) -> Priced[Simultaneous]:
    """T-monitor-two-sided at the best σ and number of copies."""
    copies, sigma = _best(rows, target, two_sided_leak)
    return Priced(
        theorem="T-monitor-two-sided",
        bound=monitor_two_sided(rows=rows, sigma=sigma, copies=copies, target=target),
        parameters=(("sigma", sigma), ("copies", Fraction(copies))),
    )
