"""What a session promises and how it keeps it."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from peekproof.accounting.filters import SessionGate
from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Charge
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_down
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import Rounds, Splitting, without_key
from peekproof.mechanisms.gaussian import Gaussian, best_gaussian
from peekproof.mechanisms.laplace import Laplace, best_laplace
from peekproof.mechanisms.limited_checking import Limit, LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import FAILURES, Thresholdout, best_thresholdout
from peekproof.mechanisms.truncation import Truncation
from peekproof.planner.html import plan_html
from peekproof.theory.generalization.truncation import best_bins

VACUOUS = 0.5

# Beyond these no one has rows or patience, and searches must end somewhere.
MOST_QUESTIONS = 10**12
MOST_ROWS = 10**18

# A key is drawn when a session is opened; for pricing any will do.
_NO_KEY = "0" * 32

# What checks a guess against the sample.
Checks = Checking | LimitedChecking

# What takes a guess in place of a question alone.
Guessed = Checks | Thresholdout

Mechanism = Gaussian | Laplace | Truncation | Splitting | Rounds | Guessed | OpenEnded

# What a number of questions can be promised with.
MECHANISMS: tuple[type[Mechanism], ...] = (Gaussian, Truncation, Splitting)

# And what is only taken if it is named, or for rounds, if their number is.
NAMED: tuple[type[Mechanism], ...] = (
    *MECHANISMS, Laplace, Rounds, Checking, LimitedChecking, Thresholdout,
)  # fmt: skip

# All of them, by the names that commands and settings give them.
KINDS: dict[str, type[Mechanism]] = {kind.KIND: kind for kind in (*NAMED, OpenEnded)}

# What a description says in words, and not by a number.
_WORDS = ("kind", "stages", "weights")

_LIMITED: set[type[Mechanism]] = {LimitedChecking, Thresholdout}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A mechanism, the promise it keeps, and the certificate for it."""

    target: Target
    mechanism: Mechanism
    certificate: Certificate

    @property
    def rows(self) -> int:
        return self.mechanism.rows

    @property
    def radius(self) -> float:
        """How far the widest interval can reach."""
        return self.certificate.radius

    @property
    def vacuous(self) -> bool:
        """Whether the intervals say no more than that a share is between 0 and 1."""
        return self.radius >= VACUOUS

    @property
    def budget(self) -> Charge:
        if isinstance(self.mechanism, OpenEnded | Rounds):
            return self.mechanism.budget()
        if isinstance(self.mechanism, Thresholdout):
            return self.mechanism.cost()  # of the whole conversation
        return self.mechanism.cost() * self.target.questions

    def gate(self) -> SessionGate:
        return SessionGate.within(self.budget)

    def _repr_html_(self) -> str:
        """The plan for a notebook."""
        return plan_html(self)

    def to_dict(self) -> dict[str, object]:
        described = without_key(self.mechanism.describe())
        return {
            "rows": self.rows,
            "questions": self.target.questions,
            "confidence": level_down(self.target.confidence),
            "radius": self.radius,
            "vacuous": self.vacuous,
            "mechanism": {
                name: value if name in _WORDS else float(Fraction(value))
                for name, value in described.items()
            },
            "certificate": self.certificate.to_dict(),
        }


