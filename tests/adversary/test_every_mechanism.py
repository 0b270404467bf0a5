"""Every attack on everything that answers: the whole matrix, at sizes for tests.

Confidence is so high that no certified interval may miss. The control `plain` has the usual 0.95
and misses what every attack aims at. So an attack that has lost its edge fails here, and so does a
certificate that has lost its margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import final

from peekproof.audit.analysts.averaging import Averaging
from peekproof.audit.analysts.boosting import Boosting
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.fingerprinting import Fingerprinting
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.audit.analysts.protocol import Analyst, Columns, ExactSample
from peekproof.audit.analysts.reconstruction import Reconstruction
from peekproof.audit.fight import Bout, fight
from peekproof.audit.opponents.catalogue import CERTIFIED, OPPONENTS
from peekproof.audit.opponents.protocol import Opponent, Reply, Setup, Terms
from peekproof.testing.statistics import declared_false_alarms, statistical

BETA = Fraction(1, 10**10)
ORDINARY = Fraction(19, 20)
ROWS = 8000
# An attack meets each of them once.
FALSE_ALARM = float(len(CERTIFIED) * BETA)
ANSWER_SHARES_ALONE = {"thresholdout", "ladder"}


def certified_against(setup: Setup, analyst: Analyst, *, seed: int) -> Bout:
    return fight(setup, analyst, confidence=1 - BETA, seed=seed)


def withstands(bout: Bout) -> bool:
    """The criterion: it spoke, it said something, and nothing that it said was wrong."""
    told = [claim.reply.radius for claim in bout.made]
    return bout.covered and bool(told) and min(told) < 0.5


def all_withstand_but_plain_does_not(analyst: Analyst, *, seed: int, means: bool = False) -> None:
    silent = set()
    for setup in CERTIFIED:
        bout = certified_against(setup, analyst, seed=seed)
        assert bout.covered, (setup, bout.missed)
        if bout.refusal or not bout.applies:
            silent.add(setup.name)
        else:
            assert withstands(bout), setup
    assert silent == (ANSWER_SHARES_ALONE if means else set())

    last = fight(OPPONENTS["plain"], analyst, confidence=ORDINARY, seed=seed).decisive
    assert last is not None
    assert not last.holds
    assert last.reply.low > last.truth  # overstated, as predicted


@statistical(false_alarm=FALSE_ALARM)
def test_correlated_votes_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Correlation(rows=ROWS, features=40), seed=2)


@statistical(false_alarm=FALSE_ALARM)
def test_boosted_submissions_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Boosting(rows=ROWS, submissions=55), seed=1)


@statistical(false_alarm=FALSE_ALARM)
def test_solved_equations_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Reconstruction(rows=ROWS, size=30), seed=2)


@statistical(false_alarm=FALSE_ALARM)
def test_packed_digits_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Digits(rows=ROWS, size=60, bits=8), seed=2, means=True)


@statistical(false_alarm=FALSE_ALARM)
def test_screened_regressions_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Freedman(rows=ROWS, features=12), seed=2, means=True)


@statistical(false_alarm=FALSE_ALARM)
def test_reused_holdouts_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(ReusedHoldout(rows=ROWS, variables=60, chosen=6), seed=26)


@statistical(false_alarm=FALSE_ALARM)
def test_fingerprints_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Fingerprinting(rows=ROWS, size=100, columns=25), seed=2)


@statistical(false_alarm=FALSE_ALARM)
def test_averaged_spellings_fool_plain_answers_alone() -> None:
    all_withstand_but_plain_does_not(Averaging(rows=ROWS, features=20, spellings=2), seed=2)


def test_no_attack_was_left_out() -> None:
    declared = [name for name in declared_false_alarms() if name.startswith(f"{__name__}.")]

    assert len(declared) == len(ANALYSTS)


@final
@dataclass(frozen=True, slots=True)
class Narrowed:
    """The mutant: a session whose certificate lost its margin, say for what analysts learn."""

    setup: Setup
    portion: float
    name: str = "narrowed"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        return _Narrow(self.setup.open(columns, terms=terms), self.portion)


@final
class _Narrow:
    def __init__(self, opponent: Opponent, portion: float) -> None:
        self._opponent, self._portion = opponent, portion

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        full = self._opponent.reply(question, guess=guess, tolerance=tolerance)
        radius = self._portion * full.radius
        return Reply(full.value, full.value - radius, full.value + radius)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return self._opponent.claimed(truths)

    def close(self) -> None:
        self._opponent.close()


@final
@dataclass(frozen=True, slots=True)
class Noiseless:
    """The mutant: the noise is dropped, and the certificate is that for fixed questions."""

    name: str = "noiseless"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        return _Exact(columns, terms)


@final
class _Exact:
    def __init__(self, columns: Columns, terms: Terms) -> None:
        self._sample = ExactSample(columns)
        exponent = log(2 * terms.questions / float(1 - terms.confidence))
        self._radius = sqrt(exponent / (2 * self._sample.rows))

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        value = self._sample(question)
        return Reply(value, value - self._radius, value + self._radius)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return truths[-1]

    def close(self) -> None:
        pass


def test_a_certificate_that_lost_its_margin_would_be_found_out() -> None:
    analyst, seed = Correlation(rows=ROWS, features=40), 2

    for name in ("gaussian", "fresh-rows", "checking"):
        right = certified_against(OPPONENTS[name], analyst, seed=seed)
        wrong = certified_against(Narrowed(OPPONENTS[name], 1 / 12), analyst, seed=seed)
        assert withstands(right)
        assert not withstands(wrong), name


def test_answers_without_noise_would_be_found_out_however_sure_they_are() -> None:
    bout = certified_against(Noiseless(), Correlation(rows=2000, features=150), seed=2)

    assert bout.missed == 1  # what it aims at; all others were fixed beforehand
    assert not withstands(bout)
    assert bout.decisive is not None
    assert not bout.decisive.holds
