"""T-thresholdout: its noise against enumeration, each step of its proof on a tiny holdout."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps
from numpy.typing import NDArray

from mechanisms.discrete_laws import mass
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.discrete_noise import discrete_laplace_shortfall
from peekproof.theory.generalization.thresholdout import (
    corrected_certificate,
    standing_certificate,
    verdict_shortfall,
)

Floats = NDArray[np.float64]


def law(scale: float, reach: int) -> Floats:
    return np.array([mass(z, scale) for z in range(-reach, reach + 1)])


def largest(one: Floats, count: int) -> Floats:
    """The law of the largest of `count` independent draws."""
    return np.diff(np.cumsum(one) ** count, prepend=0.0)


def exact_shortfall(epsilon: float, *, rounds: int, questions: int, beta: float) -> float:
    """ES_β(max_r V_r + max_j(−M_j)) by summing the two laws; M is symmetric."""
    reach = int(60 * 4 / epsilon)
    total = np.convolve(
        largest(law(2 / epsilon, reach), rounds), largest(law(4 / epsilon, reach), questions)
    )
    values = np.arange(-2 * reach, 2 * reach + 1)
    left, mean = beta, 0.0
    for value, chance in zip(values[::-1], total[::-1], strict=True):
        taken = min(left, float(chance))
        mean += taken * float(value)
        left -= taken
    return mean / beta


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(2), Fraction(8)])
@pytest.mark.parametrize(("rounds", "questions"), [(1, 1), (1, 20), (4, 5), (30, 300)])
@pytest.mark.parametrize("beta", [Fraction(1, 3), Fraction(1, 40), Fraction(1, 10**5)])
def test_the_bound_is_above_the_shortfall_of_all_pairs_and_near_it(
    epsilon: Fraction, rounds: int, questions: int, beta: Fraction
) -> None:
    bound = verdict_shortfall(epsilon=epsilon, rounds=rounds, questions=questions, beta=beta)
    exact = exact_shortfall(float(epsilon), rounds=rounds, questions=questions, beta=float(beta))

    assert exact * (1 - 1e-9) <= bound <= 1.25 * exact + 1


@given(
    epsilon=st.fractions(Fraction(1, 1000), 20),
    rounds=st.integers(1, 10**4),
    questions=st.integers(1, 10**6),
    beta=st.fractions(Fraction(1, 10**9), Fraction(9, 10)),
)
def test_it_is_the_stated_formula_and_no_whole_number_near_is_better(
    epsilon: Fraction, rounds: int, questions: int, beta: Fraction
) -> None:
    bound = verdict_shortfall(epsilon=epsilon, rounds=rounds, questions=questions, beta=beta)
    with workdps(50):
        q = mp.exp(-mpf(epsilon.numerator) / (4 * epsilon.denominator))
        p, level = q * q, mpf(beta.numerator) / beta.denominator

        def least(at: Any, steps: Any) -> Any:
            """The smallest value near where the slope turns."""
            near = max(0, int(steps))
            return min(at(c) for c in range(max(0, near - 3), near + 4))

        def slope(ratio: Any, factor: Any) -> Any:
            return mp.log(factor) / -mp.log(ratio)

        pairs = rounds * questions / level
        joint = least(
            lambda c: c + pairs * (1 + q) * q ** (c + 1) / ((1 - q) * (1 + q + p)),
            slope(q, pairs * (1 + q) / (1 + q + p)),
        )
        apart = least(
            lambda c: c + rounds / level * p ** (c + 1) / (1 - p * p),
            slope(p, rounds / level / (1 + p)),
        ) + least(
            lambda c: c + questions / level * q ** (c + 1) / (1 - p),
            slope(q, questions / level / (1 + q)),
        )
        exact = min(joint, apart)
        assert exact <= bound <= exact * (1 + mpf("1e-8"))


def test_each_of_the_two_bounds_is_needed() -> None:
    """Many thresholds and one question are better apart; as many of both are better in pairs."""

    def bound(rounds: int, questions: int) -> float:
        beta = Fraction(1, 20)
        return verdict_shortfall(
            epsilon=Fraction(1, 10), rounds=rounds, questions=questions, beta=beta
        )

    def pairs(count: int) -> float:
        q = exp(-1 / 40)
        values = (
            c + 20 * count * (1 + q) * q ** (c + 1) / ((1 - q) * (1 + q + q * q))
            for c in range(2000)
        )
        return min(values)

    assert bound(10**6, 1) < 0.9 * pairs(10**6)
    assert bound(2, 2) == pytest.approx(pairs(4), rel=1e-6)


@pytest.mark.parametrize("distances", [(0, 0), (0, 3), (2, 1), (4, 4)])
def test_noise_given_the_verdicts_exceeds_the_bound_no_more_often_than_it_says(
    distances: tuple[int, int],
) -> None:
    """Two comparisons with one noisy threshold, summed over all noise; the claim for many β."""
    reach = 30
    z = np.arange(-reach, reach + 1)
    v, one, two = np.meshgrid(z, z, z, indexing="ij")
    weights = np.einsum("i,j,k->ijk", law(1.0, reach), law(2.0, reach), law(2.0, reach))
    stood = [distances[0] + one < 2 + v, distances[1] + two < 2 + v]
    found = []  # chance of a transcript, largest mean of V − M given it
    for pattern in ((True, True), (True, False), (False,)):
        event = weights * np.all(
            [verdict == hit for verdict, hit in zip(stood, pattern, strict=False)], axis=0
        )
        chance = float(event.sum())
        means = [
            float((event * (v - m)).sum()) / chance
            for m, hit in zip((one, two), pattern, strict=False)
            if hit
        ]
        found.append((chance, max(means, default=-float("inf"))))

    assert sum(chance for chance, _ in found) == pytest.approx(1, abs=1e-6)
    # Noise that let a guess stand is not centred: to leave it out would be wrong.
    assert max(mean for _, mean in found) > max(0, distances[0] - 1)
    for percent in range(1, 100):
        beta = Fraction(percent, 100)
        bound = verdict_shortfall(epsilon=Fraction(2), rounds=1, questions=2, beta=beta)
        assert sum(chance for chance, mean in found if mean > bound) <= beta


@pytest.mark.parametrize("bias", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("guess", [0, 1, 3])
def test_every_transcript_of_a_tiny_holdout_keeps_both_steps_of_the_proof(
    bias: float, guess: int
) -> None:
    """Three rows, two comparisons, threshold 2: posterior means against the two inequalities."""
    rows, reach, epsilon = 3, 30, 1.5  # 1 for comparing (V of scale 2, M of 4), ½ for the count
    counts = np.arange(rows + 1)
    prior = np.array([comb(rows, c) * bias**c * (1 - bias) ** (rows - c) for c in counts])
    z = np.arange(-reach * 4, reach * 4 + 1)
    v, one = np.meshgrid(z, z, indexing="ij")
    weights = np.outer(law(2.0, reach * 4), law(4.0, reach * 4))
    distances = [abs(int(c) - guess) for c in counts]
    # Given the count and V the second comparison is independent of the first.
    joint = {"first": np.zeros(4), "noise": np.zeros(4), "told": np.zeros((4, 41))}
    for c, distance in enumerate(distances):
        event = weights * (distance + one < 2 + v)
        joint["first"][c] = prior[c] * event.sum()
        joint["noise"][c] = prior[c] * (event * (v - one)).sum()
        crossed = prior[c] * (weights.sum() - event.sum())
        joint["told"][c] = [crossed * mass(told - c, 2.0) for told in range(-20, 21)]
    chance = joint["first"].sum()
    posterior = joint["first"] @ counts / chance

    assert abs(posterior - guess) <= 2 - 1 + joint["noise"].sum() / chance + 1e-9
    assert abs(posterior / rows - bias) <= tanh(epsilon / 4)
    drifts = np.abs(counts @ joint["told"] / joint["told"].sum(axis=0) / rows - bias)
    assert 0.01 < drifts.max() <= tanh(epsilon / 4)


def test_the_parts_are_those_of_the_theorem() -> None:
    target = Target.of(confidence=0.95, questions=500)
    given_ = {"rows": 50_000, "epsilon": Fraction(1, 5), "comparing": Fraction(3, 4), "budget": 3}
    stands = standing_certificate(threshold=1001, target=target, **given_)  # type: ignore[arg-type]
    told = corrected_certificate(target=target, **given_)  # type: ignore[arg-type]
    noise = verdict_shortfall(
        epsilon=Fraction(1, 20), rounds=3, questions=500, beta=Fraction(1, 40)
    )
    added = discrete_laplace_shortfall(scale=Fraction(60), beta=Fraction(1, 40), count=3)

    assert [part.radius for part in stands.parts] == pytest.approx(
        [0.02, noise / 50_000, tanh(0.05)], rel=1e-9
    )
    assert [part.radius for part in told.parts] == pytest.approx(
        [added / 50_000, tanh(0.05)], rel=1e-9
    )
    assert stands.radius == pytest.approx(0.02 + noise / 50_000 + tanh(0.05), rel=1e-9)
    assert stands.theorems == ("T-thresholdout", "T-noise-sparse", "T-drift-pure")
    assert told.theorems == (
        "T-thresholdout-corrected",
        "T-noise-discrete-laplace",
        "T-drift-pure",
    )
    assert "holdout reuse" in stands.explain()
    assert "β" not in told.explain()


@given(
    rows=st.integers(1, 10**9),
    epsilon=st.fractions(Fraction(1, 10**6), 1000),
    comparing=st.fractions(Fraction(1, 1000), Fraction(999, 1000)),
    budget=st.integers(1, 10**6),
    questions=st.integers(1, 10**6),
)
def test_no_certificate_is_below_its_exact_sum(
    rows: int, epsilon: Fraction, comparing: Fraction, budget: int, questions: int
) -> None:
    target = Target.of(confidence=0.9, questions=questions)
    stands = standing_certificate(
        rows=rows,
        threshold=rows,
        epsilon=epsilon,
        comparing=comparing,
        budget=budget,
        target=target,
    )
    told = corrected_certificate(
        rows=rows, epsilon=epsilon, comparing=comparing, budget=budget, target=target
    )
    for certificate in (stands, told):
        exact = sum(Fraction(part.radius) for part in certificate.parts)
        assert certificate.radius >= min(1, exact)
        assert 0 < certificate.radius <= 1


@pytest.mark.parametrize(
    "nonsense",
    [
        {"rows": 0},
        {"rows": 10**400},
        {"threshold": 0},
        {"threshold": 101},
        {"epsilon": Fraction(0)},
        {"epsilon": 0.5},
        {"comparing": Fraction(1)},
        {"comparing": Fraction(0)},
        {"budget": 0},
        {"budget": True},
    ],
)
def test_nonsense_is_refused(nonsense: dict[str, object]) -> None:
    given_: dict[str, Any] = {
        "rows": 100,
        "threshold": 10,
        "epsilon": Fraction(1),
        "comparing": Fraction(1, 2),
        "budget": 2,
        "target": Target.of(confidence=0.9, questions=5),
    }
    given_ |= nonsense
    with pytest.raises(InvalidInput):
        standing_certificate(**given_)
    if "threshold" not in nonsense:
        del given_["threshold"]
        with pytest.raises(InvalidInput):
            corrected_certificate(**given_)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"epsilon": Fraction(-1)},
        {"epsilon": Fraction(1, 10**101)},
        {"rounds": 0},
        {"questions": 0},
        {"questions": 10**100},
        {"beta": Fraction(0)},
        {"beta": Fraction(1)},
        {"beta": float("nan")},
    ],
)
def test_a_shortfall_of_nonsense_is_refused(nonsense: dict[str, object]) -> None:
    given_: dict[str, Any] = {
        "epsilon": Fraction(1),
        "rounds": 2,
        "questions": 3,
        "beta": Fraction(1, 10),
    }
    with pytest.raises(InvalidInput):
        verdict_shortfall(**{**given_, **nonsense})
