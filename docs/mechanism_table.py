"""What no code says of a mechanism: when to take it, its formulas in words, an example.

The examples cost the same where that can be said; docs/generate_mechanisms.py tells how.
"""

from dataclasses import dataclass
from fractions import Fraction

from holdfast.audit.figures.mechanisms import (
    CANDIDATES,
    EPSILON,
    QUESTIONS,
    RHO,
    ROWS,
    STEP,
    TARGET,
)
from holdfast.core.loss import GDP
from holdfast.mechanisms.above_threshold import AboveThreshold
from holdfast.mechanisms.checking import Checking
from holdfast.mechanisms.discrete_gaussian import DiscreteGaussian
from holdfast.mechanisms.exponential import Exponential
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.gaussian_vector import GaussianVector
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.mechanisms.ladder import Ladder
from holdfast.mechanisms.laplace import Laplace
from holdfast.mechanisms.laplace_vector import LaplaceVector
from holdfast.mechanisms.limited_checking import LimitedChecking
from holdfast.mechanisms.noisy_max import NoisyMax
from holdfast.mechanisms.numeric_sparse import NumericSparse
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.permute_and_flip import PermuteAndFlip
from holdfast.mechanisms.quantile import Quantile
from holdfast.mechanisms.rounds import Rounds
from holdfast.mechanisms.selection import Selection
from holdfast.mechanisms.splitting import Splitting
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.mechanisms.truncation import Truncation
from holdfast.mechanisms.votes import Votes
from holdfast.planner.limited import Limit
from holdfast.planner.open_ended import open_ended_plan
from holdfast.planner.plan import plan
from holdfast.theory.generalization.drift_vector import cells_ball

CELLS, STEPS, VERDICTS, BATCHES = 10, 256, 100, 5

