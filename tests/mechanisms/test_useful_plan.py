"""A useful plan is the best plan, or a refusal with two ways out that both work."""

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.mechanisms.plan import CONFIDENCE, MOST_QUESTIONS, QUESTIONS, plan, useful_plan


def test_a_plan_that_says_something_is_handed_on() -> None:
    target = Target.of(confidence=CONFIDENCE, questions=QUESTIONS)

    assert useful_plan(10_000, target) == plan(rows=10_000, target=target)


@pytest.mark.parametrize(("rows", "questions", "confidence"), [(1000, 1000, 0.95), (300, 90, 0.99)])
def test_both_ways_out_of_a_refusal_are_open(rows: int, questions: int, confidence: float) -> None:
    with pytest.raises(VacuousPlan) as caught:
        useful_plan(rows, Target.of(confidence=confidence, questions=questions))
    refusal = caught.value

    assert (refusal.rows, refusal.questions) == (rows, questions)
    assert float(refusal.confidence) == confidence
    assert 0 < refusal.questions_affordable < questions
    assert refusal.rows_needed > rows
    for size, count in ((refusal.rows_needed, questions), (rows, refusal.questions_affordable)):
        assert not useful_plan(size, Target.of(confidence=confidence, questions=count)).vacuous


@pytest.mark.parametrize("questions", [1, 10, MOST_QUESTIONS])
def test_with_one_row_only_more_rows_help(questions: int) -> None:
    with pytest.raises(VacuousPlan) as caught:
        useful_plan(1, Target.of(confidence=0.95, questions=questions))

    assert caught.value.questions_affordable == 0
    assert caught.value.rows_needed > 1


def test_what_is_no_plan_at_all_is_no_refusal() -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be"):
        useful_plan(0, Target.of(confidence=0.95, questions=1))
