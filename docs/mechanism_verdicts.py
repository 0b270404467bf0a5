"""Mechanisms that answer with a choice, or with a verdict on a guess or a threshold."""

from fractions import Fraction

from mechanism_about import STEPS, VERDICTS, About

from lab.figures.mechanisms import (
    CANDIDATES,
    EPSILON,
    QUESTIONS,
    ROWS,
    TARGET,
)
from peekproof.mechanisms.base import Limit
from peekproof.mechanisms.checking import Checking, GuessAndCheck, Selection
from peekproof.mechanisms.exponential import Exponential, NoisyMax, PermuteAndFlip, Quantile
from peekproof.mechanisms.ladder import Ladder
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.plan import plan
from peekproof.mechanisms.sparse import AboveThreshold, NumericSparse
from peekproof.mechanisms.thresholdout import Thresholdout


def limited() -> LimitedChecking:
    """As it is planned for ten failures."""
    limit = Limit(failures=10)
    planned = plan(rows=ROWS, target=TARGET, mechanisms=[LimitedChecking], limit=limit)
    return planned.mechanism  # type: ignore[return-value]


def verdicts() -> tuple[About, ...]:
    """Choices first, then conversations."""
    choice = {"candidates": CANDIDATES}
    return (
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
                rows=ROWS, threshold=ROWS // 50, epsilon=EPSILON, corrections=1, questions=VERDICTS
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
            example=limited(),
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
