"""Stages of noise: their clocks bound whatever batches are drawn, and how they are planned."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.mechanisms.gaussian import Gaussian, Noise
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.plan import open_ended_plan, plan

ROWS = 1000


def stages(*sigmas: int) -> OpenEnded:
    step = Fraction(1, 4096)
    return OpenEnded(
        rows=ROWS,
        stages=tuple(Noise(Fraction(each, 1000), step) for each in sigmas),
    )


def test_draws_belong_to_stages_that_double() -> None:
    mechanism = stages(10, 12, 15)

    assert mechanism.most_questions == 7
    assert [mechanism.stage_of(draw) for draw in range(1, 8)] == [0, 1, 1, 2, 2, 2, 2]
    assert mechanism.clock(1) == mechanism.noise(0).cost() + mechanism.noise(1).cost() * 2
    assert mechanism.budget(Target.of(confidence=0.9, questions=7)) == mechanism.clock(2)


@given(batches=st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_no_way_of_batching_exceeds_the_clock_of_a_stage(batches: list[int]) -> None:
    mechanism = stages(10, 10, 13, 20, 21, 40, 41, 60, 80, 99)
    drawn, spent = 0, Fraction(0)
    for batch in batches:
        drawn += batch
        stage = mechanism.stage_of(drawn)
        spent += mechanism.noise(stage).cost().mu_squared * batch
        assert spent <= mechanism.clock(stage).mu_squared
        assert drawn <= 2 ** (stage + 1) - 1


def test_falling_noise_and_no_stages_are_refused() -> None:
    for sigmas in ((), (10, 9)):
        with pytest.raises(InvalidInput, match=r"^stages must be"):
            stages(*sigmas)


LEVEL = Fraction(19, 20)


def staged(rows: int) -> OpenEnded:
    found = open_ended_plan(OpenEnded, rows=rows, confidence=LEVEL)
    assert isinstance(found.mechanism, OpenEnded)
    assert found.target.questions == found.mechanism.most_questions
    assert found.budget == found.mechanism.budget(found.target)
    return found.mechanism


@pytest.mark.parametrize("rows", [1_000, 100_000])
def test_the_price_of_not_knowing_is_at_most_the_documented_one(rows: int) -> None:
    mechanism = staged(rows)
    for stage in range(len(mechanism.stages)):
        count = 2 ** (stage + 1) - 1
        target = Target(confidence=LEVEL, questions=count)
        known = plan(rows=rows, target=target, mechanisms=(Gaussian,)).radius
        open_ended = mechanism.certify_stage(stage, target).radius
        assert known < open_ended < 1.6 * known


def test_stages_widen_until_the_next_would_say_nothing() -> None:
    mechanism = staged(1_000)
    target = Target(confidence=LEVEL, questions=mechanism.most_questions)
    radii = [mechanism.certify_stage(i, target).radius for i in range(len(mechanism.stages))]

    assert radii == sorted(radii)
    assert 0.3 < radii[-1] < 0.5


def test_too_few_rows_are_refused_with_a_number_that_works() -> None:
    with pytest.raises(VacuousPlan) as caught:
        open_ended_plan(OpenEnded, rows=5, confidence=LEVEL)

    assert caught.value.questions_affordable == 0
    assert staged(caught.value.rows_needed).stages
