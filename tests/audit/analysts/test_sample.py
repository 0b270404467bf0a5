from __future__ import annotations

import numpy as np
import pytest

from peekproof.audit.analysts.protocol import ExactSample
from peekproof.core.errors import InvalidInput

SAMPLE = ExactSample({"a": np.array([1.0, 2.0, 3.0, 6.0])})


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("a > 1", 0.75),
        ("share(a = 6)", 0.25),
        ("mean(a, 0, 8, 0)", 3.0),
        ("mean(a, 2, 4, 2)", 2.75),
    ],
)
def test_shares_and_means_of_the_rows_are_exact(question: str, value: float) -> None:
    assert SAMPLE(question) == SAMPLE(question, guess=0.5) == value


@pytest.mark.parametrize("question", ["histogram(a, (1, 2))", "quantile(a, 0.5, 0, 8)"])
def test_other_forms_are_not_accepted(question: str) -> None:
    with pytest.raises(InvalidInput, match="a share or a mean"):
        SAMPLE(question)
