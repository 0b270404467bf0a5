"""Adaptive analysts in sessions that check guesses: how often does any interval miss the truth?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import ClassVar, cast, final

import numpy as np
import numpy.typing as npt
import pytest

import peekproof
from adversary.attacks import LABEL, Told, draw_sample, features
from peekproof.audit.analysts.correlation import agreement
from peekproof.core.answer import Answer
from peekproof.core.certificate import Interval, Target
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.derive.conditional import ConditionalAnswer
from peekproof.guess.guesser import Guesser
from peekproof.query.question import Question, parse_question
from peekproof.session import Session
from peekproof.session.records import Pasts
from peekproof.testing.statistics import excess_p_value, statistical
from peekproof.theory.generalization.checking import (
    Transcript,
    checked_interval,
    next_log_inverse_level,
)

FALSE_ALARM = 1e-8
SESSIONS = 7
BETA = 0.05

Columns = dict[str, npt.NDArray[np.generic]]
Signs = dict[str, npt.NDArray[np.float64]]
Mask = npt.NDArray[np.bool_]

POPULATION, ROWS, TRAINING, QUESTIONS = 50_000, 5_000, 500, 50
ROOM = 2  # for a guess that is a little off


@cache
def population() -> Columns:
    """Four columns that hang together, as those of people do."""
    rng = np.random.default_rng(11)
    hidden = rng.normal(size=POPULATION)

    def cut(weight: float, *edges: float) -> npt.NDArray[np.float64]:
        mixed = weight * hidden + rng.normal(size=POPULATION)
        return np.digitize(mixed, edges).astype(float)

    return {
        "region": np.array(["north", "south", "west"])[cut(0.5, -0.3, 0.8).astype(int)],
        "age": cut(1.0, -2, -1, 0, 1, 2),
        "income": cut(1.5, -2, -0.5, 1, 3),
        "member": cut(-0.8, 1.0) > 0,
    }


def drawn(rows: int, rng: np.random.Generator) -> Columns:
    chosen = rng.integers(0, POPULATION, rows)
    return {name: column[chosen] for name, column in population().items()}


def condition(name: str, rng: np.random.Generator) -> tuple[str, Mask]:
    column = population()[name]
    if name == "member":
        flags = column.astype(bool)
        return ("member", flags) if rng.integers(2) else ("not member", ~flags)
    if name == "region":
        value = str(rng.choice(["north", "south", "west"]))
        return f"region = '{value}'", column == value
    step = int(rng.integers(1, 5))
    numbers = cast(npt.NDArray[np.float64], column)
    return (
        (f"{name} >= {step}", numbers >= step),
        (f"{name} < {step}", numbers < step),
        (f"{name} = {step}", numbers == step),
    )[rng.integers(3)]


def reach(session: Session, guess: Fraction) -> float:
    """How far the population can be from a guess that the sample agrees with exactly."""
    past = Pasts(session.plan, schema=session.schema).look(session.ledger.seen)
    level = next_log_inverse_level(past=past.transcript, target=session.plan.target)
    rows = session.plan.rows
    around = checked_interval(round(guess * rows), rows=rows, log_inverse_level=level)
    return max(float(guess) - around.low, around.high - float(guess))


def curious(session: Session, guesser: Guesser, rng: np.random.Generator) -> Told:
    """Drills down, compares regions, moves thresholds and takes means, as the answers suggest."""
    told: Told = []

    def ask(text: str, truth: float) -> Answer | ConditionalAnswer:
        asked = parse_question(text, session.schema)
        assert session.failures <= len(told)  # and the guesser has learnt of them
        low, high = asked.form.span
        tolerance = (high - low) * min(1.0, ROOM * reach(session, guesser.guess(asked)))
        answer = session.ask(text, tolerance=tolerance)
        if not answer.replayed:
            told.append((answer, truth))
        return answer

    def share(*held: tuple[str, Mask]) -> Answer | ConditionalAnswer:
        truth = np.mean(np.logical_and.reduce([mask for _, mask in held]))
        return ask(" and ".join(text for text, _ in held), float(truth))

    def drill_down() -> Iterator[Answer | ConditionalAnswer]:
        names = rng.permutation(list(population()))
        held = [condition(str(names[0]), rng)]
        last = share(*held)
        yield last
        for name in names[1:]:
            further = condition(str(name), rng)
            answer = share(*held, further)
            yield answer
            if answer.value > 0.3 * last.value:
                held, last = [*held, further], answer

    def compare() -> Iterator[Answer | ConditionalAnswer]:
        among, regions = condition("age", rng), population()["region"]
        shares = {}
        for region in ("north", "south", "west"):
            shares[region] = share((f"region = '{region}'", regions == region), among)
            yield shares[region]
        most = max(shares, key=lambda region: shares[region].value)
        yield share((f"region = '{most}'", regions == most), among, condition("income", rng))

    def search() -> Iterator[Answer | ConditionalAnswer]:
        name, group = ("age", "income")[rng.integers(2)], condition("region", rng)
        column = cast(npt.NDArray[np.float64], population()[name])
        low, high = 0, 5
        while low < high:
            middle = (low + high) // 2
            answer = share(group, (f"{name} > {middle}", column > middle))
            yield answer
            low, high = (middle + 1, high) if answer.value > 0.1 else (low, middle)

    def mean() -> Iterator[Answer | ConditionalAnswer]:
        name, high = ("age", "income")[rng.integers(2)], int(rng.integers(2, 6))
        column = cast(npt.NDArray[np.float64], population()[name])
        yield ask(f"mean({name}, 0, {high}, 0)", float(np.mean(np.clip(column, 0, high))))

    kinds = (drill_down, drill_down, compare, search, mean)
    while True:
        for _ in kinds[rng.integers(len(kinds))]():
            if len(told) == QUESTIONS:
                return told


def training(rng: np.random.Generator) -> Guesser:
    return peekproof.Training(drawn(TRAINING, rng))


def weights(_: np.random.Generator) -> Guesser:
    domain = peekproof.Domain(
        {
            "region": ("north", "south", "west"),
            "age": tuple(map(float, range(6))),
            "income": tuple(map(float, range(5))),
            "member": (True, False),
        }
    )
    return peekproof.learned_weights(domain)


def sessions_that_miss(guesser: Callable[[np.random.Generator], Guesser]) -> tuple[int, int]:
    """In how many sessions an interval misses, and in how many one of a fifth of it does."""
    missed = narrow = 0
    rng = np.random.default_rng(21)
    for _ in range(SESSIONS):
        guessing = guesser(rng)
        with peekproof.open(
            drawn(ROWS, rng),
            questions=QUESTIONS,
            mechanisms=[peekproof.Checking],
            guesser=guessing,
        ) as session:
            told = curious(session, guessing, rng)
            assert 0 < session.failures < QUESTIONS  # so both outcomes are put to the test
        missed += any(truth not in answer for answer, truth in told)
        narrow += any(
            abs(answer.value - truth) > answer.radius / 5
            for answer, truth in told
            if "T-check-accept" in answer.certificate.theorems
        )
    return missed, narrow


@statistical(false_alarm=FALSE_ALARM)
def test_guesses_from_few_training_rows_mislead_no_session() -> None:
    """The mutant: what passed, reported with a fifth of its tolerance."""
    missed, narrow = sessions_that_miss(training)

    assert excess_p_value(missed, trials=SESSIONS, probability=BETA) > FALSE_ALARM
    assert excess_p_value(narrow, trials=SESSIONS, probability=BETA) < FALSE_ALARM


@statistical(false_alarm=FALSE_ALARM)
def test_guesses_of_learning_weights_mislead_no_session() -> None:
    """The same mutant. Weights start uniform, so that early guesses are far off."""
    missed, narrow = sessions_that_miss(weights)

    assert excess_p_value(missed, trials=SESSIONS, probability=BETA) > FALSE_ALARM
    assert excess_p_value(narrow, trials=SESSIONS, probability=BETA) < FALSE_ALARM


SIGNS, VOTERS = 2_000, 151


@final
class Half:
    """One who always guesses one half, which is the truth about signs, and never about a sample."""

    kind: ClassVar[str] = "half"

    def guess(self, question: Question) -> Fraction:
        return Fraction(1, 2)

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Nothing."""

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


