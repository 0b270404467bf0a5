from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from peekproof.audit.analysts.protocol import Asked, Conversation, Notes
from peekproof.core.errors import BudgetExhausted

HALF = Fraction(1, 2)


def mean_spirited(
    question: str, *, guess: float | None = None, tolerance: float | None = None
) -> float:
    if question == "refuse":
        raise BudgetExhausted(asked=1, remaining=0, questions=1)
    return 0.75


def test_notes_keep_what_was_asked_guessed_and_told_in_order() -> None:
    notes = Notes(mean_spirited)

    assert notes.ask("x", truth=HALF, guess=0.25) == 0.75
    assert notes.ask("refuse", truth=HALF, guess=0.25) == 0.25

    first, second = notes.conversation().asked
    assert first == Asked(question="x", truth=HALF, guess=0.25, told=0.75)
    assert second == Asked(question="refuse", truth=HALF, guess=0.25, told=None)
    assert notes.conversation().decisive is second


def test_an_answer_errs_by_what_it_is_above_the_truth_and_a_refusal_by_nothing() -> None:
    asked = Asked(question="x", truth=HALF, guess=0.1, told=0.75)
    refused = Asked(question="x", truth=HALF, guess=0.1, told=None)

    assert (asked.error, asked.believed) == (0.25, 0.75)
    assert (refused.error, refused.believed) == (0.0, 0.1)


def test_a_claim_is_to_be_confirmed_so_narrowly_that_the_truth_is_left_out() -> None:
    wanted: list[tuple[float | None, float | None]] = []

    def attentive(
        question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        wanted.append((guess, tolerance))
        return 0.0

    Notes(attentive).confirm("x", truth=HALF, above=0.25)
    Notes(attentive).confirm("x", truth=HALF, above=0.75)
    Notes(attentive).ask("x", truth=HALF, guess=0.5)

    assert wanted == [(0.75, 0.125), (1.0, 0.25), (0.5, None)]


def test_only_refusals_are_skipped() -> None:
    def broken(
        question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Notes(broken).ask("x", truth=HALF, guess=0.5)


def test_a_conversation_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Conversation(asked=()).asked = ()  # type: ignore[misc]
