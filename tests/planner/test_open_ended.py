from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import VacuousPlan
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.planner.open_ended import open_ended_plan
from peekproof.planner.plan import plan

LEVEL = Fraction(19, 20)


def staged(rows: int) -> OpenEnded:
    found = open_ended_plan(rows=rows, confidence=LEVEL)
    assert isinstance(found.mechanism, OpenEnded)
    assert found.target.questions == found.mechanism.questions
    assert found.budget == found.mechanism.budget()
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
    target = Target(confidence=LEVEL, questions=mechanism.questions)
    radii = [mechanism.certify_stage(i, target).radius for i in range(len(mechanism.stages))]

    assert radii == sorted(radii)
    assert 0.3 < radii[-1] < 0.5


def test_too_few_rows_are_refused_with_a_number_that_works() -> None:
    with pytest.raises(VacuousPlan) as caught:
        open_ended_plan(rows=5, confidence=LEVEL)

    assert caught.value.questions_affordable == 0
    assert staged(caught.value.rows_needed).stages
