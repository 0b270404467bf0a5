"""The claim that is checked for an entry: its declared score, or that it is no better."""

from fractions import Fraction
from math import ceil, floor

from peekproof.learn.board.entry import Entry, Told
from peekproof.learn.desk import Guessed, LocalDesk
from peekproof.learn.metric import Metric
from peekproof.learn.scoring import Scoring
from peekproof.mechanisms.checking import Checking, described_check
from peekproof.query.form import FINE
from peekproof.session.session import Session
from peekproof.theory.generalization.checking import checked_interval, least_tolerance

_PLACES = 9
_MOST = 0.499999999
_SPARE = 1.001  # a little more than the least tolerance: levels fall while others ask


def no_better(desk: LocalDesk, metric: Metric, *, best: float | None, step: float) -> Guessed:
    """The claim that a score is not above u (or, of a loss, not below): the interval [0, u].

    u is the upper end of the interval that a sample equal to the best score and the step has now.
    So the claim passes just if the sample is no better than that, and a pass says nothing that was
    not known; if it fails, the entry is an improvement, told to a bin. Without a best there is
    nothing to claim, and what hardly any entry has, the worst score, is.
    """
    level = _level(desk)
    rows, levels = desk.labels.rows, 1 if metric.flag else FINE
    units = rows * levels
    if best is not None:
        exact = Fraction(best) + (Fraction(step) if metric.higher else -Fraction(step))
        total = ceil(exact * units) if metric.higher else floor(exact * units)
        total = max(0, min(units, total))
        around = checked_interval(total, rows=rows, log_inverse_level=level, levels=levels)
        if metric.higher:
            half = _decimal(around.high / 2)
            return Guessed(share=half, tolerance=half)
        half = _decimal((1 - around.low) / 2)
        return Guessed(share=round(1 - half, _PLACES), tolerance=half)
    worst = Fraction(0 if metric.higher else 1)
    least = least_tolerance(rows=rows, guess=worst, log_inverse_level=level, levels=levels)
    # Below 1, where the claim would be the whole scale.
    spare = min(float(least) * _SPARE, (1 + float(least)) / 2)
    return Guessed(share=float(worst), tolerance=spare)


def at_least(session: Session, scoring: Scoring, entry: Entry) -> float:
    """The worst score that the sample can have: of a claim that passed, the worst that passes.

    A team may declare more than it has, with a wide tolerance. If that were the best to beat, no
    later entry would ever be told to be better.
    """
    if entry.told is Told.CORRECTED:
        return entry.value
    terms = session.ledger.seen.answers[scoring.question(session.schema).digest].terms
    check = described_check(terms, rows=session.plan.rows)
    total = check.low if scoring.metric.higher else check.high
    return total / (check.rows * check.levels)


def _decimal(half: float) -> float:
    """Not below it, and short: guess and tolerance are taken as the decimals they print as.

    But below one half: a claim of the whole interval would hide even a perfect score.
    """
    found = round(ceil(half * 10**_PLACES) / 10**_PLACES, _PLACES)
    return min(_MOST, float(found))


def _level(desk: LocalDesk) -> float:
    """ln(1/level) of the next question."""
    plan = desk.session.plan
    if not isinstance(plan.mechanism, Checking):
        raise TypeError("a session that checks guesses has levels")
    return plan.mechanism.weights.log_inverse_level(past=desk.past(), target=plan.target)
