"""The Laplace noise with the narrowest intervals for a number of questions."""

from peekproof.core.certificate import Target
from peekproof.mechanisms.laplace import Laplace
from peekproof.planner.gaussian import on_grid
from peekproof.theory.generalization.drift import best_laplace_scale


def best_laplace(rows: int, target: Target) -> Laplace:
    """The mechanism with about the smallest radius, its scale a whole number of grid steps."""
    grid = on_grid(rows, float(best_laplace_scale(rows=rows, target=target)))
    return Laplace(rows=rows, scale=grid.sigma, step=grid.step)
