"""Whether Peekproof is as tight as the tightest and ten times faster than what matches it."""

from dataclasses import dataclass
from typing import final

from accounting.offline import Comparison, Row

LOOSENESS = 0.003
SPEED = 10.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Our looseness, and the fastest peer whose valid answer is no looser than that allows."""

    looser: float
    rival: str | None
    over_ours: float | None

    @property
    def tight(self) -> bool:
        return self.looser <= LOOSENESS

    @property
    def fast(self) -> bool:
        return self.over_ours is None or self.over_ours >= SPEED


def verdict(comparison: Comparison) -> Verdict | None:
    """The verdict on the first row, which is ours; None where we have no answer."""
    ours, *others = comparison.rows
    if ours.name != "Peekproof" or ours.looser is None:
        return None
    allowed = max(LOOSENESS, ours.looser)
    rivals = [row for row in others if _matches(row, allowed)]
    best = min(rivals, key=lambda row: row.over_ours or 0.0, default=None)
    return Verdict(
        looser=ours.looser,
        rival=best.name if best else None,
        over_ours=best.over_ours if best else None,
    )


def _matches(row: Row, allowed: float) -> bool:
    return (
        row.kind in {"upper", "exact"}
        and not row.name.startswith("Peekproof")
        and not row.note
        and row.over_ours is not None
        and row.looser is not None
        and row.looser <= allowed
    )
