"""Every analyst of the catalogue against sessions that check its guesses.

Confidence is so high that no interval may miss. The control believes in checking without counting:
it confirms what is within the tolerance, and otherwise tells the sample's value.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from typing import final

import numpy as np
import pytest

import peekproof
from peekproof.audit.analysts.averaging import Averaging
from peekproof.audit.analysts.boosting import Boosting
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.fingerprinting import Fingerprinting
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.audit.analysts.protocol import Analyst, Columns, Conversation, ExactSample, Oracle
from peekproof.audit.analysts.reconstruction import Reconstruction
from peekproof.core.answer import Answer
from peekproof.core.certificate import Interval, Target
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.data.load import in_memory
from peekproof.derive.conditional import ConditionalAnswer
from peekproof.mechanisms import checking as planner_checking
from peekproof.query.question import parse_question
from peekproof.session import Session
from peekproof.testing.statistics import declared_false_alarms, statistical
from peekproof.theory.generalization import checking as theorems
from peekproof.theory.generalization.checking import (
    Transcript,
    log_inverse_level,
    sampling_radius,
)

BETA = Fraction(1, 10**9)
# Two sessions an analyst: one that is asked as narrowly as it allows, one as it proposes.
FALSE_ALARM = float(2 * BETA)
QUESTIONS = 400
NARROWER = 1e-6  # than any session of these sizes allows
STRONGEST = Correlation(rows=231, features=230)


@final
class Checker:
    """A session as an oracle that keeps its answers, for analysts who want different things.

    A tolerance that is refused is asked for again as the refusal says; where even the least is the
    whole scale, which is refused as well, the session's own is taken.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.answers: dict[str, Answer | ConditionalAnswer] = {}
        self.refused = 0

    def proposed(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        """Where the analyst has no tolerance to wish for, the session's own: few guesses fail."""
        try:
            answer = self._session.ask(question, guess=guess, tolerance=tolerance)
        except InvalidInput as refusal:
            if refusal.argument != "tolerance":
                raise
            self.refused += 1
            try:
                answer = self._session.ask(question, guess=guess, tolerance=least_of(refusal))
            except InvalidInput as useless:
                if "says nothing" not in str(useless):
                    raise
                answer = self._session.ask(question, guess=guess)
        self.answers[question] = answer
        return answer.value

    def narrow(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        """The least tolerance there is: most guesses fail, and tell where the sample is."""
        return self.proposed(question, guess=guess, tolerance=NARROWER)


def least_of(refusal: InvalidInput) -> float:
    """The least tolerance, which a refusal tells as a share, in the units of the answer."""
    least = re.match(r"at least (\S+) for this guess", refusal.accepted)
    width = re.search(r"shares of a width of (\S+)$", refusal.accepted)
    assert least is not None
    return float(least[1]) * (float(width[1]) if width else 1.0)


@final
class Control:
    """Guesses confirmed if they are as near as was asked; else the sample's value, told exactly.

    What it tells it claims to be as near to the population as a first question would be.
    """

    def __init__(self, columns: Columns) -> None:
        table = in_memory(columns)
        level = log_inverse_level(beta=BETA, transcript=Transcript())
        self._schema = table.schema
        self._radius = sampling_radius(rows=table.rows, log_inverse_level=level)
        self._sample = ExactSample(columns)
        self.claims: dict[str, Interval] = {}

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        low, high = parse_question(question, self._schema).form.span
        told, radius = self._sample(question), (high - low) * self._radius
        if guess is not None and tolerance is not None and abs(guess - told) <= tolerance:
            told, radius = guess, tolerance
        self.claims[question] = Interval(low=told - radius, high=told + radius)
        return told


def holds(interval: Interval, truth: Fraction) -> bool:
    return interval.low <= truth <= interval.high


def opened(columns: Columns, *, questions: int = QUESTIONS) -> Session:
    return peekproof.open(
        columns, confidence=1 - BETA, questions=questions, mechanisms=[peekproof.Checking]
    )


def checker_withstands_but_control_does_not(analyst: Analyst, *, seed: int) -> None:
    """No interval of either session misses, as long as it answers; the control's last one does."""
    columns = analyst.data(np.random.default_rng(seed))

    def play(oracle: Oracle) -> Conversation:
        return analyst.play(oracle, rng=np.random.default_rng(seed + 1))

    for want in (Checker.proposed, Checker.narrow):
        with opened(columns) as session:
            checker = Checker(session)
            said = play(partial(want, checker))
            failures = session.failures
        answers = checker.answers.values()
        for asked in said.asked:
            if asked.told is not None:
                assert holds(checker.answers[asked.question].interval, asked.truth), asked
        # Coverage alone would accept intervals that say nothing.
        assert any(answer.high - answer.low < answer.span.width for answer in answers)
        if want is Checker.narrow:
            assert failures > len(answers) / 4  # so the sample tells about itself
            assert checker.refused > 0

    control = Control(columns)
    asked = play(control).decisive
    assert asked.error > 0
    assert not holds(control.claims[asked.question], asked.truth)


@statistical(false_alarm=FALSE_ALARM)
def test_correlated_votes_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(STRONGEST, seed=1)


@statistical(false_alarm=FALSE_ALARM)
def test_boosted_submissions_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Boosting(rows=200, submissions=110), seed=2)


@statistical(false_alarm=FALSE_ALARM)
def test_solved_equations_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Reconstruction(rows=85, size=90), seed=3)