def majority(session: Session) -> tuple[Told, list[int]]:
    """All agreements, as tightly as they can be asked; then the vote of those that told something.

    Returns the answers with the truth, and which way each feature votes. Their number is odd, so
    no vote ties, and each is right about half of the population.
    """
    told: Told = []

    def ask(text: str) -> Answer | ConditionalAnswer:
        tight = min(1.0, 1.0001 * reach(session, Fraction(1, 2)))
        told.append((session.ask(text, tolerance=tight), 0.5))
        return told[-1][0]

    names = features(VOTERS)
    votes = [int(np.sign(ask(agreement(name, LABEL)).value - 0.5)) for name in names]
    if sum(map(abs, votes)) % 2 == 0:
        votes[votes.index(0) if 0 in votes else 0] += 1
    terms = " ".join(f"{vote:+d}*{name}" for name, vote in zip(names, votes, strict=True) if vote)
    ask(f"({terms}) * {LABEL} > 0")
    return told, votes


def forgetful(votes: list[int], sample: Signs) -> Interval:
    """The mutant: the vote's interval at the level of a session that never counts a failure."""
    sums = np.sum([vote * sample[f"x{number}"] for number, vote in enumerate(votes, 1)], axis=0)
    past, promise = Transcript(questions=VOTERS), Target.of(confidence=0.95, questions=VOTERS + 1)
    level = next_log_inverse_level(past=past, target=promise)
    right = int(np.count_nonzero(sums * sample[LABEL] > 0))
    return checked_interval(right, rows=SIGNS, log_inverse_level=level)


