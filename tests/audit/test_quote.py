"""A quote says what it promises, and only the strongest promise may run."""

import json
from fractions import Fraction

import pytest

from peekproof.audit.routes import NotAdaptive, Quote, quotes, taken
from peekproof.core.certificate import OneQuestion, Simultaneous, Target
from peekproof.core.errors import InvalidInput


@pytest.mark.parametrize("kind", [OneQuestion, NotAdaptive])
def test_a_weaker_bound_cannot_be_marked_as_running(
    kind: type[OneQuestion] | type[NotAdaptive],
) -> None:
    bound = kind(radius=0.01, beta=Fraction(1, 20))
    with pytest.raises(InvalidInput, match="runs must be true only for a bound"):
        Quote(route="x", theorems=(), bound=bound, parameters=(), why="", runs=True)

    quote = Quote(route="x", theorems=(), bound=bound, parameters=(), why="")
    assert taken([quote]) is None
    assert not quote.simultaneous
    assert not hasattr(bound, "around")


@pytest.mark.parametrize("radius", [float("nan"), -0.1, 1.1, float("inf")])
def test_a_reference_radius_is_a_share(radius: float) -> None:
    with pytest.raises(InvalidInput, match="radius must be between 0 and 1"):
        NotAdaptive(radius=radius, beta=Fraction(1, 20))


def test_the_dictionary_is_json() -> None:
    for quote in quotes(rows=1000, target=Target.of(confidence=0.95, questions=10), rounds=3):
        back = json.loads(json.dumps(quote.to_dict(), allow_nan=False))

        assert back["radius"] == quote.radius
        assert back["simultaneous"] == isinstance(quote.bound, Simultaneous)
        assert back["promises"] == quote.promises
        assert (back["promises"] == "all answers together") == back["simultaneous"]
        assert list(back["parameters"]) == [name for name, _ in quote.parameters]
