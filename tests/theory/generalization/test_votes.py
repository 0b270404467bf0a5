"""Votes: the certificate against mpmath, its parts against the route, the number of votes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import expm1, log, mpf, mpmathify, sqrt, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.target import Target
from peekproof.theory.generalization.routes import mutual_information
from peekproof.theory.generalization.votes import best_votes, vote_certificate
from sizes import sized


def exact_radius(rows: int, votes: int, target: Target) -> mpf:
    """Both terms at 40 digits; the best λ = 1 − e^{−s} where e^s − 1 − s = 2I."""
    k, v, n, beta = target.questions, votes, rows, mpmathify(target.beta)
    twice = 2 * mpf(4) * k * v / n
    low, high = mpf(0), 2 * log(1 + twice) + 2
    for _ in range(130):
        s = (low + high) / 2
        low, high = (s, high) if expm1(s) - s < twice else (low, s)
    moment = (twice + high) / (4 * n * -expm1(-high))
    return sqrt((log(2 * k / beta) + 1) / (2 * v)) + sqrt(moment / beta)


@given(
    rows=st.integers(1, 10**12),
    votes=st.integers(1, 10**9),
    questions=st.integers(1, 10**9),
    confidence=st.fractions(Fraction(1, 100), Fraction(999999, 10**6)),
)
def test_the_radius_is_never_below_the_exact_one(
    rows: int, votes: int, questions: int, confidence: Fraction
) -> None:
    target = Target(confidence=confidence, questions=questions)
    claimed = vote_certificate(rows=rows, votes=votes, target=target).radius
    with workdps(40):
        exact = exact_radius(rows, votes, target)

        assert min(1, exact) <= claimed <= min(1, exact * (1 + mpf("1e-9")))


def test_a_radius_worked_out_by_hand() -> None:
    # ln(4000) + 1 = 9.29405, over 2·164. I = 4·100·164/10⁴ = 6.56 nats; V = (2I + s)/(4nλ) at
    # s ≈ 2.829 and λ ≈ 0.941.
    target = Target.of(confidence=0.95, questions=100)
    certificate = vote_certificate(rows=10_000, votes=164, target=target)

    assert [part.radius for part in certificate.parts] == pytest.approx(
        [0.16833, 0.09205], abs=2e-5
    )


@settings(max_examples=25)
@given(rows=st.integers(1, 10**9), questions=st.integers(1, 10**6))
def test_the_route_and_the_certificate_agree(rows: int, questions: int) -> None:
    target = Target.of(confidence=0.95, questions=questions)
    priced = mutual_information.votes(rows, target)
    votes = best_votes(rows=rows, target=target)
    certificate = vote_certificate(rows=rows, votes=votes, target=target)

    assert priced.parameters == (("votes", Fraction(votes)),)
    assert certificate.radius <= priced.bound.radius <= certificate.radius * (1 + 2.0**-38)
    assert certificate.theorems == ("T-mi", "T-noise-votes", "T-mi-votes")
    assert set(certificate.theorems) == {priced.theorem, "T-noise-votes", "T-mi-votes"}


@pytest.mark.parametrize(("rows", "questions"), [(50, 1), (500, 3), (2000, 40), (5000, 1000)])
def test_no_number_of_votes_is_much_better(rows: int, questions: int) -> None:
    target = Target.of(confidence=0.5, questions=questions)

    def radius(votes: int) -> float:
        parts = vote_certificate(rows=rows, votes=votes, target=target).parts
        return sum(part.radius for part in parts)

    chosen = radius(best_votes(rows=rows, target=target))
    others = range(1, 3 * rows, sized(1 + rows // 250, full=1))
    assert chosen <= min(map(radius, others)) * 1.0005


def test_where_nothing_helps_there_is_one_vote_and_no_promise() -> None:
    target = Target.of(confidence=0.95, questions=10**12)

    assert best_votes(rows=1, target=target) == 1
    assert vote_certificate(rows=1, votes=1, target=target).radius == 1


@pytest.mark.parametrize(("rows", "votes"), [(0, 1), (1, 0), (1.0, 1), (1, True)])
def test_absurd_sizes_are_refused(rows: int, votes: int) -> None:
    with pytest.raises(InvalidInput):
        vote_certificate(rows=rows, votes=votes, target=Target.of(confidence=0.9, questions=1))
