"""A reusable holdout for a session: the search against a plain grid, and what it plans for."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, fsum, log, sqrt

import pytest

from mechanisms.discrete_laws import at_least, mass
from peekproof.core.certificate import Target
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    Ask,
    Limit,
    Mechanism,
    Past,
    recorded_draw,
    recorded_mechanism,
)
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import (
    certificate_of,
    plan,
    questions_affordable,
    rows_needed,
    useful_plan,
)
from peekproof.mechanisms.thresholdout import Compared, Thresholdout, best_thresholdout
from peekproof.noise.entropy import Seeded
from peekproof.session.queries import ANY_SHARE

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
                corrections=failures,
                questions=questions,
                comparing=part,
            ),
            target,
        )
        for epsilon in (found.epsilon * Fraction(step, 10) for step in (3, 5, 7, 9, 10, 12, 15, 25))
        for part in (Fraction(step, 20) for step in (10, 14, 16, 17, 18, 19))
    )
    assert found.corrections == failures
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
    assert mechanism.one_round.cost() * mechanism.corrections == mechanism.cost()
    assert recorded_mechanism(mechanism.record(), rows=10**5) == mechanism
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
        assert found.mechanism.corrections == 3


def test_it_is_only_taken_if_named_and_competes_if_it_is() -> None:
    assert not Thresholdout.automatic
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
    choices: tuple[list[type[Mechanism]] | None, ...] = (None, [Gaussian], [FreshRows, Gaussian])
    for mechanisms in choices:
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


def test_what_a_question_pays_and_what_is_recorded_of_it() -> None:
    target = Target.of(confidence=0.9, questions=5)
    found = plan(rows=1000, target=target, mechanisms=[Thresholdout])
    mechanism = found.mechanism
    assert isinstance(mechanism, Thresholdout)
    ask, price = Ask(what=ANY_SHARE, guess=1 / 3), mechanism.price.epsilon
    first = mechanism.offer(ask, Past(target=target, spent=2 * price))

    assert first == Compared(rows=1000, guess=Fraction(333, 1000), round=2, price=price)
    assert {**first.record(), "price": ""} == {
        "kind": "thresholdout", "round": "2", "guess": "333/1000", "price": "",
    }  # fmt: skip
    assert first.cost.amount * mechanism.corrections == mechanism.epsilon
    for paid in range(mechanism.corrections + 1):
        past = Past(target=target, spent=paid * price, draws=2)
        assert mechanism.opened(past) == paid
        room = mechanism.epsilon - past.spent
        assert mechanism.rounds_left(past, room=room) == mechanism.corrections - paid
        assert mechanism.left(past) == (3 if paid < mechanism.corrections else 0)
    with pytest.raises(InvalidInput, match="guess must be given"):
        mechanism.offer(Ask(what=ANY_SHARE), found.nothing_asked)


def test_a_round_that_a_session_has_open_costs_nothing_more() -> None:
    target = Target.of(confidence=0.9, questions=5)
    mechanism = best_thresholdout(1000, target)
    run, ask = mechanism.start(rng=Seeded(1)), Ask(what=ANY_SHARE, guess=0.5)
    before = Past(target=target)
    first = run.offer(ask, before)
    ((_, corrected),) = run.release([first], [Exact(500)])
    after = Past(target=target, spent=first.cost.amount, draws=1)

    assert corrected == 0
    assert run.under_way(after)
    assert run.offer(ask, after).record()["price"] == "0"
    waiting = Past(target=target, spent=after.spent, draws=1, pending=(first,))
    assert not run.under_way(waiting)  # how that ended nobody knows
    elsewhere = Past(target=target, spent=2 * after.spent, draws=2)
    assert not run.under_way(elsewhere)  # somebody else has opened one since
    run.forget()
    assert not run.under_way(after)
    assert run.offer(ask, after).cost.amount == first.cost.amount


def test_only_outcomes_of_the_guess_are_possible() -> None:
    draw = Compared(rows=8, guess=Fraction(1, 4), round=0, price=Fraction(1))
    quarter, zero, one = Fraction(1, 4), Fraction(0), Fraction(1)
    for outcome in ((quarter, zero), (quarter, one), (zero, one), (one, one)):
        assert draw.shares(outcome) == outcome[:1]
    for value in (
        (quarter,),
        (one, zero),
        (Fraction(1, 3), one),
        (Fraction(-1, 8), one),
        (Fraction(9, 8), one),
        (quarter, Fraction(2)),
    ):
        with pytest.raises(ValueError, match=r"an impossible answer|no comparison gives it"):
            draw.shares(value)


def test_each_outcome_has_its_certificate() -> None:
    found = plan(rows=10**5, target=TARGET, mechanisms=[Thresholdout])
    mechanism = found.mechanism
    assert isinstance(mechanism, Thresholdout)
    draw = mechanism.offer(Ask(what=ANY_SHARE, guess=0.5), found.nothing_asked)

    assert certificate_of(found, draw) == mechanism.certify_standing(TARGET)
    assert certificate_of(found, draw, failed=True) == mechanism.certify_corrected(TARGET)
    noisy = plan(rows=10**5, target=TARGET, mechanisms=[Gaussian])
    foreign = recorded_draw({"kind": "gaussian", "sigma": "1", "step": "1"}, rows=10**5)
    for promise, other in ((found, foreign), (noisy, draw)):
        with pytest.raises(ValueError, match="where the promise has none"):
            certificate_of(promise, other)


@pytest.mark.parametrize(("rows", "failures"), [(10**4, 1), (10**5, 5), (10**6, 50)])
def test_corrections_teach_guesses_that_stand(rows: int, failures: int) -> None:
    """As likely as not all of them err by no more than half of the threshold."""
    mechanism = best_thresholdout(rows, TARGET, failures=failures)
    told = Compared(rows=rows, guess=Fraction(0), round=0, price=Fraction(0))
    within = told.within(mechanism, (Fraction(1), Fraction(1)))
    assert within is not None
    reach = within * rows
    scale = float(mechanism.sparse.answer_scale)

    assert reach.denominator == 1
    beyond = failures * 2 * at_least(int(reach) + 1, scale)
    assert 0.45 < beyond <= 0.5
    assert reach <= 0.51 * mechanism.threshold
