"""Whether values are missing is a fact about the rows, and no form, price or refusal tells it."""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import PeekproofError
from peekproof.noise.entropy import Seeded

ROWS = 5_000
MECHANISMS = (peekproof.Gaussian, peekproof.Laplace, peekproof.Checking)
TEXTS = (
    "mean(x, 0, 1)",
    "mean(x / y, 0, 1)",
    "mean(clip(x, 0, 1) - y, -1, 1)",
    "mean(if(y > 0.5, x, null), 0, 1)",
    "mean(x, 0, 1) given y > 0.5",
    "mean(x, 0, 1) by y (0.5)",
    "histogram(y, (0.5), mean(x, 0, 1))",
)


def table(*, gaps: bool) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    x, y = rng.random(ROWS), rng.random(ROWS)
    return {"x": np.where(rng.random(ROWS) < 0.2, np.nan, x) if gaps else x, "y": y}


def told(mechanism: type[peekproof.Gaussian], *, gaps: bool) -> list[object]:
    """All that does not come out of a mechanism: forms, prices, what is left, texts, refusals."""
    session = peekproof.open(
        table(gaps=gaps), questions=60, mechanisms=[mechanism], entropy=Seeded(1)
    )
    heard: list[object] = []
    for text in TEXTS:
        for call in (
            lambda text=text: session.price_of(text).questions,
            lambda text=text: type(session.respond([text])[0]).__name__,
            lambda text=text: session.price_of(text).questions,
            lambda text=text: session.best([text, "mean(y, 0, 1)"]),
            lambda text=text: session.ask(text, guess=0.5),
        ):
            try:
                heard.append(call())
            except PeekproofError as error:
                heard.append(str(error))
            heard.append(session.remaining)
    return [*heard, [each.question for each in session.answers()]]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_gaps_are_not_told_beside_the_answers(mechanism: type[peekproof.Gaussian]) -> None:
    with_gaps, without = (told(mechanism, gaps=gaps) for gaps in (True, False))
    assert with_gaps == without


def test_a_declared_column_tells_no_more_than_that_it_was_declared() -> None:
    """Two tables that both keep the declaration are told apart by answers alone."""
    heard = []
    for seed in (1, 2):
        columns = {"x": np.random.default_rng(seed).random(ROWS)}
        session = peekproof.open(columns, questions=20, complete=["x"], entropy=Seeded(1))
        price = session.price_of("mean(x, 0, 1)").questions
        heard.append((price, type(session.ask("mean(x, 0, 1)")), session.remaining))
    assert heard[0] == heard[1]
