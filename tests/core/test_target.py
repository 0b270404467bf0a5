"""A target keeps the user's decimals exactly."""

from fractions import Fraction
from math import nan

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput


def test_beta_is_exact() -> None:
    target = Target.of(confidence=0.95, questions=1000)

    assert target == Target(confidence=Fraction(19, 20), questions=1000)
    assert target.beta == Fraction(1, 20)


@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1, nan, True])
def test_a_confidence_outside_the_open_unit_is_refused(confidence: float) -> None:
    with pytest.raises(InvalidInput) as caught:
        Target.of(confidence=confidence, questions=1)

    assert caught.value.argument == "confidence"


@pytest.mark.parametrize("questions", [0, -1, 1.5, True])
def test_a_number_of_questions_is_a_positive_integer(questions: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        Target.of(confidence=0.5, questions=questions)

    assert caught.value.argument == "questions"
