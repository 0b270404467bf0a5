"""T-check-choice, by all samples of tiny populations: the best of many and its interval."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from peekproof.core.certificate import Certificate, Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.checking import Selection
from peekproof.theory.generalization.checking import (
    Transcript,
    failed_certificate,
    log_inverse_level_each,
    log_inverse_level_within,
    next_log_inverse_level,
    selected_certificate,
)

ROWS, BINS = 7, 8
BETA = Fraction(3, 5)
TARGET = Target(confidence=1 - BETA, questions=1)


def certificate(candidates: int) -> Certificate:
    return selected_certificate(
        rows=ROWS, candidates=candidates, bins=BINS, levels=1, past=Transcript(), target=TARGET
    )


def missed(made: Certificate, shares: tuple[Fraction, ...]) -> Fraction:
    """The probability that the interval or the gap is wrong, over all samples of such coins.

    Totals of independent coins, so that the best of the sample is as misleading as can be.
    """
    chance = Fraction(0)
    laws = [binomial(share) for share in shares]
    mechanism = Selection(rows=ROWS, candidates=len(shares), bins=BINS)
    intervals = [made.interval(mechanism.midpoint(held)) for held in range(BINS)]
    for totals in product(range(ROWS + 1), repeat=len(shares)):
        index = totals.index(max(totals))
        held = min(BINS - 1, totals[index] * BINS // ROWS)
        interval = intervals[held]
        inside = interval.low <= shares[index] <= interval.high
        gap = max(shares) - shares[index] <= Fraction(interval.high) - Fraction(interval.low)
        if not (inside and gap):
            here = Fraction(1)
            for law, total in zip(laws, totals, strict=True):
                here *= law[total]
            chance += here
    return chance


def binomial(share: Fraction) -> list[Fraction]:
    law = [Fraction(1)]
    for _ in range(ROWS):
        law = [
            (law[total] if total < len(law) else 0) * (1 - share)
            + (law[total - 1] if total else 0) * share
            for total in range(len(law) + 1)
        ]
    return law


POPULATIONS = [
    shares
    for share in (Fraction(1, 20), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2))
    for shares in (
        (share,) * 3,
        (share, share, share + Fraction(1, 10)),
        (share, share / 2, 1 - share),
    )
]


def test_the_interval_and_the_gap_hold_at_the_level_of_the_past() -> None:
    made = certificate(3)
    level = exp(-log_inverse_level_within(beta=BETA, transcript=Transcript(), questions=1))

    assert max(missed(made, shares) for shares in POPULATIONS) <= Fraction(level)


def test_an_interval_for_one_question_alone_is_too_narrow_for_the_best_of_many() -> None:
    """The mutant: the certificate of a failed guess, which forgets that the best was chosen."""
    forgetful = failed_certificate(
        rows=30, bins=31, levels=1, past=Transcript(), target=Target.of(confidence=0.9, questions=1)
    )
    level = exp(
        -log_inverse_level_within(beta=Fraction(1, 10), transcript=Transcript(), questions=1)
    )
    made = selected_certificate(
        rows=30,
        candidates=10_000,
        bins=31,
        levels=1,
        past=Transcript(),
        target=Target.of(confidence=0.9, questions=1),
    )

    def too_high(certified: Certificate) -> float:
        """That the best of 10,000 fair coins is said to be more than fair."""
        law, total = fair(30), 0.0
        for largest in range(31):
            interval = certified.interval(Fraction(2 * largest + 1, 62))
            if interval.low > 0.5:
                total = max(total, 1 - float(sum(law[:largest])) ** 10_000)
        return total

    assert too_high(made) <= level < too_high(forgetful)


def fair(rows: int) -> list[Fraction]:
    law = [Fraction(1)]
    for _ in range(rows):
        law = [
            ((law[k] if k < len(law) else 0) + (law[k - 1] if k else 0)) * Fraction(1, 2)
            for k in range(len(law) + 1)
        ]
    return law


def test_each_candidate_has_its_part_of_the_level() -> None:
    past = Transcript(questions=4, failures=2, values=99)
    target = Target.of(confidence=0.95, questions=10)
    found = log_inverse_level_each(candidates=50, past=past, target=target)
    whole = next_log_inverse_level(past=past, target=target)
    assert 0 <= found - whole - log(50) < 1e-9


def test_a_choice_of_one_is_what_a_failed_guess_is() -> None:
    past, target = Transcript(questions=3), Target.of(confidence=0.95, questions=10)
    said = {"rows": 500, "bins": 40, "levels": 1, "past": past, "target": target}
    one = selected_certificate(candidates=1, **said)  # type: ignore[arg-type]
    guess = failed_certificate(**said)  # type: ignore[arg-type]

    for held in range(40):
        share = Fraction(2 * held + 1, 80)
        assert one.interval(share).low == pytest.approx(guess.interval(share).low, abs=1e-9)
        assert one.interval(share).high == pytest.approx(guess.interval(share).high, abs=1e-9)
    assert one.theorems == ("T-check-choice", "T-check-failed", "T-check-horizon")


def test_the_gap_of_thousands_is_not_much_wider_than_that_of_two() -> None:
    two, thousands = (
        selected_certificate(
            rows=10_000,
            candidates=many,
            bins=400,
            levels=1,
            past=Transcript(),
            target=Target.of(confidence=0.95, questions=100),
        ).radius
        for many in (2, 4_000)
    )
    assert two < thousands < 1.5 * two


def test_nobody_chooses_among_none() -> None:
    for refused in (
        lambda: certificate(0),
        lambda: log_inverse_level_each(candidates=-1, past=Transcript(), target=TARGET),
    ):
        with pytest.raises(InvalidInput, match=r"^candidates must be"):
            refused()
