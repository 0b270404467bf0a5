"""Pictures of an interval on its axis, and of how much of a budget is used.

The numbers always stand beside them as text, so screen readers skip the pictures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import final

from peekproof.core.html.look import Html

_WIDTH, _HEIGHT, _MARGIN = 220, 18, 5

# A blue that shows on white and on black; marks have the colour of the page's text.
_BLUE = "rgb(76,139,245)"
_LINE = 'stroke="currentColor" stroke-opacity=".25"'


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """The numbers from `low` to `high`, on which intervals are drawn below one another."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)

    @classmethod
    def of(cls, ends: Iterable[tuple[float, float]]) -> "Axis | None":
        """The axis on which all these intervals lie: that of shares if they can be; or none."""
        found = tuple(ends)
        low, high = min(end for end, _ in found), max(end for _, end in found)
        if low >= 0 and high <= 1:
            return cls()
        if not (isfinite(low) and isfinite(high)) or low == high:
            return None
        return cls(Fraction(low), Fraction(high))

    @property
    def name(self) -> str:
        return f"{float(self.low):.4g} to {float(self.high):.4g}"

    def bar(self, low: float, value: float, high: float) -> Html:
        """The interval, with the answer marked."""
        left, mark, right = (
            _MARGIN + self._place(each) * (_WIDTH - 2 * _MARGIN) for each in (low, value, high)
        )
        middle = _HEIGHT / 2
        return Html(
            f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="vertical-align:middle" '
            f'aria-hidden="true">'
            f'<path d="M{_MARGIN} {middle}H{_WIDTH - _MARGIN}M{_MARGIN} {middle - 4}v8'
            f'M{_WIDTH - _MARGIN} {middle - 4}v8" {_LINE}/>'
            f'<path d="M{left:.1f} {middle}H{max(right, left + 0.1):.1f}" stroke="{_BLUE}" '
            f'stroke-width="6" stroke-linecap="round" stroke-opacity=".8"/>'
            f'<path d="M{mark:.1f} {middle - 6}v12" stroke="currentColor" stroke-width="2"/></svg>'
        )

    def _place(self, number: float) -> float:
        """Where a number lies, from 0 to 1."""
        share = (Fraction(number) - self.low) / (self.high - self.low)
        return float(min(Fraction(1), max(Fraction(0), share)))


def budget_bar(part: float) -> Html:
    """How much of a budget is used."""
    used = _WIDTH * min(1.0, max(0.0, part))
    # However little was used, something shows.
    used = max(used, 2.0) if part > 0 else 0.0
    place = f'x="0" y="4" height="{_HEIGHT - 8}" rx="3"'
    return Html(
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="vertical-align:middle" '
        f'aria-hidden="true">'
        f'<rect {place} width="{_WIDTH}" fill="currentColor" fill-opacity=".15"/>'
        f'<rect {place} width="{used:.1f}" fill="{_BLUE}" fill-opacity=".8"/></svg>'
    )


def percent(part: float) -> str:
    """A part of a whole, to read; almost nothing does not look like nothing, nor most like all."""
    shown = f"{100 * part:.1f}".removesuffix(".0")
    if part > 0 and shown == "0":
        return "under 0.1%"
    return "over 99.9%" if part < 1 and shown == "100" else f"{shown}%"
