"""Mechanisms that answer with numbers: shares, means and histograms."""

from fractions import Fraction

from mechanism_about import CELLS, About, Example

from lab.figures.mechanisms import (
    EPSILON,
    RHO,
    ROWS,
    STEP,
    TARGET,
)
from peekproof.core.charge import GDP
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.mechanisms.laplace import Laplace, LaplaceVector
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.plan import open_ended_plan, plan
from peekproof.mechanisms.truncation import Truncation
from peekproof.theory.generalization.gaussian import cells_ball


def planned(kind: type[Truncation] | type[FreshRows]) -> Example:
    """As it is planned for the standard number of questions."""
    return plan(rows=ROWS, target=TARGET, mechanisms=[kind]).mechanism  # type: ignore[return-value]


def vector_sigma() -> Fraction:
    """The noise of a histogram that costs no more than one share, to a thousandth of it."""
    share, sigma = GDP(2 * RHO), 1 / (ROWS * EPSILON)
    ball = cells_ball(cells=CELLS, most=1)
    steps = 1000
    while GaussianVector(
        rows=ROWS, sigma=sigma * steps / 1000, step=STEP, cells=CELLS, ball=ball
    ).cost() > share:  # fmt: skip
        steps += 1
    return sigma * steps / 1000


def shares() -> tuple[About, ...]:
    """Shares first, then vectors."""
    wide = 1 / (ROWS * EPSILON)
    return (
        About(
            releases="a share or a mean",
            example=Gaussian(rows=ROWS, sigma=wide, step=STEP),
            cost="μ² = 1/(nσ)²",
            errs="normal with deviation σ, then at most half a step of the grid",
            use="by default: shares and means, many and adaptive, records protected too",
            theorems=(
                "T-gauss", "T-accuracy-gauss", "T-joint-variance", "T-own-radius", "T-fixed-point",
            ),
        ),
        About(
            releases="a share or a mean",
            example=Laplace(rows=ROWS, scale=wide, step=STEP),
            cost="ε = 1/(nb)",
            errs="two-sided geometric of scale nb on the count: Pr[> t] about e^{−t/b}, so far "
            "misses are likelier than with Gaussian noise",
            use="where pure differential privacy is asked for; over many answers Gaussian noise "
            "drifts less",
            theorems=("T-laplace", "T-accuracy-discrete-laplace", "T-joint-discrete-laplace"),
        ),
        About(
            releases="a share",
            example=DiscreteGaussian(rows=ROWS, sigma=wide, step=STEP),
            cost="ρ = 1/(2(nσ)²)",
            errs="as Gaussian noise, on integers",
            use="where others account in zCDP for integer noise; no session promises by it",
            theorems=("T-discrete-gauss", "T-accuracy-discrete-gauss"),
        ),
        About(
            releases="a share or a mean",
            example=planned(Truncation),
            cost="one draw",
            errs="at most half a bin, the same every time",
            use="few questions on few rows; records are not protected",
            theorems=("T-truncation", "T-truncation-chernoff", "T-draws"),
        ),
        About(
            releases="a share or a mean",
            example=planned(FreshRows),
            cost="one draw for a round, which is one question or, if that was said at the "
            "beginning, a batch of any size",
            errs="not at all from its own rows, which are ⌊n/r⌋ of all n for r rounds; those err "
            "from the population as a fresh sample of that size does",
            use="a handful of questions, about 8 on 100,000 rows, or many questions in few "
            "batches; records are not protected",
            theorems=("T-split", "T-split-chernoff", "T-draws"),
        ),
        About(
            releases="a share or a mean",
            example=open_ended_plan(OpenEnded, rows=ROWS, confidence=TARGET.confidence).mechanism,
            cost="μ² = 1/(nσ_i)² for a draw of stage i",
            errs="as Gaussian noise with the σ_i of its stage",
            use="when nobody can say how many questions will come",
            theorems=("T-open-ended", "T-gauss", "T-clock"),
        ),
        About(
            releases="all cells of a histogram",
            example=GaussianVector(
                rows=ROWS, sigma=vector_sigma(), step=STEP, cells=CELLS,
                ball=cells_ball(cells=CELLS, most=1),
            ),
            cost="μ² = 4r²/(nσ)², r² = `ball`; for d disjoint cells r² = 1 − 1/d",
            errs="normal in every cell; the radius is that of the worst one",
            use="histograms, by `session.histogram`: four questions pay for any number of cells",
            theorems=("T-drift-vector", "T-own-radius", "T-accuracy-gauss"),
        ),
        About(
            releases="all cells of a histogram",
            example=LaplaceVector(
                rows=ROWS, cells=CELLS, sensitivity=2, scale=2 * wide, step=STEP
            ),
            cost="ε = Δ/(nb), Δ = 2 for disjoint cells",
            errs="two-sided geometric in every cell; the radius is that of the worst one",
            use="histograms under pure differential privacy",
            theorems=("T-laplace", "T-accuracy-discrete-laplace", "T-joint-discrete-laplace"),
        ),
    )  # fmt: skip
