from __future__ import annotations

import numpy as np
import pytest

from peekproof.audit.analysts.populations import draw_columns, names, odd_vote


@pytest.mark.parametrize(
    ("weights", "question"),
    [
        ([3, -2], "(+3*x0 -2*x1) * y > 0"),
        ([3, -1], "(+4*x0 -1*x1) * y > 0"),
        ([0, 0, 0], "(+1*x0) * y > 0"),
        ([-1, 5, 0], "(+5*x1) * y > 0"),
    ],
)
def test_a_vote_whose_weights_are_even_counts_the_first_for_one_more(
    weights: list[int], question: str
) -> None:
    assert odd_vote(names(len(weights)), weights) == question


def test_every_feature_needs_a_weight() -> None:
    with pytest.raises(ValueError, match="zip"):
        odd_vote(["a", "b"], [1])


def test_columns_are_signs_and_come_from_the_generator_alone() -> None:
    one, other = (draw_columns(3, rows=50, rng=np.random.default_rng(4)) for _ in range(2))

    assert list(one) == ["x0", "x1", "x2", "y"]
    for name, column in one.items():
        assert set(column.tolist()) == {-1, 1}
        assert np.array_equal(column, other[name])
