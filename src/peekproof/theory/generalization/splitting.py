"""Fresh rows for every question, or for every round of questions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import (
    chernoff_interval,
    hoeffding_radius,
    log_transcripts,
)


def rows_per_round(*, rows: int, rounds: int) -> int:
    """⌊n/r⌋: how many rows each round sees; refused if there are more rounds than rows."""
    check.positive_integer(rows=rows)
    if check.positive_integer(rounds=rounds) > rows:
        raise InvalidInput(
            argument="rounds",
            accepted=f"at most the number of rows, {rows:,}",
            given="more",
            hint="ask more questions in a round, or use another mechanism",
        )
    return rows // rounds


@theorem("T-split", "hoeffding-1963", "Theorem 1; proof in the docstring")
def split_certificate(*, rows: int, rounds: int, target: Target) -> Certificate:
    """The radius that all answers keep together if each round of questions has rows of its own.

        radius = √( ln(2k/β) / (2⌊n/r⌋) )        k questions in all, r = `rounds`

    One question a round is `rounds` = k; questions that adapt to nothing are one round.

    Proof. The rows of a round are independent of everything released before it, so given the past
    its questions are fixed functions and Hoeffding's inequality gives each the level β/k. Sum
    over all k.

    Holds when: rows are independent draws, assigned to rounds without looking at them; the
    questions of a round depend on the answers of earlier rounds only, and are k in all. Answers
    may be exact means.
    Rounds: up.
    """
    each = rows_per_round(rows=rows, rounds=rounds)
    log_count = log_transcripts(target.questions)
    part = Part(
        theorem="T-split",
        covers="the sampling error of a round's rows",
        radius=hoeffding_radius(rows=each, beta=target.beta, log_count=log_count),
        numbers=(("rounds", float(rounds)), ("rows_per_round", float(each))),
    )
    shape = SplitShape(rows=rows, rounds=rounds, target=target)
    return Certificate(target=target, rows=rows, joins="T-split", parts=(part,), shape=shape)


@theorem("T-split-chernoff", "hoeffding-1963", "Theorem 1; proof in the docstring")
def split_interval(mean: Fraction, *, rows: int, rounds: int, target: Target) -> Interval:
    """The interval around the mean of one round's rows by T-chernoff; all of them hold together.

        all p with ⌊n/r⌋·KL(mean‖p) ≤ ln(2k/β)

    Proof. As for T-split, with T-chernoff in place of Hoeffding's inequality.

    Holds when: as for T-split; `mean` is over the rows of the round.
    Rounds: outward.
    """
    return chernoff_interval(
        mean,
        rows=rows_per_round(rows=rows, rounds=rounds),
        beta=target.beta,
        log_count=log_transcripts(target.questions),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SplitShape:
    """T-split-chernoff around each mean."""

    rows: int
    rounds: int
    target: Target

    def interval(self, released: Fraction) -> Interval:
        return split_interval(released, rows=self.rows, rounds=self.rounds, target=self.target)
