"""Where scores are asked for: a session of this process, or a gateway."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Protocol, cast, final

from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, some_classes
from peekproof.learn.held import LABEL, HeldRows
from peekproof.learn.score import LargestScore, MeanScore, Score
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.base import Ask, Past, Query
from peekproof.mechanisms.plan import Plan
from peekproof.noise.entropy import Entropy
from peekproof.query.form import Share
from peekproof.query.question import Question, is_json, parse_question
from peekproof.query.schema import Schema
from peekproof.query.tree import Column, Member
from peekproof.query.walk import levels
from peekproof.session.forks import forked
from peekproof.session.history import History
from peekproof.session.queries import ANY_SHARE, InWords, any_pairs
from peekproof.session.session import Session

_PLACES = 9


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guessed:
    """A guess at a score, how far it may be off, and how many rows it was made from.

    Both are in the units of the score, from 0 to the span of its metric, which is 1 for most.

    Without a tolerance there is room for what guesses from so many rows are off by chance.
    """

    share: float
    tolerance: float | None = None
    trained_on: int | None = None

    def ask(self, what: Query) -> Ask:
        """The ask that says so; a tolerance says more than a number of rows."""
        trained_on = self.trained_on if self.tolerance is None else None
        return Ask(what=what, guess=self.share, tolerance=self.tolerance, trained_on=trained_on)


ANY = Guessed(share=0.5)  # what was answered before is told whatever is guessed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a holdout has come."""

    rows: int
    confidence: float
    questions: int
    asked: int
    left: int
    failures: int


class Desk(Protocol):
    """Answers scores. Shared by threads; its budget is in one ledger."""

    @property
    def labels(self) -> Labels:
        """The labels where they are held; elsewhere zeros or empty texts of their kind."""

    def ask(self, score: Score, guess: Guessed) -> Answer:
        """A mean over all rows, or over all pairs of rows."""

    def share(self, where: str, guess: Guessed) -> Answer:
        """The share of rows for which a condition about groups or labels holds."""

    def best(self, scores: Sequence[MeanScore]) -> Choice:
        """Which of at least two different scores is the largest, with its interval."""

    def condition(self, where: str) -> Question:
        """The question for the share of a condition, refused by what is public of labels."""

    def known(self, score: Score) -> Answer | None:
        """What was answered before, and so is free; None if it would be charged."""

    def reaches(self, guesses: Sequence[Guessed], *, pairs: bool = False) -> list[float]:
        """How far the interval of each guess reaches from it if it is confirmed, as of now.

        Refused if nothing is left to ask for.
        """

    def standing(self) -> Standing: ...

    def answers(self) -> History: ...

    def as_analyst(self, name: str) -> "Desk": ...

    def close(self) -> None: ...


def condition(where: str, schema: Schema) -> Question:
    """The question for the share of rows for which a condition holds, if it is one in words."""
    question = parse_question(where, schema)
    if not isinstance(question.form, Share) or is_json(where):
        raise InvalidInput(
            argument="where",
            accepted="a condition about groups or labels, such as region = 'south'",
            given=repr(where)[:80],
        )
    return question


def probes(*, text: bool) -> Iterator[str]:
    """Questions about labels that hardly anybody asks.

    Of a new one the price is that of any: it depends on the guess and the past alone.
    """
    return (f"{LABEL} = 'x{n}'" if text else f"{LABEL} = {n}.0078125" for n in count())


def guess_reaches(
    plan: Plan, past: Past, guesses: Sequence[Guessed], *, pairs: bool
) -> list[float]:
    """How far the interval of each guess reaches from it if it is confirmed after this past.

    From guesses, the past and the number of rows alone: labels take no part in it.
    """
    return [_reach(plan, past, each, pairs=pairs) for each in guesses]


def _reach(plan: Plan, past: Past, guess: Guessed, *, pairs: bool) -> float:
    if guess.tolerance is not None:
        return guess.tolerance
    what = any_pairs(plan.rows) if pairs else ANY_SHARE
    ask = Ask(what=what, guess=round(guess.share, _PLACES), trained_on=guess.trained_on)
    draw = plan.mechanism.offer(ask, past)
    return float(Fraction(draw.record()["tolerance"]))


def _labels_named(form: Share) -> Iterator[float | str]:
    """What a condition says that the label is, or is not."""
    for level in levels(form.predicate):
        for node in level:
            match node:
                case Member(Column(name), values, _) if name == LABEL:
                    yield from values


@final
class LocalDesk:
    """A session of this process that checks guesses.

    `place` is where its ledger can be opened again, from any folder; `entropy` what for.
    """

    def __init__(
        self,
        session: Session,
        held: HeldRows,
        *,
        place: str = MEMORY,
        entropy: Entropy | None = None,
    ) -> None:
        self._session, self.held = session, held
        self.place, self.entropy = place, entropy
        self._process = os.getpid()

    @property
    def session(self) -> Session:
        """The session, in the process that it was opened by."""
        if os.getpid() != self._process:  # before anything is charged that could never be read
            raise forked(self._session.ledger.place)
        return self._session

    @property
    def labels(self) -> Labels:
        return self.held.labels

    def ask(self, score: Score, guess: Guessed) -> Answer:
        self._check(score)
        return self._answered(score, guess)

    def _check(self, score: Score) -> None:
        if score.charge_first:  # by a function of somebody's own
            self.held.check_function(score.metric)

    def share(self, where: str, guess: Guessed) -> Answer:
        return self._answered(InWords(self.condition(where)), guess)

    def condition(self, where: str) -> Question:
        """The question for the share of a condition, if labels can be what it says they are.

        By the classes that were declared, which are public, and never by the labels themselves.
        """
        question, declared = condition(where, self.session.schema), self.labels.classes
        if declared is not None:
            for value in _labels_named(cast(Share, question.form)):
                if value not in declared:
                    raise InvalidInput(
                        argument="where",
                        accepted=f"about classes that labels can have: {some_classes(declared)}",
                        given=repr(value)[:80],
                    )
        return question

    def _answered(self, what: Query, guess: Guessed) -> Answer:
        (answer,) = self.session.answer([guess.ask(what)])
        return cast(Answer, answer)  # a guess is checked against one number

    def best(self, scores: Sequence[MeanScore]) -> Choice:
        for each in scores:
            self._check(each)
        (answer,) = self.session.answer([Ask(what=LargestScore(tuple(scores)))])
        return cast(Choice, answer)

    def past(self) -> Past:
        """What the level of the next guess rests on; refused if there is none to come."""
        past, mechanism = self.session.past, self.session.plan.mechanism
        if past.draws >= past.target.questions:
            raise mechanism.refusal(1, past, remaining=0)
        return past

    def reaches(self, guesses: Sequence[Guessed], *, pairs: bool = False) -> list[float]:
        return guess_reaches(self.session.plan, self.past(), guesses, pairs=pairs)

    def known(self, score: Score) -> Answer | None:
        if score.digest not in self.session.ledger.answers():
            return None
        return self._answered(score, ANY)

    def standing(self) -> Standing:
        session = self.session
        left = session.remaining
        return Standing(
            rows=session.plan.rows,
            confidence=float(session.plan.target.confidence),
            questions=session.plan.target.questions,
            asked=session.ledger.seen.draws,
            left=left,
            failures=session.failures,
        )

    def answers(self) -> History:
        return self.session.answers()

    def as_analyst(self, name: str) -> "LocalDesk":
        session = self.session.as_analyst(name)
        return LocalDesk(session, self.held, place=self.place, entropy=self.entropy)

    def close(self) -> None:
        self.session.close()
