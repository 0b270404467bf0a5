"""One fight between stand-ins, so that all that is counted is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np
import pytest

from peekproof.audit.analysts.protocol import Columns, Conversation, Notes, Oracle
from peekproof.audit.fight import Bout, fight
from peekproof.audit.opponents.protocol import Reply, Terms
from peekproof.core.errors import BudgetExhausted, InvalidInput

HALF = Fraction(1, 2)
CONFIDENCE = Fraction(9, 10)


@final
@dataclass(frozen=True, kw_only=True)
class Asker:
    """Asks what it is given, all with truth ½, and notes its coins in the guesses."""

    kind: ClassVar[str] = "asker"

    asks: tuple[str, ...] = ("0.5", "0.9", "0.4")

    @property
    def questions(self) -> int:
        return len(self.asks)

    def data(self, rng: np.random.Generator) -> Columns:
        return {"x": rng.random(3)}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        notes = Notes(oracle)
        for asked in self.asks:
            notes.ask(asked, truth=HALF, guess=float(rng.random()), tolerance=0.125)
        return notes.conversation()


@final
@dataclass(kw_only=True)
class Echo:
    """Replies to a number with itself, ±0.2; to "!" with a refusal, to "?…" with an error.

    It claims to speak of the sum of all truths so far, so that their order can be seen.
    """

    name: str = "echo"
    certified: bool = False
    at_opening: Exception | None = None
    opened: list[tuple[Columns, Terms]] = field(default_factory=list)
    heard: list[tuple[str, float | None, float | None]] = field(default_factory=list)
    closed: int = 0

    def open(self, columns: Columns, *, terms: Terms) -> Self:
        if self.at_opening:
            raise self.at_opening
        self.opened.append((columns, terms))
        return self

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        self.heard.append((question, guess, tolerance))
        if question == "!":
            raise BudgetExhausted(asked=1, remaining=0, questions=1)
        if question.startswith("?"):
            raise InvalidInput(argument=question[1:], accepted="other", given="this")
        value = float(question)
        return Reply(value, value - 0.2, value + 0.2)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return sum(truths, Fraction(0))

    def close(self) -> None:
        self.closed += 1


def fought(*asks: str, echo: Echo | None = None, seed: int = 1) -> Bout:
    return fight(echo or Echo(), Asker(asks=asks), confidence=CONFIDENCE, seed=seed)


def test_every_reply_is_a_claim_about_what_the_opponent_says_it_is() -> None:
    bout = fought("0.5", "0.9", "1.4")

    assert [claim.truth for claim in bout.made] == [HALF, 1, 3 * HALF]
    assert [claim.error for claim in bout.made] == pytest.approx([0, 0.1, 0.1])
    assert bout.covered
    assert bout.forced == pytest.approx(0.1)
    assert bout.decisive is bout.claims[-1]
    assert bout.conversation is not None
    assert [asked.told for asked in bout.conversation.asked] == [0.5, 0.9, 1.4]


def test_intervals_that_miss_are_counted_above_and_below() -> None:
    bout = fought("0.71", "1.0", "1.29", "1.6")  # truths are ½, 1, 1½, 2

    assert [claim.holds for claim in bout.made] == [False, True, False, False]
    assert bout.missed == 3
    assert not bout.covered
    assert bout.forced == pytest.approx(0.4)


def test_a_refused_question_has_no_claim_and_the_fight_goes_on() -> None:
    bout = fought("0.5", "!", "1.5", "!")

    assert [claim is None for claim in bout.claims] == [False, True, False, True]
    assert bout.refused == 2
    assert bout.made[1].truth == 3 * HALF
    assert bout.decisive is None
    assert bout.covered


def test_who_refuses_everything_is_never_wrong() -> None:
    bout = fought("!", "!")

    assert (bout.missed, bout.forced, bout.refused) == (0, 0.0, 2)


@pytest.mark.parametrize(
    "refusal",
    [
        BudgetExhausted(asked=1, remaining=0, questions=1),
        InvalidInput(argument="questions", accepted="at most 3", given="4"),
        InvalidInput(argument="rounds", accepted="at most 3", given="4"),
        InvalidInput(argument="rows", accepted="at least 2", given="1"),
    ],
)
def test_who_would_not_begin_says_why(refusal: Exception) -> None:
    bout = fought("0.5", echo=Echo(at_opening=refusal))

    assert bout.refusal is refusal
    assert bout.claims == ()
    assert bout.decisive is None
    assert bout.covered


def test_a_question_of_a_form_that_is_not_answered_does_not_apply() -> None:
    echo = Echo()
    bout = fought("0.9", "?question", echo=echo)

    assert not bout.applies
    assert bout.claims == ()
    assert echo.closed == 1


def test_other_errors_are_not_hidden() -> None:
    broken = InvalidInput(argument="columns", accepted="other", given="this")
    with pytest.raises(InvalidInput, match="columns must be other"):
        fought("0.5", echo=Echo(at_opening=broken))

    echo = Echo()
    with pytest.raises(InvalidInput, match="guess must be other"):
        fought("0.5", "?guess", echo=echo)
    assert echo.closed == 1


def test_guesses_and_tolerances_are_passed_on() -> None:
    echo = Echo()
    fought("0.5", echo=echo)

    ((question, guess, tolerance),) = echo.heard
    assert (question, tolerance) == ("0.5", 0.125)
    assert guess is not None
    assert echo.closed == 1


def test_an_opponent_is_opened_for_what_the_analyst_may_ask_or_for_less() -> None:
    echo = Echo()
    fought("0.5", "0.5", echo=echo)
    fight(echo, Asker(), confidence=CONFIDENCE, seed=1, questions=7)

    assert [terms.questions for _, terms in echo.opened] == [2, 7]
    assert {terms.confidence for _, terms in echo.opened} == {CONFIDENCE}


def test_a_seed_chooses_the_sample_the_coins_and_the_noise_each_their_own() -> None:
    def drawn(seed: int) -> tuple[list[float], float | None, int]:
        echo = Echo()
        fought("0.5", echo=echo, seed=seed)
        columns, terms = echo.opened[0]
        return columns["x"].tolist(), echo.heard[0][1], terms.seed

    one, again, other = drawn(1), drawn(1), drawn(2)
    assert one == again
    assert all(a != b for a, b in zip(one, other, strict=True))
    assert one[1] not in one[0]


def test_progress_is_told_at_every_question() -> None:
    told: list[int] = []
    fight(Echo(), Asker(), confidence=CONFIDENCE, seed=1, progress=told.append)

    assert told == [1, 2, 3]


@final
@dataclass(frozen=True, kw_only=True)
class Secretive:
    """Asks more than it writes down."""

    kind: ClassVar[str] = "secretive"

    questions: int = 4

    def data(self, rng: np.random.Generator) -> Columns:
        return {"x": rng.random(3)}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        oracle("0.9")
        return Asker().play(oracle, rng=rng)


def test_replies_are_not_held_against_the_truths_of_other_questions() -> None:
    with pytest.raises(InvalidInput, match="got 3 for 4 that secretive asked"):
        fight(Echo(), Secretive(), confidence=CONFIDENCE, seed=1)