Share = Gaussian | Laplace | DiscreteGaussian | Truncation | Splitting | Rounds | Votes
Vector = GaussianVector | LaplaceVector
Choosing = Exponential | PermuteAndFlip | NoisyMax | Quantile
Sparse = AboveThreshold | NumericSparse
Guessing = Thresholdout | Ladder | GuessAndCheck | Selection | Checking | LimitedChecking
Example = Share | OpenEnded | Vector | Choosing | Sparse | Guessing


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What no code says of a mechanism, and an example of it."""

    releases: str
    example: Example
    cost: str
    errs: str
    use: str
    theorems: tuple[str, ...]


def planned(kind: type[Truncation] | type[Splitting] | type[Votes] | type[Rounds]) -> Example:
    """As the planner takes it for the standard number of questions."""
    batches = BATCHES if kind is Rounds else None
    return plan(rows=ROWS, target=TARGET, mechanisms=[kind], rounds=batches).mechanism


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


def table() -> dict[str, About]:
    """Every mechanism by its kind: shares first, then vectors, choices and conversations."""
    wide, choice = 1 / (ROWS * EPSILON), {"candidates": CANDIDATES}
    abouts = (
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
            example=planned(Splitting),
            cost="one draw",
            errs="not at all from its own rows, which are ⌊n/k⌋ of all n; those err from the "
            "population as a fresh sample of that size does",
            use="a handful of questions, about 8 on 100,000 rows; records are not protected",
            theorems=("T-split", "T-split-chernoff", "T-draws"),
        ),
        About(
            releases="a share or a mean",
            example=planned(Rounds),
            cost="one draw for a batch, however many questions it has",
            errs="as fresh rows, with a part for each batch instead of each question",
            use="many questions in few batches; records are not protected",
            theorems=("T-split", "T-split-chernoff", "T-draws"),
        ),
        About(
            releases="a share or a mean",
            example=planned(Votes),
            cost="one draw",
            errs="binomial: v votes miss by more than t with probability at most 2e^{−2vt²}",
            use="to compare with: sessions can run it if it is named, but others are narrower",
            theorems=("T-mi", "T-mi-votes", "T-noise-votes", "T-length", "T-draws"),
        ),
        About(
            releases="a share or a mean",
            example=open_ended_plan(rows=ROWS, confidence=TARGET.confidence).mechanism,
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
        About(
            releases="one of many candidates",
            example=Exponential(**choice, epsilon=2 * EPSILON),
            cost="ε; in zCDP ε²/8, in a session's clock μ² = ε²",
            errs="the chosen is more than (2Δ/ε)(ln |Y| + ln(1/β)) below the best with "
            "probability at most β",
            use="the best of many, by `session.best`: at equal ρ it loses least, because its "
            "range is bounded",
            theorems=(
                "T-exp", "T-exp-mean", "T-exp-shortfall", "T-bounded-range", "T-drift-choice",
                "T-choice-population",
            ),
        ),
        About(
            releases="one of many candidates",
            example=PermuteAndFlip(**choice, epsilon=EPSILON),
            cost="ε; in a session's clock 4ε²",
            errs="the chosen is more than (2Δ/ε)·ln((|Y| − 1)/(2β)) below the best with "
            "probability at most β",
            use="one choice at a given pure ε: never worse than the exponential mechanism there",
            theorems=("T-flip", "T-flip-shortfall", "T-drift-private", "T-choice-population"),
        ),
        About(
            releases="one of many candidates",
            example=NoisyMax(**choice, epsilon=EPSILON),
            cost="ε; in a session's clock 4ε²",
            errs="as permute-and-flip, with ln(1 + t/2) more of the scale",
            use="where others expect it; permute-and-flip loses less at the same price",
            theorems=(
                "T-noisy-max", "T-noisy-max-shortfall", "T-drift-private", "T-choice-population",
            ),
        ),
        About(
            releases="a cell of a grid",
            example=Quantile(rows=ROWS, cells=STEPS, level=Fraction(1, 2), epsilon=2 * EPSILON),
            cost="ε; in zCDP ε²/8, in a session's clock μ² = ε²",
            errs="in rows between the chosen cell and the level, as the exponential mechanism on "
            "as many candidates as there are cells; not in the units of the column",
            use="medians and other quantiles, by `session.quantile`",
            theorems=("T-exp", "T-quantile", "T-bounded-range", "T-drift-choice"),
        ),
        About(
            releases="verdicts, up to the first above",
            example=AboveThreshold(threshold=ROWS // 2, epsilon=EPSILON, questions=VERDICTS),
            cost="ε for the whole conversation; in a session's clock 4ε²",
            errs="verdicts on all counts at once are right up to a number of rows that grows "
            "like (4Δ/ε)·ln(k/β)",
            use="to wait for the first of very many counts that is large; with few of them, "
            "asking each is cheaper",
            theorems=("T-above-threshold", "T-sparse-accuracy", "T-drift-private"),
        ),
        About(
            releases="verdicts, and a few counts",
            example=NumericSparse(
                threshold=ROWS // 2, epsilon=EPSILON, answers=1, questions=VERDICTS
            ),
            cost="ε for the whole conversation, over at most c noisy counts",
            errs="as above-threshold with c times the scale; released counts have noise of their "
            "own",
            use="very many counts of which few are large, and their size matters",
            theorems=(
                "T-numeric-sparse", "T-above-threshold", "T-sparse-accuracy",
                "T-accuracy-discrete-laplace", "T-drift-private",
            ),
        ),
        About(
            releases="guesses that stand, and a few shares",
            example=Thresholdout(
                rows=ROWS, threshold=ROWS // 50, epsilon=EPSILON, budget=1, questions=VERDICTS
            ),
            cost="ε for the whole conversation, over at most B corrections",
            errs="a guess that stands is off by at most the threshold and the noise of the "
            "comparison; a correction has noise of its own",
            use="by `session.ask(…, guess=…)`, a holdout behind many guesses from training rows, "
            "where records need protection too",
            theorems=(
                "T-numeric-sparse", "T-thresholdout", "T-thresholdout-corrected",
                "T-noise-sparse", "T-drift-pure",
            ),
        ),
        About(
            releases="whether a guess is right, else a bin",
            example=GuessAndCheck.at(
                rows=ROWS,
                guess=Fraction(1, 2),
                tolerance=Fraction(1, 50),
                log_inverse_level=30.0,
                bins=500,
            ),
            cost="one draw; a failure also makes all later intervals a little wider",
            errs="a guess that passes by less than its tolerance, a bin by half of it",
            use="by `session.ask(…, guess=…, tolerance=…)`, where good guesses are to be had; "
            "records are not protected",
            theorems=("T-check-horizon", "T-check-accept", "T-check-failed", "T-check"),
        ),
        About(
            releases="the best of many, and its bin",
            example=Selection(rows=ROWS, candidates=CANDIDATES, bins=500),
            cost="one draw; it also makes all later intervals a little wider, as a failed guess",
            errs="not about which is the best of the sample; about its share by half a bin",
            use="by `session.best(…)` in a session that checks guesses; records are not protected",
            theorems=("T-check-choice", "T-check-horizon", "T-check-failed", "T-check-accept"),
        ),
        About(
            releases="answers to guesses",
            example=Checking(rows=ROWS),
            cost="one draw a question",
            errs="as each of its checks",
            use="to open a session that checks guesses; few of them may fail",
            theorems=("T-check-horizon", "T-check-anytime", "T-length", "T-chernoff"),
        ),
        About(
            releases="answers to guesses, until ten have failed",
            example=Limit(failures=10).mechanism(ROWS, TARGET),
            cost="one draw a question, and nothing more after the last failure",
            errs="a guess that passes by its tolerance at most, a bin by half of it",
            use="to open a session that checks guesses, where it is known beforehand how many may "
            "fail and how far they may be off",
            theorems=("T-check-halt", "T-check-halt-chernoff", "T-check", "T-two-samples"),
        ),
        About(
            releases="the best score so far",
            example=Ladder(rows=ROWS, step=Fraction(1, 50), questions=QUESTIONS),
            cost="as many draws as there may be scores",
            errs="at most one step below the best score so far, and half a step from a new one",
            use="a leaderboard where only the best matters; records are not protected",
            theorems=(
                "T-ladder", "T-ladder-improvement", "T-ladder-transcripts", "T-ladder-chernoff",
            ),
        ),
    )  # fmt: skip
    return {about.example.KIND: about for about in abouts}
