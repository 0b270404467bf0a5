"""A law for whatever answers with intervals: all of a conversation hold as often as promised."""

from fractions import Fraction

from peekproof.audit.analysts.protocol import Player
from peekproof.audit.coverage import Coverage, coverage
from peekproof.audit.opponents.protocol import Setup
from peekproof.core import check
from peekproof.testing.violation import require


def intervals_cover(
    setup: Setup,
    analyst: Player,
    *,
    runs: int = 100,
    confidence: float | Fraction = Fraction(19, 20),
    false_alarm: float = 1e-9,
    seed: int = 0,
    workers: int = 1,
    radius: float | None = None,
) -> Coverage:
    """In no more runs than promised does any interval miss the population.

    Wrong about a setup that keeps its word with probability at most `false_alarm`. Refusing every
    run is no way to pass, and with a `radius` neither are intervals that reach further.
    """
    if radius is not None:
        check.positive_float(radius=radius)
    found = coverage(
        setup,
        analyst,
        runs=runs,
        confidence=confidence,
        false_alarm=false_alarm,
        seed=seed,
        workers=workers,
    )
    require(found.intervals, f"{setup.name} answered nothing in {runs} runs: nothing was audited")
    require(found.keeps_its_promise, str(found))
    require(
        radius is None or found.largest_radius <= radius,
        f"intervals of {setup.name} reach {found.largest_radius:.4g} far, more than {radius}",
    )
    return found
