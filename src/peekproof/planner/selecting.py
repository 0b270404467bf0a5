"""What the best of many costs where guesses are checked, given the public past."""

from collections.abc import Mapping
from functools import lru_cache

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Offer
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.selection import Selection
from peekproof.planner.checking import past_of, past_terms
from peekproof.theory.generalization.checking import (
    Transcript,
    best_failure_bins,
    log_inverse_level_each,
    selected_certificate,
)


@lru_cache(maxsize=256)
def selection_offer(
    promised: Checking, *, candidates: int, past: Transcript, target: Target, levels: int
) -> Offer:
    """The choice among so many after this past. Remembered: ledgers ask under their write lock."""
    level = log_inverse_level_each(
        candidates=candidates, past=past, target=target, weights=promised.weights
    )
    chooses = Selection(
        rows=promised.rows,
        candidates=candidates,
        bins=best_failure_bins(rows=promised.rows, log_inverse_level=level, levels=levels),
        levels=levels,
    )
    return Offer(cost=chooses.cost(), terms={**chooses.describe(), **past_terms(past)})


def described_selection(terms: Mapping[str, str], *, rows: int) -> Selection:
    """The choice that was made under these terms."""
    return Selection(
        rows=rows,
        candidates=int(terms["candidates"]),
        bins=int(terms["bins"]),
        levels=int(terms.get("levels", "1")),
    )


def selection_certificate(
    chosen: Selection, terms: Mapping[str, str], target: Target, *, promised: Checking
) -> Certificate:
    """What a choice says about the population."""
    return selected_certificate(
        rows=chosen.rows,
        candidates=chosen.candidates,
        bins=chosen.bins,
        levels=chosen.levels,
        past=past_of(terms),
        target=target,
        weights=promised.weights,
    )