def plan(
    *,
    rows: int,
    target: Target,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> Plan:
    """The plan with the smallest radius: Gaussian noise, few possible answers, or fresh rows.

    `rounds` is the number of batches in which the questions come, if that is known. Questions of
    a batch can share fresh rows; other mechanisms make no use of it and set no limit to it.
    `limit` says how many guesses may fail, for LimitedChecking, or be corrected, for Thresholdout
    (10 if it is not said).

    `mechanisms` names the ones to choose from; only noise also protects records. Laplace noise
    is tried only if named: it is narrower than Gaussian noise for one to three questions at most,
    where fresh rows are narrower still.

    A search only chooses parameters; the radius is then certified for them as they are, so an
    imperfect search costs width and never validity.
    """
    check.positive_integer(rows=rows)
    for argument, value, most in (
        ("rows", rows, MOST_ROWS),
        ("questions", target.questions, MOST_QUESTIONS),
    ):
        if value > most:
            raise InvalidInput(argument=argument, accepted=f"at most {most:,}", given="more")
    if mechanisms is None:
        mechanisms = MECHANISMS if rounds is None else (*MECHANISMS, Rounds)
    batches = _batches(rounds, target, mechanisms)
    _check_limit(limit, mechanisms)
    chosen = [kind for kind in NAMED if kind in mechanisms]
    if not chosen or len(chosen) != len(set(mechanisms)):
        raise InvalidInput(
            argument="mechanisms",
            accepted=f"some of {', '.join(kind.__name__ for kind in NAMED)}",
            given=repr(mechanisms),
        )
    plans = [
        found
        for kind in chosen
        if (
            found := _best(
                kind.KIND,
                rows,
                target,
                batches if kind is Rounds else 0,
                limit if kind in _LIMITED else None,
            )
        )
    ]
    if not plans:
        argument, given = ("rounds", batches) if batches else ("questions", target.questions)
        raise InvalidInput(
            argument=argument,
            accepted=f"at most {rows:,}, one row each, for fresh rows",
            given=f"{given:,}",
        )
    return min(plans, key=lambda each: each.radius)


def _batches(rounds: int | None, target: Target, mechanisms: Collection[type[Mechanism]]) -> int:
    """The number of rounds to plan for; 0 where there are none to speak of."""
    if rounds is None:
        if Rounds in mechanisms:
            raise InvalidInput(
                argument="rounds", accepted="given, for a plan by rounds", given="None"
            )
        return 0
    if check.positive_integer(rounds=rounds) > target.questions:
        raise InvalidInput(
            argument="rounds",
            accepted=f"at most the number of questions, {target.questions:,}",
            given=f"{rounds:,}",
        )
    return rounds if Rounds in mechanisms else 0


def _check_limit(limit: Limit | None, mechanisms: Collection[type[Mechanism]]) -> None:
    if limit is None and LimitedChecking in mechanisms:
        accepted = "given: LimitedChecking ends after so many failed guesses"
        raise InvalidInput(argument="failures", accepted=accepted, given="None")
    if limit is None:
        return
    if not _LIMITED & set(mechanisms):
        names = " or ".join(sorted(kind.__name__ for kind in _LIMITED))
        accepted = f"left out, unless {names} is named"
        raise InvalidInput(argument="failures", accepted=accepted, given=f"{limit.failures:,}")
    if limit.tolerance is not None and LimitedChecking not in mechanisms:
        accepted = "left out: a threshold takes its place"
        raise InvalidInput(argument="tolerance", accepted=accepted, given=str(limit.tolerance))


@lru_cache(maxsize=768)
def _best(
    kind: str, rows: int, target: Target, rounds: int, limit: Limit | None = None
) -> Plan | None:
    """The best plan with one kind of mechanism; None if it cannot be run at all."""
    mechanism: Mechanism
    if kind == Gaussian.KIND:
        mechanism = best_gaussian(rows, target)
    elif kind == Truncation.KIND:
        mechanism = Truncation(rows=rows, bins=best_bins(rows=rows, target=target))
    elif kind == Laplace.KIND:
        mechanism = best_laplace(rows, target)
    elif kind == Checking.KIND:
        mechanism = Checking(rows=rows)
    elif kind == LimitedChecking.KIND and limit is not None:
        mechanism = limit.mechanism(rows, target)
    elif kind == Thresholdout.KIND:
        failures = min(limit.failures if limit else FAILURES, target.questions)
        mechanism = best_thresholdout(rows, target, failures=failures)
    elif kind == Rounds.KIND and rounds <= rows:
        mechanism = Rounds(rows=rows, rounds=rounds, key=_NO_KEY)
    elif kind == Splitting.KIND and target.questions <= rows:
        mechanism = Splitting(rows=rows, parts=target.questions, key=_NO_KEY)
    else:
        return None
    return Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))
