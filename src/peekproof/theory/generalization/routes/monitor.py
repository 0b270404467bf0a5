"""Gaussian noise priced through the monitor, at the best number of copies."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.target import Target
from peekproof.theory.generalization.monitor import (
    monitor,
    monitor_radius,
    monitor_two_sided,
    one_sided_leak,
    two_sided_leak,
)
from peekproof.theory.generalization.noise import mean_largest_normal
from peekproof.theory.generalization.routes.priced import Priced
from peekproof.theory.generalization.search import golden


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
