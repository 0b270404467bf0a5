"""Where scores are asked for: a session of this process, or a gateway."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, final

from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, some_classes
from peekproof.learn.held import LABEL, HeldRows
from peekproof.learn.score import LargestScore, MeanScore, Score
from peekproof.mechanisms.base import Ask, Past, Query
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.form import Share
from peekproof.query.question import Question, is_json, parse_question
from peekproof.query.schema import Schema
from peekproof.query.tree import Column, Member, levels
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
class Tally:
    """How far a holdout has come."""

    rows: int
    confidence: float
    questions: int
    asked: int
    left: int
    failures: int


class Home(Protocol):
    """Where the labels of a desk are, and how another process gets to them."""

    def ids(self) -> list[str] | None:
        """The ids of the rows in their order, if they have some."""

    def packed(self, desk: "Desk") -> tuple[object, ...]:
        """What a pickle of the desk holds, as `__reduce__` returns it."""


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


def _reach(plan: Plan, past: Past, guess: Guessed, *, pairs: bool) -> float:
    if guess.tolerance is not None:
        return guess.tolerance
    what = any_pairs(plan.rows) if pairs else ANY_SHARE
    ask = Ask(what=what, guess=round(guess.share, _PLACES), trained_on=guess.trained_on)
    return Price.of(plan.mechanism.offer(ask, past), plan).certificate.radius


def _labels_named(form: Share) -> Iterator[float | str]:
    """What a condition says that the label is, or is not."""
    for level in levels(form.predicate):
        for node in level:
            match node:
                case Member(Column(name), values, _) if name == LABEL:
                    yield from values


@final
class Desk:
    """A session that checks guesses, and what is known of the labels that it is about.

    `labels` are zeros or empty texts of their kind if a gateway holds them, and `held` are the
    rows where they are at hand. Threads may share it; its budget is in one ledger.
    """

    def __init__(
        self, session: Session, labels: Labels, *, home: Home, held: HeldRows | None = None
    ) -> None:
        self._session, self.labels, self.home, self.held = session, labels, home, held
        self._process = os.getpid()

    @property
    def session(self) -> Session:
        """The session; rows are asked about in the process that opened them."""
        if self.held is not None and os.getpid() != self._process:
            raise forked(self._session.ledger.place)  # before anything is charged in vain
        return self._session

    def ask(self, score: Score, guess: Guessed) -> Answer:
        """A mean over all rows, or over all pairs of rows."""
        self._check(score)
        return self._answered(score, guess)

    def _check(self, score: Score) -> None:
        if score.charge_first and self.held is not None:  # by a function of somebody's own
            self.held.check_function(score.metric)

    def share(self, where: str, guess: Guessed) -> Answer:
        """The share of rows for which a condition about groups or labels holds."""
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
        (answer,) = self.session.backend.answer([guess.ask(what)])
        return cast(Answer, answer)  # a guess is checked against one number

    def best(self, scores: Sequence[MeanScore]) -> Choice:
        """Which of at least two different scores is the largest, with its interval."""
        for each in scores:
            self._check(each)
        (answer,) = self.session.backend.answer([Ask(what=LargestScore(tuple(scores)))])
        return cast(Choice, answer)

    def past(self) -> Past:
        """What the level of the next guess rests on; refused if there is none to come."""
        past, mechanism = self.session.past, self.session.plan.mechanism
        if past.draws >= past.target.questions:
            raise mechanism.refusal(1, past, remaining=0)
        return past

    def reaches(self, guesses: Sequence[Guessed], *, pairs: bool = False) -> list[float]:
        """How far the interval of each guess reaches from it if it is confirmed, as of now.

        Refused if nothing is left to ask for. From guesses, the past and the number of rows alone:
        labels take no part in it.
        """
        plan, past = self.session.plan, self.past()
        return [_reach(plan, past, each, pairs=pairs) for each in guesses]

    def known(self, score: Score) -> Answer | None:
        """What was answered before, and so is free; None if it would be charged."""
        if not self.session.backend.known(score):
            return None
        # Whatever is guessed: the same score again is told as it was.
        return self._answered(score, ANY)

    def standing(self) -> Tally:
        """How many scores were asked for and how many are left."""
        now, target = self.session.backend.look(), self.session.plan.target
        return Tally(
            rows=self.session.plan.rows,
            confidence=float(target.confidence),
            questions=target.questions,
            asked=now.past.draws,
            left=now.remaining,
            failures=now.past.failures,
        )

    def answers(self) -> History:
        """All that was answered, whoever asked."""
        return self.session.answers()

    def ids(self) -> list[str] | None:
        """The ids of the rows in their order, if a gateway has them."""
        return self.home.ids()

    def as_analyst(self, name: str) -> "Desk":
        """The same, for what this analyst asks."""
        session = self.session.as_analyst(name)
        return Desk(session, self.labels, home=self.home, held=self.held)

    def close(self) -> None:
        """Let go of the ledger, or of the connections."""
        self.session.close()

    def __reduce__(self) -> tuple[object, ...]:
        return self.home.packed(self)
