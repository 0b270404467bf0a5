"""What a leaderboard that moves in steps promises for the population, by counting transcripts."""

from dataclasses import dataclass
from fractions import Fraction
from math import log1p
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import (
    chernoff_interval,
    hoeffding_radius,
    log_choices,
)


def ladder_cells(*, rows: int, step: Fraction) -> int:
    """1/step, if a ladder on so many rows can have that step."""
    check.positive_integer(rows=rows)
    cells = check.drawable(step=step).denominator
    if step.numerator != 1 or not 2 <= cells <= rows:
        raise InvalidInput(
            argument="step",
            accepted="one over an integer from 2 to the number of rows",
            given=str(step),
            hint="a share of the rows cannot improve by less than one row, or by more than all",
        )
    return cells


@theorem("T-ladder-transcripts", "peekproof", "The proof in its docstring")
def log_ladder_transcripts(*, cells: int, questions: int) -> float:
    """ln of the number of transcripts that can precede any of k scores shown to a ladder.

        Σ_{m<k} N_m = C(k+G−1, G) + C(k+G−2, G) = C(k+G−1, G)·(1 + (k−1)/(k+G−1))

        N_m = C(m+G−1, G−1) + C(m+G−2, G−1)            G = `cells` ≥ 2, k = `questions`

    Proof. In units of the step the best starts at b = 0. A score s ≤ G improves it if s > b + 1,
    and then the integer nearest to s is the new best: at least b + 1, and below G unless
    s ≥ G − ½. From b = G − 1 nothing improves, for s > G is impossible; so bests rise strictly,
    and G comes only after one of at most G − 2. A transcript of m scores is fixed by which j of
    them improved and by their bests: an increasing sequence in {1, …, G − 1}, or one of j − 1 in
    {1, …, G − 2} and then G. So N_m ≤ Σ_j C(m, j)·(C(G−1, j) + C(G−2, j−1)), which is the sum
    above by Vandermonde's identity. Sum over m < k on the diagonal of Pascal's triangle. All of
    these occur if shares are fine enough (from 4G rows on), so no count is smaller.

    Holds when: nothing is shown but whether a score improved the best, and the best.
    Rounds: up.
    """
    if check.positive_integer(cells=cells) < 2:
        raise InvalidInput(argument="cells", accepted="an integer of at least 2", given="1")
    check.drawable(cells=Fraction(cells))
    k = check.positive_integer(questions=questions)
    check.drawable(questions=Fraction(k))
    top = k + cells - 1
    first = log_choices(top, cells)
    return up(first + log1p(float(Fraction(k - 1, top)))) if k > 1 else first


def _sampling(rows: int, cells: int, target: Target) -> Part:
    log_count = log_ladder_transcripts(cells=cells, questions=target.questions)
    return Part(
        theorem="T-length",
        covers="how far any score within reach can be from the sample",
        radius=hoeffding_radius(rows=rows, beta=target.beta, log_count=log_count),
        numbers=(("log_transcripts", log_count), ("beta", float(target.beta))),
    )


@theorem("T-ladder", "blum-hardt-2015", "The ladder mechanism; proof in the docstring")
def ladder_certificate(*, rows: int, step: Fraction, target: Target) -> Certificate:
    """The radius that the running best of a ladder keeps after each of its scores.

        |R_t − max_{i≤t} q_i(P)| ≤ η + √( ln(2N/β) / (2n) )  for all t ≤ k, except with chance β

    with η = `step`, N the number of T-ladder-transcripts and k = target.questions.

    Proof. Scores that did not improve are at most R + η for the best R of that time, so at most
    R_t + η; scores that did are at most η/2 above their own best, so at most R_t + η/2. And R_t is
    the best of one of them, at most η/2 above it, or 0. So the largest score of the sample is
    between R_t − η/2 and R_t + η. The maxima over i ≤ t of q_i(S) and q_i(P) differ by at most the
    largest of the differences, and these are within T-length's radius for all i at once. The
    published bound has (1/η + 2)·ln(4k/η) + 1 where this has ln 2N: as N ≤ 2·C(k+G−1, G) and
    C(k+G−1, G) ≤ (e(k+G−1)/G)^G ≤ (ek)^G with G = 1/η, ours is the smaller one.

    Holds when: as for T-length, and the analyst sees nothing of the rows but the releases of a
    `Ladder` on at most k scores, each a share of the n = `rows` rows.
    Rounds: up.
    """
    cells = ladder_cells(rows=rows, step=step)
    climbing = Part(
        theorem="T-ladder",
        covers="what must be gained before the best moves",
        radius=float_up(step),
        numbers=(("step", float(step)),),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-ladder",
        parts=(climbing, _sampling(rows, cells, target)),
        shape=LadderShape(rows=rows, step=step, above=step, target=target),
    )


@theorem("T-ladder-improvement", "peekproof", "The proof in its docstring")
def improvement_certificate(*, rows: int, step: Fraction, target: Target) -> Certificate:
    """The radius that each new best of a ladder keeps around the score that made it.

        |R_t − q_t(P)| ≤ η/2 + √( ln(2N/β) / (2n) )  for all t that improved the best

    on the same event as T-ladder, so both promises hold together at no extra charge.

    Proof. A new best is the share q_t(S) rounded to the nearest multiple of η; then T-length.

    Holds when: as for T-ladder.
    Rounds: up.
    """
    cells = ladder_cells(rows=rows, step=step)
    rounding = Part(
        theorem="T-ladder-improvement",
        covers="half a step, from rounding",
        radius=float_up(step / 2),
        numbers=(("step", float(step)),),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-ladder-improvement",
        parts=(rounding, _sampling(rows, cells, target)),
        shape=LadderShape(rows=rows, step=step, above=step / 2, target=target),
    )


@theorem("T-ladder-chernoff", "peekproof", "The proof in its docstring")
def ladder_interval(
    best: Fraction, *, rows: int, step: Fraction, above: Fraction, target: Target
) -> Interval:
    """The interval by T-chernoff around a best that the sample is at most `above` higher than.

        from the least p with n·KL(R − η/2‖p) ≤ ln(2N/β)
        to the largest p with n·KL(R + `above`‖p) ≤ ln(2N/β)

    Proof. By T-ladder some score of the sample is at least R − η/2, and all are at most R + η; the
    score of an improvement is within η/2. Both ends of T-chernoff's set increase with m, so every
    q_i(P) is at most the upper end, and one of them at least the lower end.

    Holds when: as for T-ladder; `above` is η for a running best and η/2 for an improvement.
    Rounds: outward.
    """
    cells = ladder_cells(rows=rows, step=step)
    log_count = log_ladder_transcripts(cells=cells, questions=target.questions)

    def ends(within: Fraction) -> Interval:
        return chernoff_interval(
            best, rows=rows, beta=target.beta, log_count=log_count, within=within
        )

    return Interval(low=ends(step / 2).low, high=ends(above).high)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LadderShape:
    """T-ladder-chernoff around each best."""

    rows: int
    step: Fraction
    above: Fraction
    target: Target

    def interval(self, released: Fraction) -> Interval:
        return ladder_interval(
            released, rows=self.rows, step=self.step, above=self.above, target=self.target
        )
