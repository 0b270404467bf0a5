"""A reusable holdout for a session: the search against a plain grid, and what it plans for."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, fsum, log, sqrt

import pytest

from mechanisms.discrete_laws import at_least, mass
from peekproof.core.certificate import Target
from peekproof.core.charge import PureDP, amount_of
from peekproof.core.errors import InvalidInput, LedgerDamaged, VacuousPlan
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.limited_checking import Limit
from peekproof.mechanisms.thresholdout import (
    Thresholdout,
    best_thresholdout,
    held_offer,
    held_possible,
    rounds_paid,
    told_within,
    within_round,
)
from peekproof.planner import questions_affordable, rows_needed, useful_plan
from peekproof.planner.plan import MECHANISMS, plan
from peekproof.planner.price import planned_offer
from peekproof.planner.recorded import described_mechanism, own_certificate_of
from peekproof.planner.remaining import remaining_questions, remaining_rounds

TARGET = Target(confidence=Fraction(19, 20), questions=1000)


def room(rows: int, target: Target) -> int:
    """How far sample and population are apart at most, by Hoeffding's inequality."""
    return ceil(sqrt(rows * log(2 * target.questions / float(target.beta)) / 2))


def hidden(mechanism: Thresholdout) -> int:
    return (
        mechanism.threshold
        - 1
        - room(mechanism.rows, Target(confidence=TARGET.confidence, questions=mechanism.questions))
    )


def widest(mechanism: Thresholdout, target: Target) -> float:
    return max(
        mechanism.certify_standing(target).radius, mechanism.certify_corrected(target).radius
    )


@pytest.mark.parametrize(
    ("rows", "questions", "failures"),
    [(1_000, 10, 2), (10**4, 100, 5), (10**5, 1000, 1), (10**5, 1000, 32), (10**9, 10**6, 10)],
)
def test_the_search_is_nearly_as_good_as_a_grid(rows: int, questions: int, failures: int) -> None:
    """The grid keeps the room for noise as it is planned, in proportion to 1/ε₁."""
    target = Target(confidence=Fraction(19, 20), questions=questions)
    found = best_thresholdout(rows, target, failures=failures)
    for_noise = hidden(found) * float(found.comparing * found.epsilon)
    best = min(
        widest(
            Thresholdout(
                rows=rows,
                threshold=1 + room(rows, target) + round(for_noise / float(part * epsilon)),
                epsilon=epsilon,
                budget=failures,
                questions=questions,
                comparing=part,
            ),
            target,
        )
        for epsilon in (found.epsilon * Fraction(step, 10) for step in (3, 5, 7, 9, 10, 12, 15, 25))
        for part in (Fraction(step, 20) for step in (10, 14, 16, 17, 18, 19))
    )
    assert found.budget == failures
    assert widest(found, target) <= 1.06 * best


@pytest.mark.parametrize(("rows", "failures"), [(5_000, 1), (20_000, 10)])
def test_as_likely_as_not_no_good_guess_fails(rows: int, failures: int) -> None:
    """A guess as far off as sampling makes it crosses only if M − V makes up for the rest."""
    target = Target(confidence=Fraction(19, 20), questions=100)
    found = best_thresholdout(rows, target, failures=failures)
    each = found.sparse.round
    scale, reach = float(each.threshold_scale), ceil(45 * each.threshold_scale)
    gap = found.threshold - room(rows, target)
    crosses = fsum(
        mass(v, scale) * at_least(gap + v, float(each.query_scale))
        for v in range(-reach, reach + 1)
    )
    assert 0.3 < target.questions * crosses <= 0.5


def test_the_plan_is_certified_by_the_wider_promise_and_pays_for_the_whole_run() -> None:
    found = plan(rows=10**5, target=TARGET, mechanisms=[Thresholdout], limit=Limit(failures=4))
    mechanism = found.mechanism
    assert isinstance(mechanism, Thresholdout)

    assert found.radius == widest(mechanism, TARGET)
    assert found.budget == mechanism.cost() == PureDP(mechanism.epsilon)
    assert mechanism.one_round.cost() * mechanism.budget == mechanism.cost()
    assert described_mechanism(mechanism.describe(), rows=10**5) == mechanism
    assert found.to_dict()["vacuous"] is False


def test_more_corrections_widen_and_no_more_than_questions_are_planned() -> None:
    radii = [
        plan(
            rows=10**5, target=TARGET, mechanisms=[Thresholdout], limit=Limit(failures=count)
        ).radius
        for count in (1, 2, 5, 10, 20)
    ]
    assert radii == sorted(radii)
    assert radii[-1] > 3 * radii[0]
    few = Target(confidence=Fraction(1, 2), questions=3)
    for limit in (None, Limit(failures=3), Limit(failures=10**6)):
        found = plan(rows=10**5, target=few, mechanisms=[Thresholdout], limit=limit)
        assert isinstance(found.mechanism, Thresholdout)
        assert found.mechanism.budget == 3


def test_it_is_only_taken_if_named_and_competes_if_it_is() -> None:
    assert Thresholdout not in MECHANISMS
    both = plan(
        rows=10**5, target=TARGET, mechanisms=[Thresholdout, Gaussian], limit=Limit(failures=1)
    )
    alone = plan(rows=10**5, target=TARGET, mechanisms=[Gaussian])

    assert isinstance(both.mechanism, Thresholdout)
    assert both.radius < alone.radius / 1.5
    many = plan(
        rows=10**5, target=TARGET, mechanisms=[Thresholdout, Gaussian], limit=Limit(failures=20)
    )
    assert isinstance(many.mechanism, Gaussian)


