"""The one batch of the final: all finalists and their differences, on rows not touched before."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import cast, final

from peekproof.core.answer import Answer
from peekproof.core.numerics import float_down, float_up
from peekproof.learn.board.entry import Entry
from peekproof.learn.board.final import Duel, Final, Finalist, ranking
from peekproof.learn.board.finishing import finish
from peekproof.learn.column import Predictions
from peekproof.learn.held import HeldRows
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.gain import Gain
from peekproof.learn.scoring import Scoring
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.session.opening import open

ALL_PAIRS = 20  # teams; of more, only neighbours by the public phase are compared row by row


@final
@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """An entry in the final, with its predictions for the rows."""

    entry: Entry
    predicted: Predictions


def scored_final(
    held: HeldRows,
    finalists: Sequence[Running],
    *,
    metric: Metric,
    confidence: float,
    ledger: Path,
) -> Final:
    """The final of these entries, in the order of the public phase; again the same.

    All questions are known before the first row is read, so they are one round of T-split on all
    rows: intervals are those of a fresh holdout.
    """
    scores = [Scoring.of(metric, held.labels, each.predicted) for each in finalists]
    pairs = list(combinations(finalists, 2))
    if len(finalists) > ALL_PAIRS:
        pairs = list(pairwise(finalists))
    gain = Gain(metric)
    duels = [
        tuple(
            Scoring.of(gain, held.labels, one.predicted, two.predicted)
            for one, two in ((a, b), (b, a))
        )
        for a, b in pairs
    ]
    every = {each.column: each for each in [*scores, *(one for duel in duels for one in duel)]}
    known = Ledger.exists(str(ledger))
    with open(
        held,
        confidence=None if known else confidence,
        questions=None if known else len(every),
        rounds=1,
        ledger=ledger,
        mechanisms=[Rounds],
    ) as session:
        questions = [each.question(session.schema) for each in every.values()]
        with held.lending(*every.values()):
            finish(session, held, questions)
            answers = cast(list[Answer], session.ask_many(questions))  # scores are never missing
            found = dict(zip(every, answers, strict=True))
    certificate = next(iter(found.values())).certificate
    compared = tuple(
        _duel(a.entry, b.entry, found[up.column], found[down.column], higher=metric.higher)
        for (a, b), (up, down) in zip(pairs, duels, strict=True)
    )
    ranked = [
        _finalist(each.entry, found[score.column])
        for each, score in zip(finalists, scores, strict=True)
    ]
    return Final(
        finalists=ranking(ranked, compared, higher=metric.higher),
        duels=compared,
        rows=held.rows,
        confidence=confidence,
        questions=len(every),
        theorems=certificate.theorems,
        assumptions=certificate.assumptions,
    )


def _finalist(entry: Entry, answer: Answer) -> Finalist:
    return Finalist(
        rank=0,
        team=entry.team,
        entry=entry.number,
        name=entry.name,
        value=answer.value,
        low=answer.low,
        high=answer.high,
    )


def _duel(one: Entry, two: Entry, up: Answer, down: Answer, *, higher: bool) -> Duel:
    """The difference of gain and loss. Rounds: outward."""
    better, worse = (up, down) if higher else (down, up)
    return Duel(
        first=one.team,
        second=two.team,
        value=float(better.released - worse.released),
        low=float_down(Fraction(better.low) - Fraction(worse.high)),
        high=float_up(Fraction(better.high) - Fraction(worse.low)),
    )
