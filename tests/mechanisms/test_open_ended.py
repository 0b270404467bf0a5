"""Stages of noise: their clocks bound whatever batches are drawn."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.open_ended import OpenEnded

ROWS = 1000


def stages(*sigmas: int) -> OpenEnded:
    step = Fraction(1, 4096)
    return OpenEnded(
        rows=ROWS,
        stages=tuple(Gaussian(rows=ROWS, sigma=Fraction(each, 1000), step=step) for each in sigmas),
    )


def test_draws_belong_to_stages_that_double() -> None:
    mechanism = stages(10, 12, 15)

    assert mechanism.questions == 7
    assert [mechanism.stage_of(draw) for draw in range(1, 8)] == [0, 1, 1, 2, 2, 2, 2]
    assert mechanism.clock(1) == mechanism.stages[0].cost() + mechanism.stages[1].cost() * 2
    assert mechanism.budget() == mechanism.clock(2)


@given(batches=st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_no_way_of_batching_exceeds_the_clock_of_a_stage(batches: list[int]) -> None:
    mechanism = stages(10, 10, 13, 20, 21, 40, 41, 60, 80, 99)
    drawn, spent = 0, Fraction(0)
    for batch in batches:
        drawn += batch
        stage = mechanism.stage_of(drawn)
        spent += mechanism.stages[stage].cost().mu_squared * batch
        assert spent <= mechanism.clock(stage).mu_squared
        assert drawn <= 2 ** (stage + 1) - 1


def test_falling_noise_and_no_stages_are_refused() -> None:
    for sigmas in ((), (10, 9)):
        with pytest.raises(InvalidInput, match=r"^stages must be"):
            stages(*sigmas)