@pytest.mark.parametrize("failures", [0, -1, True, 1.5, "2"])
def test_absurd_numbers_of_failures_are_refused(failures: object) -> None:
    with pytest.raises(InvalidInput, match=r"^failures must be"):
        plan(rows=10**5, target=TARGET, mechanisms=[Thresholdout], limit=Limit(failures=failures))  # type: ignore[arg-type]


def test_failures_are_refused_where_nothing_counts_them() -> None:
    for mechanisms in (None, [Gaussian], [Rounds, Gaussian]):
        with pytest.raises(InvalidInput, match=r"^failures must be left out"):
            plan(
                rows=10**5, target=TARGET, mechanisms=mechanisms, rounds=5, limit=Limit(failures=3)
            )


@pytest.mark.parametrize("rows", [1, 2, 10**18])
@pytest.mark.parametrize("questions", [1, 10**12])
@pytest.mark.parametrize("confidence", [Fraction(1, 10**9), 1 - Fraction(1, 10**100)])
def test_every_size_has_a_plan(rows: int, questions: int, confidence: Fraction) -> None:
    target = Target(confidence=confidence, questions=questions)
    found = plan(rows=rows, target=target, mechanisms=[Thresholdout])
    assert found.vacuous == (rows <= 2)


def test_the_inverse_questions_take_failures() -> None:
    target = Target(confidence=Fraction(19, 20), questions=100)
    need = {
        failures: rows_needed(
            target=target, radius=0.1, mechanisms=[Thresholdout], limit=Limit(failures=failures)
        )
        for failures in (1, 5)
    }
    assert need[1] < need[5] / 3
    for failures, rows in need.items():
        found = plan(
            rows=rows, target=target, mechanisms=[Thresholdout], limit=Limit(failures=failures)
        )
        assert found.radius <= 0.1
    most = questions_affordable(
        rows=need[5],
        confidence=0.95,
        radius=0.1,
        mechanisms=[Thresholdout],
        limit=Limit(failures=5),
    )
    assert 100 <= most < 200
    with pytest.raises(VacuousPlan) as refused:
        useful_plan(1000, TARGET, [Thresholdout], limit=Limit(failures=5))
    assert refused.value.rows_needed > 1000


def test_what_a_question_pays_and_what_its_terms_say() -> None:
    found = plan(
        rows=1000, target=Target.of(confidence=0.9, questions=5), mechanisms=[Thresholdout]
    )
    mechanism = found.mechanism
    assert isinstance(mechanism, Thresholdout)
    first = held_offer(mechanism, guess=Fraction(1, 3), number=2)

    assert first.terms == {"kind": "thresholdout", "round": "2", "guess": "333/1000"}
    assert amount_of(first.cost) * mechanism.budget == mechanism.epsilon
    later = within_round(first, number=7)
    assert (later.cost, later.draws) == (PureDP(Fraction(0)), 1)
    assert later.terms == {**first.terms, "round": "7"}
    for paid in range(mechanism.budget + 1):
        spent = first.cost * paid
        assert rounds_paid(mechanism, spent) == paid
        assert remaining_rounds(found, spent=spent) == mechanism.budget - paid
        left = remaining_questions(found, spent=spent, draws=2)
        assert left == (3 if paid < mechanism.budget else 0)
    with pytest.raises(InvalidInput, match="guess must be given"):
        planned_offer(found, draw=1)


def test_only_outcomes_of_the_guess_are_possible() -> None:
    terms = {"guess": "1/4"}
    quarter, zero, one = Fraction(1, 4), Fraction(0), Fraction(1)
    for outcome in ((quarter, zero), (quarter, one), (zero, one), (one, one)):
        assert held_possible(terms, outcome, rows=8)
    impossible: list[object] = [
        quarter,
        (quarter,),
        (one, zero),
        (Fraction(1, 3), one),
        (Fraction(-1, 8), one),
        (Fraction(9, 8), one),
        (quarter, Fraction(2)),
    ]
    for value in impossible:
        assert not held_possible(terms, value, rows=8)


def test_each_outcome_has_its_certificate() -> None:
    found = plan(rows=10**5, target=TARGET, mechanisms=[Thresholdout])
    mechanism = found.mechanism
    assert isinstance(mechanism, Thresholdout)
    terms = held_offer(mechanism, guess=Fraction(1, 2), number=0).terms
    stands = own_certificate_of(found, {**terms, "outcome": "passed"}, ledger="-")
    told = own_certificate_of(found, {**terms, "outcome": "failed"}, ledger="-")

    assert stands == own_certificate_of(found, terms, ledger="-")
    assert stands == mechanism.certify_standing(TARGET)
    assert told == mechanism.certify_corrected(TARGET)
    with pytest.raises(LedgerDamaged):
        own_certificate_of(found, {"kind": "gaussian", "sigma": "1", "step": "1"}, ledger="-")
    noisy = plan(rows=10**5, target=TARGET, mechanisms=[Gaussian])
    for forged in (terms, {**terms, **mechanism.describe()}):
        with pytest.raises(LedgerDamaged):
            own_certificate_of(noisy, forged, ledger="-")


@pytest.mark.parametrize(("rows", "failures"), [(10**4, 1), (10**5, 5), (10**6, 50)])
def test_corrections_teach_guesses_that_stand(rows: int, failures: int) -> None:
    """As likely as not all of them err by no more than half of the threshold."""
    mechanism = best_thresholdout(rows, TARGET, failures=failures)
    reach = told_within(mechanism) * rows
    scale = float(mechanism.sparse.answer_scale)

    assert reach.denominator == 1
    beyond = failures * 2 * at_least(int(reach) + 1, scale)
    assert 0.45 < beyond <= 0.5
    assert reach <= 0.51 * mechanism.threshold
