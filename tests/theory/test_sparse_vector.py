"""The sparse vector theorems against sums over all noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, fsum, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import first_above_law, mass, pattern_chance
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.sparse_vector import above_threshold, numeric_sparse, sparse_reach

sizes = st.fractions(Fraction(1, 1000), 1000)


@given(threshold_scale=sizes, query_scale=sizes, sensitivity=st.integers(1, 1000))
def test_a_run_costs_one_shift_of_the_threshold_and_two_of_the_count(
    threshold_scale: Fraction, query_scale: Fraction, sensitivity: int
) -> None:
    loss = above_threshold(
        threshold_scale=threshold_scale, query_scale=query_scale, sensitivity=sensitivity
    )

    assert loss.epsilon * threshold_scale * query_scale == sensitivity * (
        query_scale + 2 * threshold_scale
    )


@given(first=sizes, second=sizes, answers=st.integers(1, 50))
def test_rounds_add_up(first: Fraction, second: Fraction, answers: int) -> None:
    total = numeric_sparse(comparing=PureDP(first), answering=PureDP(second), answers=answers)

    assert total.epsilon == sum([first + second] * answers)


@pytest.mark.parametrize("epsilon", [1.5, 4.0, 9.0])
def test_the_difference_of_two_noises_has_the_tail_of_the_proof(epsilon: float) -> None:
    q = exp(-epsilon / 4)
    reach = int(200 / epsilon) + 20
    for m in (1, 2, 5, 9):
        naive = fsum(
            mass(v, 2 / epsilon) * mass(w, 4 / epsilon)
            for v in range(-reach, reach)
            for w in range(max(-reach, v - reach), v - m + 1)
        )
        closed = ((1 + q) * q**m - q ** (2 * m + 1) / (1 + q * q)) / (1 + q + q * q)
        assert naive == pytest.approx(closed, rel=1e-9)


def chance_of_an_error(counts: tuple[int, ...], *, epsilon: float, radius: int) -> float:
    """Pr[some verdict of a run is wrong by more than `radius`] at threshold 0, exactly."""
    law = first_above_law(counts, threshold=0, threshold_scale=2 / epsilon, query_scale=4 / epsilon)
    return fsum(
        chance
        for first, chance in enumerate(law)
        if any(count >= radius for count in counts[:first])
        or (first < len(counts) and counts[first] < -radius)
    )


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2), Fraction(8)])
@pytest.mark.parametrize("beta", [Fraction(3, 10), Fraction(1, 20), Fraction(1, 10**4)])
def test_no_sequence_of_counts_errs_more_often_than_beta(epsilon: Fraction, beta: Fraction) -> None:
    for k in (1, 2, 4):
        r = sparse_reach(epsilon=epsilon, sensitivity=1, rounds=1, questions=k, beta=beta)
        worst = max(
            chance_of_an_error(counts, epsilon=float(epsilon), radius=r)
            for counts in product((-r - 1, 0, r), repeat=k)
        )
        assert worst <= beta
        if r >= 3:  # the bound is not a wild one: two rows less would not do for one question
            short = chance_of_an_error((1 - r,) * k, epsilon=float(epsilon), radius=r - 2)
            assert short > beta / k


def test_many_questions_are_covered_too() -> None:
    k, beta = 200, Fraction(1, 20)
    r = sparse_reach(epsilon=Fraction(1), sensitivity=1, rounds=1, questions=k, beta=beta)
    below = chance_of_an_error((-r - 1,) * k, epsilon=1.0, radius=r)

    assert beta / 10 < below <= beta
    assert r < 0.5 * 8 * (log(k) + log(40))  # half of the textbook's bound


def test_several_rounds_err_no_more_often_than_beta() -> None:
    """Two rounds in four questions: each round's law is that of one run, started at each place."""
    epsilon, beta = 3.0, Fraction(1, 20)
    r = sparse_reach(epsilon=Fraction(3), sensitivity=1, rounds=2, questions=4, beta=beta)

    def right(counts: tuple[int, ...], rounds: int) -> float:
        """Pr[every verdict is right], the rounds being independent."""
        if not rounds or not counts:
            return 1.0
        law = first_above_law(
            counts, threshold=0, threshold_scale=2 / epsilon, query_scale=4 / epsilon
        )
        total = 0.0
        for first, chance in enumerate(law):
            belows = all(count < r for count in counts[:first])
            if belows and (first == len(counts) or counts[first] >= -r):
                total += chance * right(counts[first + 1 :], rounds - 1)
        return total

    worst = max(1 - right(counts, 2) for counts in product((-r - 1, 0, r), repeat=4))
    assert beta / 10 < worst <= beta


def test_the_laws_of_these_tests_are_sums_over_all_patterns() -> None:
    counts, threshold_scale, query_scale = (1, -2, 0), 1.5, 3.0
    chances = {
        pattern: pattern_chance(
            counts,
            pattern,
            threshold=1,
            threshold_scale=threshold_scale,
            query_scale=query_scale,
        )
        for pattern in product((False, True), repeat=3)
    }
    firsts = first_above_law(
        counts, threshold=1, threshold_scale=threshold_scale, query_scale=query_scale
    )

    assert fsum(chances.values()) == pytest.approx(1, abs=1e-12)
    for i, chance in enumerate(firsts):
        same = [p for p in chances if p[: i + 1] == (False,) * i + (True,) * (i < 3)]
        assert chance == pytest.approx(fsum(chances[p] for p in same), rel=1e-12)


@given(
    epsilon=st.fractions(Fraction(1, 10**6), 100),
    sensitivity=st.integers(1, 100),
    rounds=st.integers(1, 10**6),
    questions=st.integers(1, 10**9),
    beta=st.fractions(Fraction(1, 10**9), Fraction(999, 1000)),
)
def test_the_reach_is_the_smaller_of_both_bounds(
    epsilon: Fraction, sensitivity: int, rounds: int, questions: int, beta: Fraction
) -> None:
    r = sparse_reach(
        epsilon=epsilon, sensitivity=sensitivity, rounds=rounds, questions=questions, beta=beta
    )
    t = float(4 * sensitivity / epsilon)
    q = exp(-1 / t)
    joint = t * (log(rounds * questions / beta) + log((1 + q) / (1 + q + q * q)))
    level = log(3 * rounds / beta) * t / 2 + log(3 * questions / (2 * beta)) * t

    # The reach of one noise is at most t·ln(1/β) + 1/2, rounded up.
    assert 0 <= r <= max(0.0, min(joint, level + 2)) * (1 + 1e-9) + 1
    assert r + 1 >= min(joint, level) * (1 - 1e-9)


def test_nonsense_is_refused() -> None:
    good = {"epsilon": Fraction(1), "sensitivity": 1, "rounds": 1, "questions": 1}
    for name, value in [
        ("epsilon", Fraction(0)),
        ("epsilon", Fraction(10**101)),
        ("sensitivity", 0),
        ("rounds", 0),
        ("questions", True),
        ("beta", Fraction(1)),
    ]:
        with pytest.raises(InvalidInput, match=rf"^{name} must be "):
            sparse_reach(**{"beta": Fraction(1, 2), **good, name: value})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^threshold_scale must be "):
        above_threshold(threshold_scale=Fraction(0), query_scale=Fraction(1), sensitivity=1)
    with pytest.raises(InvalidInput, match=r"^answers must be "):
        numeric_sparse(comparing=PureDP(Fraction(1)), answering=PureDP(Fraction(1)), answers=0)