@statistical(false_alarm=FALSE_ALARM)
def test_packed_digits_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Digits(rows=110, size=140), seed=4)


@statistical(false_alarm=FALSE_ALARM)
def test_screened_regressions_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Freedman(rows=110, features=50), seed=5)


@statistical(false_alarm=FALSE_ALARM)
def test_reused_holdouts_do_not_mislead_a_checker() -> None:
    analyst = ReusedHoldout(rows=200, variables=110, chosen=5)

    checker_withstands_but_control_does_not(analyst, seed=6)


@statistical(false_alarm=FALSE_ALARM)
def test_fingerprints_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Fingerprinting(rows=110, size=200, columns=60), seed=7)


@statistical(false_alarm=FALSE_ALARM)
def test_averaged_spellings_do_not_mislead_a_checker() -> None:
    checker_withstands_but_control_does_not(Averaging(rows=200, features=30, spellings=4), seed=8)


def test_a_session_that_forgets_its_failures_would_be_misled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mutant: levels that count questions only. So the tests above can fail."""

    counted = theorems.next_log_inverse_level

    def forgetful(*, past: Transcript, target: Target) -> float:
        return counted(past=Transcript(questions=past.questions), target=target)

    for module in (theorems, planner_checking):
        monkeypatch.setattr(module, "next_log_inverse_level", forgetful)
    planner_checking._checked_guess.cache_clear()
    try:
        with opened(STRONGEST.data(np.random.default_rng(1))) as session:
            checker = Checker(session)
            asked = STRONGEST.play(checker.narrow, rng=np.random.default_rng(2)).decisive
    finally:
        planner_checking._checked_guess.cache_clear()  # what it offered is remembered

    assert not holds(checker.answers[asked.question].interval, asked.truth)


def test_no_analyst_was_left_out() -> None:
    declared = [name for name in declared_false_alarms() if name.startswith(f"{__name__}.")]

    assert len(declared) == len(ANALYSTS)


def test_an_analyst_who_runs_out_of_questions_is_refused_and_learns_no_more() -> None:
    analyst = Correlation(rows=200, features=30)
    columns = analyst.data(np.random.default_rng(20))
    with opened(columns, questions=20) as session:
        checker = Checker(session)
        said = analyst.play(checker.narrow, rng=np.random.default_rng(21))
        with pytest.raises(BudgetExhausted):
            checker.narrow("x29 = y", guess=0.5)

    assert [asked.told is None for asked in said.asked] == [False] * 20 + [True] * 11
    assert said.decisive.error == 0
    for asked in said.asked[:20]:
        assert holds(checker.answers[asked.question].interval, asked.truth)


def test_spellings_that_are_seen_through_cost_one_question_and_get_one_answer() -> None:
    analyst = Averaging(rows=200, features=5, spellings=3)  # all of one canonical form
    columns = analyst.data(np.random.default_rng(22))
    with opened(columns) as session:
        checker = Checker(session)
        said = analyst.play(checker.narrow, rng=np.random.default_rng(23))
        spent = QUESTIONS - session.remaining

    assert spent == 5 + 1
    for first in range(0, 15, 3):
        assert len({asked.told for asked in said.asked[first : first + 3]}) == 1


def test_a_refused_tolerance_says_one_that_is_accepted() -> None:
    columns = Freedman(rows=120, features=3).data(np.random.default_rng(24))
    with opened(columns) as session:
        for question in ("x0 = y", "mean(x1 * y, -8, 8, -8)"):
            with pytest.raises(InvalidInput, match="tolerance must be at least") as refused:
                session.ask(question, guess=0.5, tolerance=NARROWER)
            least = least_of(refused.value)
            with pytest.raises(InvalidInput, match="tolerance must be at least"):
                session.ask(question, guess=0.5, tolerance=0.99 * least)
            session.ask(question, guess=0.5, tolerance=least)
