"""Quotes where theorems end: too few rows, levels near 0, sizes that nobody has, and the time."""

from time import process_time

import pytest

import peekproof.audit.routes as module
from peekproof.audit.routes import OURS, ROUNDS, SPLIT, Quote, quotes, taken
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.plan import MOST_QUESTIONS, MOST_ROWS

PURE_DRIFT = "Laplace noise, drift of pure DP"
BASSILY = "Laplace noise, monitor for (ε, δ)"
MONITORS = ("Gaussian noise, monitor", "Gaussian noise, two-sided monitor")


def target(questions: int, confidence: float = 0.95) -> Target:
    return Target.of(confidence=confidence, questions=questions)


def named(found: tuple[Quote, ...]) -> dict[str, Quote]:
    return {quote.route: quote for quote in found}


def test_a_route_that_does_not_apply_says_why() -> None:
    found = named(quotes(rows=100, target=target(1000), rounds=500))

    for route, reason in (
        (SPLIT, "more of them than rows"),
        (ROUNDS, "more of them than rows"),
        (BASSILY, "too few rows"),
    ):
        assert (found[route].radius, found[route].parameters) == (1.0, ())
        assert reason in found[route].why
    one_row_each = named(quotes(rows=100, target=target(100)))[SPLIT]
    assert dict(one_row_each.parameters)["rows_per_round"] == 1
    assert "says nothing" in found[PURE_DRIFT].why
    assert found[PURE_DRIFT].parameters


@pytest.mark.parametrize("confidence", [1e-17, 1e-150])
def test_a_confidence_near_0_is_still_compared(confidence: float) -> None:
    found = named(quotes(rows=10_000, target=target(10, confidence)))

    for route in MONITORS:
        assert found[route].radius == 1
        assert "near 0" in found[route].why
    assert found[OURS].radius < 0.1


def test_where_nothing_that_runs_says_anything_nothing_is_taken() -> None:
    found = quotes(rows=1000, target=target(1000))

    assert taken(found) is None
    assert taken(()) is None
    assert found[0].route == OURS
    assert 0.5 <= found[0].radius < 1


@pytest.mark.parametrize("rounds", [0, -1, 11, 1.5])
def test_rounds_are_between_one_and_the_questions(rounds: int) -> None:
    with pytest.raises(InvalidInput, match="rounds must be"):
        quotes(rows=100, target=target(10), rounds=rounds)


@pytest.mark.parametrize(
    ("rows", "questions", "argument"),
    [(0, 1, "rows"), (MOST_ROWS + 1, 1, "rows"), (10, MOST_QUESTIONS + 1, "questions")],
)
def test_sizes_that_nobody_has_are_refused(rows: int, questions: int, argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        quotes(rows=rows, target=target(questions))

    assert caught.value.argument == argument


def test_the_largest_sizes_are_quoted() -> None:
    found = quotes(rows=MOST_ROWS, target=target(MOST_QUESTIONS))

    assert found[0].route == OURS
    assert found[0].radius < 1e-5


def test_a_comparison_takes_well_under_a_second_and_is_remembered() -> None:
    spent = []
    for questions in (777, 778):
        start = process_time()
        quotes(rows=54_321, target=target(questions))
        spent.append(process_time() - start)
    before = module._at_any_rounds.cache_info()
    quotes(rows=54_321, target=target(778), rounds=7)

    assert min(spent) < 1
    assert module._at_any_rounds.cache_info().hits == before.hits + 1
