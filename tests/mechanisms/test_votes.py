"""Votes: the mechanism draws what a loop over random rows draws, and says so."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mpf, mpmathify, sqrt, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.loss import Draws
from peekproof.core.secret import Exact
from peekproof.core.target import Target
from peekproof.mechanisms.votes import Votes
from peekproof.noise.entropy import Seeded, below
from peekproof.planner.recorded import described_mechanism
from peekproof.testing.statistics import fit_p_value, statistical
from peekproof.theory.generalization.votes import vote_certificate

FALSE_ALARM = 1e-9


@given(
    rows=st.integers(1, 10**6), votes=st.integers(1, 500), share=st.fractions(0, 1),
    seed=st.integers(0, 1000),
)  # fmt: skip
def test_a_release_is_a_share_of_the_votes(
    rows: int, votes: int, share: Fraction, seed: int
) -> None:
    mechanism = Votes(rows=rows, votes=votes)
    released = mechanism.release(Exact(int(share * rows)), rng=Seeded(seed))

    assert 0 <= released <= 1
    assert (released * votes).denominator == 1
    assert mechanism.release(Exact(0), rng=Seeded(seed)) == 0
    assert mechanism.release(Exact(rows), rng=Seeded(seed)) == 1


@statistical(false_alarm=2 * FALSE_ALARM)
def test_releases_follow_the_law_of_one_random_row_a_vote() -> None:
    mechanism, draws, bits = Votes(rows=20, votes=30), 10_000, [True] * 7 + [False] * 13

    def cdf(chance: Fraction, votes: int = 30):  # type: ignore[no-untyped-def]
        mass = [comb(votes, i) * chance**i * (1 - chance) ** (votes - i) for i in range(votes + 1)]
        return lambda i: float(sum(mass[: max(0, i + 1)]))

    rng = Seeded(1)
    released = [int(mechanism.release(Exact(7), rng=rng) * 30) for _ in range(draws)]
    naive = [sum(bits[below(20, rng=rng)] for _ in range(30)) for _ in range(draws)]

    for sample in (released, naive):
        assert fit_p_value(sample, cdf(Fraction(7, 20))) > FALSE_ALARM
        for mutant in (Fraction(7, 22), Fraction(7, 18)):  # a tenth too little, a tenth too much
            assert fit_p_value(sample, cdf(mutant)) < FALSE_ALARM
        assert fit_p_value(sample, cdf(Fraction(7, 20), votes=27)) < FALSE_ALARM


@given(votes=st.integers(1, 10**9), beta=st.fractions(Fraction(1, 10**9), Fraction(99, 100)))
def test_the_radius_is_hoeffdings(votes: int, beta: Fraction) -> None:
    claimed = Votes(rows=5, votes=votes).radius(beta=beta)
    with workdps(40):
        exact = sqrt(log(2 / mpmathify(beta)) / (2 * votes))

        assert min(1, exact) <= claimed <= min(1, exact * (1 + mpf("1e-9")))


@pytest.mark.parametrize(("rows", "votes", "count"), [(9, 12, 4), (9, 40, 4), (50, 25, 1)])
def test_the_radius_is_kept_by_the_exact_law(rows: int, votes: int, count: int) -> None:
    share = Fraction(count, rows)
    for beta in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)):
        radius = Votes(rows=rows, votes=votes).radius(beta=beta)
        outside = sum(
            comb(votes, i) * share**i * (1 - share) ** (votes - i)
            for i in range(votes + 1)
            if abs(Fraction(i, votes) - share) > radius
        )
        assert outside <= beta


def test_it_counts_draws_certifies_its_own_votes_and_can_be_rebuilt() -> None:
    mechanism, target = Votes(rows=900, votes=25), Target.of(confidence=0.9, questions=8)

    assert mechanism.cost() == Draws(Fraction(1))
    assert mechanism.certify(target) == vote_certificate(rows=900, votes=25, target=target)
    assert mechanism.describe() == {"kind": "votes", "votes": "25"}
    assert described_mechanism(mechanism.describe(), rows=900) == mechanism


@pytest.mark.parametrize(("rows", "votes"), [(0, 5), (5, 0), (5, 1.5), (True, 3)])
def test_absurd_sizes_are_refused(rows: int, votes: int) -> None:
    with pytest.raises(InvalidInput):
        Votes(rows=rows, votes=votes)
