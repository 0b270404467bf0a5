from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guess.cells import Listed, question
from peekproof.core.errors import InvalidInput
from peekproof.guess.guesser import GRID, Analyst, Guesser, on_grid
from peekproof.guess.weights import MultiplicativeWeights

HALF = Fraction(1, 2)


def every_guesser() -> list[Guesser]:
    values = Listed([np.arange(4) < 1, np.arange(4) / 4])
    return [
        Analyst(share=Fraction(1, 3)),
        MultiplicativeWeights(cells=4, values=values, error=Fraction(1, 10)),
    ]


@pytest.mark.parametrize("guesser", every_guesser(), ids=lambda guesser: guesser.kind)
def test_every_guesser_guesses_shares_before_and_after_lessons(guesser: Guesser) -> None:
    described = guesser.describe()
    for answer in (Fraction(0), HALF, Fraction(1)):
        first = guesser.guess(question(0))
        guesser.learn(question(1), answer, within=Fraction(1, 100))

        assert 0 <= first <= 1
        assert guesser.guess(question(0)) == guesser.guess(question(0))
    assert guesser.describe() == described
    assert described["kind"] == guesser.kind
    assert all(isinstance(text, str) for text in described.values())


@given(share=st.floats(0, 1))
def test_the_grid_is_fine(share: float) -> None:
    found = on_grid(share)

    assert abs(found - Fraction(share)) <= Fraction(1, 2 * GRID)
    assert GRID % found.denominator == 0


def test_the_grid_ends_at_zero_and_one() -> None:
    assert on_grid(-1e-16) == 0
    assert on_grid(1 + 1e-15) == 1


def test_an_analyst_says_what_was_said() -> None:
    guesser = Analyst(share=Fraction(1, 3))
    guesser.learn(question(0), HALF, within=Fraction(0))

    assert guesser.guess(question(0)) == guesser.guess(question(1)) == Fraction(1, 3)
    assert guesser.describe() == {"kind": "analyst", "share": "1/3"}


@pytest.mark.parametrize("share", [Fraction(-1, 2), Fraction(3, 2), 0.5, True, None])
def test_what_is_no_share_is_refused(share: Any) -> None:
    with pytest.raises(InvalidInput):
        Analyst(share=share)
