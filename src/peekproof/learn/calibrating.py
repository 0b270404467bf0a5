"""How often what was given a probability comes: certified rates, bin by bin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import cast, final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.frames import number_row
from peekproof.derive.derived import Derived
from peekproof.derive.linear import portion
from peekproof.learn.column import Numbers
from peekproof.learn.metrics.probability import InBin, Outcome
from peekproof.learn.parts import PartAsking

_MOST = 100


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Rows whose probability is from `low` to `high`: `rate` is how often the class comes.

    `predicted` is the mean of the probabilities of the holdout's rows in the bin, None if there
    are none. It comes from predictions alone and is no estimate.
    """

    low: float
    high: float
    rate: Derived
    predicted: float | None

    def __str__(self) -> str:
        said = "none" if self.predicted is None else f"{self.predicted:.4f}"
        return f"{said}  {self.rate}"


@final
@dataclass(frozen=True, slots=True)
class Calibration:
    """All bins, whose intervals hold together."""

    bins: tuple[CalibrationBin, ...]

    def __len__(self) -> int:
        return len(self.bins)

    def __iter__(self) -> Iterator[CalibrationBin]:
        return iter(self.bins)

    def __getitem__(self, place: int) -> CalibrationBin:
        return self.bins[place]

    def __str__(self) -> str:
        return "\n".join(str(each) for each in self.bins)

    def to_dicts(self) -> list[dict[str, object]]:
        """The rows of `peekproof.to_pandas`, one a bin."""
        return [
            number_row(
                question=each.rate.label,
                value=each.rate.value,
                ends=(each.rate.low, each.rate.high),
                radius=each.rate.radius,
                confidence=each.rate.confidence,
                replayed=True,
            )
            for each in self.bins
        ]


def calibrated(asking: PartAsking, *, bins: int, positive: float | str) -> Calibration:
    """The rate in each of so many bins of equal width, from two shares of all rows each."""
    check.positive_integer(bins=bins)
    if bins > _MOST:
        raise InvalidInput(argument="bins", accepted=f"1 to {_MOST}", given=f"{bins}")
    edges = [float(Fraction(place, bins)) for place in range(bins + 1)]
    _check(asking, [*pairwise(edges)], positive)
    return Calibration(tuple(_bin(asking, low, high, positive) for low, high in pairwise(edges)))


def _check(asking: PartAsking, bins: Sequence[tuple[float, float]], positive: float | str) -> None:
    """Refuse bins of which none would say anything, before they are asked for.

    By guesses, and by how many of the predictions, which are public, are in a bin: where these are
    many, the rate is bounded even if the guess fails, which makes intervals about twice as wide.
    """
    problem: InvalidInput | None = None
    for low, high in bins:
        came, failed = (InBin(outcome, low, high, positive) for outcome in Outcome)
        guesses = [
            asking.part_guess(came, _came(low, high)),
            asking.part_guess(failed, high - low - _came(low, high)),
        ]
        found = asking.nothing(came, failed, guesses)
        inside = float(came.inside(asking.predicted).mean())
        reach = asking.reach(inside)
        if found is None or reach is None or inside > 2 * reach:
            return
        problem = problem or found
    if problem is not None:
        raise problem


def _came(low: float, high: float) -> float:
    """How much of all rows is in a bin and positive, if probabilities are even and right."""
    return (low + high) / 2 * (high - low)


def _bin(asking: PartAsking, low: float, high: float, positive: float | str) -> CalibrationBin:
    """Of unknown probabilities, as if there were as many in each bin, and they were right."""
    came = InBin(Outcome.POSITIVE, low, high, positive)
    failed = InBin(Outcome.NEGATIVE, low, high, positive)
    rate = portion(
        asking.part(came, lambda: _came(low, high)),
        rest=asking.part(failed, lambda: high - low - _came(low, high)),
    )
    inside = cast(Numbers, asking.predicted.values)[came.inside(asking.predicted)]
    return CalibrationBin(
        low=low,
        high=high,
        rate=replace(rate, label=f"{low:g} to {high:g}"),
        predicted=float(inside.mean()) if len(inside) else None,
    )
