from fractions import Fraction
from math import erf, log, log1p, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, ncdf, workdps
from mpmath import sqrt as exact_sqrt

from peekproof.audit.analysts.correlation import agreement, predicted_share, vote
from peekproof.audit.demonstration import Holdout, NoiseOnlyHoldout, PlainHoldout
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.noise.entropy import Seeded
from peekproof.query.question import parse_question
from peekproof.testing.statistics import mean_deviation, statistical

Signs = npt.NDArray[np.int8]

FALSE_ALARM = 1e-9
SIZE = 1_000
RUNS = 8
SIGMA = Fraction(1, 50)
# The prediction is a limit for many rows; at this size it is off by less than this.
LIMIT_ERROR = 0.005


def coins(rng: np.random.Generator, *shape: int) -> Signs:
    return rng.integers(0, 2, shape, dtype=np.int8) * 2 - 1


def as_table(features: Signs, label: Signs) -> tuple[list[str], Table]:
    names = [f"x{number}" for number in range(len(features))]
    return names, in_memory({**dict(zip(names, features, strict=True)), "y": label})


def share(table: Table, text: str) -> float:
    (count,) = table.count([parse_question(text, table.schema)])
    return float(UnsafeEmpirical(rows=table.rows).release_unsafely(count))


def attacked(*, sigma: Fraction | None, seed: int) -> float:
    """What the vote reaches on the sample, averaged over independent samples."""
    rng = np.random.default_rng(seed)
    reached = []
    for run in range(RUNS):
        names, table = as_table(coins(rng, SIZE, SIZE), coins(rng, SIZE))
        holdout: Holdout = PlainHoldout(table)
        if sigma is not None:
            holdout = NoiseOnlyHoldout(table, sigma=sigma, rng=Seeded(seed + run))
        replies = holdout.reply([agreement(name, "y") for name in names])
        reached.append(share(table, vote(names, "y", [reply.value for reply in replies])))
    return float(np.mean(reached))


def tolerance() -> float:
    """How far `attacked` may stray from the prediction.

    Given the answers, each feature's agreements are a random arrangement over the rows, so they
    are negatively associated (Joag-Dev and Proschan 1983), and so are the increasing functions
    "the vote is right on row i" of disjoint sets of them. Hoeffding's inequality holds for
    negatively associated terms, hence for all rows of all runs.
    """
    return LIMIT_ERROR + mean_deviation(trials=RUNS * SIZE, false_alarm=FALSE_ALARM / 2)


@statistical(false_alarm=FALSE_ALARM)
def test_exact_answers_are_overfitted_as_predicted() -> None:
    reached = attacked(sigma=None, seed=1)

    expected = predicted_share(rows=SIZE, questions=SIZE)
    assert expected == pytest.approx(0.841, abs=5e-4)
    assert abs(reached - expected) < tolerance()
    # Power: half as many features, twice as many, or no attack at all.
    for mutant in (SIZE // 2, SIZE * 2, 0):
        assert abs(reached - predicted_share(rows=SIZE, questions=mutant)) > tolerance()


@statistical(false_alarm=FALSE_ALARM)
def test_noise_shrinks_the_effect_as_predicted() -> None:
    reached = attacked(sigma=SIGMA, seed=2)

    sigma = float(SIGMA)
    expected = predicted_share(rows=SIZE, questions=SIZE, sigma=sigma)
    assert abs(reached - expected) < tolerance()
    # Power: no noise, or noise σ on the correlation 2a − 1, where it is 2σ.
    for mutant in (0.0, sigma / 2, 2 * sigma):
        wrong = predicted_share(rows=SIZE, questions=SIZE, sigma=mutant)
        assert abs(reached - wrong) > tolerance()


@given(
    rows=st.integers(1, 10**6),
    questions=st.integers(0, 10**6),
    sigma=st.floats(0, 10, allow_subnormal=False),
)
def test_prediction_is_the_formula_of_the_docstring(
    rows: int, questions: int, sigma: float
) -> None:
    with workdps(50):
        n, k, s = mpf(rows), mpf(questions), mpf(sigma)
        exact = ncdf(exact_sqrt(k / n) / exact_sqrt(1 + 4 * n * s**2))

        assert mp.almosteq(
            predicted_share(rows=rows, questions=questions, sigma=sigma), exact, 1e-9
        )


def test_prediction_without_noise_is_the_default() -> None:
    expected = (1 + erf(sqrt(0.2 / 2))) / 2

    assert predicted_share(rows=10_000, questions=2_000) == pytest.approx(expected, rel=1e-12)


def test_agreement_counts_the_rows_where_feature_and_label_are_equal() -> None:
    rng = np.random.default_rng(3)
    features, label = coins(rng, 5, 300), coins(rng, 300)
    names, table = as_table(features, label)

    for name, feature in zip(names, features, strict=True):
        assert share(table, agreement(name, "y")) == np.mean(feature == label)


@pytest.mark.parametrize("width", [1, 2, 9, 400])
def test_the_text_of_a_vote_says_what_numpy_computes(width: int) -> None:
    rng = np.random.default_rng(width)
    features, label = coins(rng, width, 500), coins(rng, 500)
    agreements = rng.uniform(-0.1, 1.1, width)
    names, table = as_table(features, label)

    correlations = np.clip(2 * agreements - 1, -0.99, 0.99)
    margins = (2 * np.arctanh(correlations)) @ features * label
    assert np.abs(margins).min() > 1e-6 * width  # the text keeps six decimals of a weight
    found = share(table, vote(names, "y", list(agreements)))
    assert found == np.mean(margins > 0)


def test_a_vote_follows_the_analysts_answers_not_the_truth() -> None:
    label = np.array([1, 1, 1, -1], np.int8)
    names, table = as_table(np.array([label, -label]), label)

    assert share(table, vote(names, "y", [0.9, 0.5])) == 1.0
    assert share(table, vote(names, "y", [0.5, 0.9])) == 0.0
    assert share(table, vote(names, "y", [0.9, 0.1])) == 1.0


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-0.3, 1.3), (0.004, 0.996)])
def test_answers_at_the_ends_get_the_strongest_finite_weight(low: float, high: float) -> None:
    strongest = f"{log(199):.6f}"

    assert vote(["a", "b"], "y", [low, high]) == f"(-{strongest}*a +{strongest}*b) * y > 0"


def test_weights_inside_the_ends_are_log_odds() -> None:
    weight = log1p(-0.25) - log(0.25)

    assert vote(["a", "b"], "y", [0.75, 0.5]) == f"(+{weight:.6f}*a +0.000000*b) * y > 0"


def test_every_feature_needs_its_answer() -> None:
    with pytest.raises(ValueError, match="zip"):
        vote(["a", "b"], "y", [0.5])