@statistical(false_alarm=FALSE_ALARM)
def test_a_majority_of_what_failed_guesses_tell_misleads_no_session() -> None:
    rng = np.random.default_rng(31)
    missed = fooled = 0
    for _ in range(SESSIONS):
        sample = draw_sample(SIGNS, VOTERS, rng)
        with peekproof.open(
            sample, questions=VOTERS + 1, mechanisms=[peekproof.Checking], guesser=Half()
        ) as session:
            told, votes = majority(session)
            assert session.failures > VOTERS // 2  # so tight that a sample tells about itself
            with pytest.raises(BudgetExhausted):
                session.ask("u < 0.5", tolerance=0.4)
        missed += any(truth not in answer for answer, truth in told)
        fooled += 0.5 not in forgetful(votes, sample)

    assert excess_p_value(missed, trials=SESSIONS, probability=BETA) > FALSE_ALARM
    assert excess_p_value(fooled, trials=SESSIONS, probability=BETA) < FALSE_ALARM


def test_a_tolerance_that_the_past_does_not_allow_is_refused_and_costs_nothing() -> None:
    sample = draw_sample(SIGNS, 20, np.random.default_rng(32))
    allowed = 0.06
    with peekproof.open(
        sample, questions=30, mechanisms=[peekproof.Checking], guesser=Half()
    ) as session:
        session.ask("u < 0.5", tolerance=allowed)
        for number in range(1, 9):  # each is far from one half
            session.ask(f"u < 0.0{number}", tolerance=0.4)
        left, failures = session.remaining, session.failures
        with pytest.raises(InvalidInput, match="tolerance must be at least"):
            session.ask(agreement("x1", LABEL), tolerance=allowed)

        assert failures >= 8
        assert (session.remaining, session.failures) == (left, failures)
