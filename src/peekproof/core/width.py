"""How far an interval will reach, as it is told before the question is paid for."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import final

from peekproof.core.numerics import decimal_up, digits_up, float_up

# Groups for which the width of a quotient is told, by their share of all rows.
_EXAMPLES = (
    (Fraction(1), "all of them"),
    (Fraction(1, 2), "a half"),
    (Fraction(1, 10), "a tenth"),
)

# Below and above, four decimals are too few or too many.
_SMALL, _LARGE = 0.01, 1000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """How far an interval reaches on its longer side, in the units of the answer.

    All that is told is "at most": intervals are cut off at the ends of their scale, and near them
    some are narrower from the start. `most` is certain. Where a smaller bound may turn out to
    hold, `least` is the smallest that can, and `words` say on what it depends.
    """

    least: float
    most: float
    words: str

    @classmethod
    def within(cls, radius: float, *, of: str = "") -> "Width":
        """That of an interval whose radius is known before; `of` names what is not the answer."""
        return cls(least=radius, most=radius, words=f"at most {plus_minus(radius)}{of}")

    @classmethod
    def checked(cls, *, confirmed: float, failed: float) -> "Width":
        """That of a guess, which depends on whether the rows confirm it."""
        return cls(
            least=min(confirmed, failed),
            most=max(confirmed, failed),
            words=f"at most {plus_minus(confirmed)} if the guess is confirmed, "
            f"{plus_minus(failed)} if not",
        )

    @classmethod
    def within_group(cls, *, joint: Fraction, whole: Fraction) -> "Width":
        """That of a share or a mean within a group, whose share of all rows is not known.

        On a scale of the width `whole` it reaches at most `joint`/s for a group with the released
        share s. Of a small group it says nothing.
        """
        told = [
            f"at most {plus_minus(float_up(joint / share))} for {name}"
            if joint / share < whole
            else f"perhaps all of its range for {name}"
            for share, name in _EXAMPLES
        ]
        return cls(
            least=float_up(min(joint, whole)),
            most=float_up(whole),
            words=f"depends on the group's share of all rows: {', '.join(told)}",
        )

    @classmethod
    def of_cells(cls, radii: list[float]) -> "Width":
        """That of several numbers that were answered before."""
        low, high = min(radii), max(radii)
        return cls(least=low, most=high, words=f"{plus_minus(low)} to {plus_minus(high)}")

    @property
    def known(self) -> bool:
        """Whether one radius is told, whatever comes."""
        return self.least == self.most

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, object]:
        return {"least": self.least, "most": self.most, "words": self.words}


def plus_minus(radius: float) -> str:
    """A radius to print: four decimals, or four digits where these say more. Rounds: up."""
    if radius >= _LARGE:
        return f"±{ceil(radius):,}"
    return f"±{decimal_up(radius) if _SMALL <= radius < 1 else digits_up(radius)}"
