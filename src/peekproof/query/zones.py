"""The values of one operand that satisfy several atoms at once.

A zone is what a conjunction of atoms leaves of all values that are not missing: an interval
without some points, or a few points, or texts that match. The atoms of a disjunction leave the
complement of the zone of their negations, so both are one algorithm.
"""

from bisect import bisect_left, bisect_right
from math import inf
from typing import final

from peekproof.query.tree import (
    NEGATED,
    Column,
    Compare,
    Flag,
    IsNull,
    Matches,
    Member,
    Number,
    Numeric,
    Predicate,
)

Value = float | str | bool
Atom = Compare | Member | Matches | IsNull | Flag


def operand_of(node: Predicate) -> Numeric | None:
    """The operand that an atom compares with constants, if that is what it does."""
    match node:
        case Compare(_, operand, Number()) | Member(operand) | IsNull(operand):
            return operand
        case Flag(column) | Matches(column):
            return column
        case _:
            return None


@final
class Zone:
    """Built by `restrict`, then brought to one shape by `settle`, and only read after that."""

    __slots__ = (
        "constrained", "excluded", "high", "high_open", "included", "low", "low_open",
        "matches", "null", "numbers", "operand", "texts", "void",
    )  # fmt: skip

    def __init__(self, operand: Numeric) -> None:
        self.operand = operand
        self.null = False  # whether "is null" was among the atoms
        self.constrained = False  # whether any other atom was
        self.void = False  # whether no value is left
        self.low, self.low_open = -inf, False
        self.high, self.high_open = inf, False
        self.included: set[Value] | None = None
        self.excluded: set[Value] = set()
        self.matches: dict[tuple[str, str], bool] = {}
        self.numbers: list[float] = []  # what is included, sorted, once it is settled
        self.texts: list[str] = []

    def restrict(self, atom: Predicate, *, negate: bool) -> None:
        """Leaves only values for which the atom, or its negation, is true."""
        if isinstance(atom, IsNull):
            if not atom.negated:
                self.null = True
                return
            self.void = self.void or negate  # nothing but a missing value is not "not null"
        self.constrained = True
        match atom:
            case Compare(operator, _, Number(value)):
                self._bound(NEGATED[operator] if negate else operator, value)
            case Member(_, values, negated) if negated == negate:
                self._only({*values})
            case Member(_, values, _):
                self.excluded.update(values)
            case Flag(_, negated):
                self._only({negated == negate})
            case Matches(_, where, text, negated):
                flipped = negated != negate
                self.void = self.void or self.matches.get((where, text), flipped) != flipped
                self.matches[where, text] = flipped

    def _bound(self, operator: str, value: float) -> None:
        is_open = operator in ("<", ">")
        if operator in (">", ">="):
            self.low, self.low_open = max((self.low, self.low_open), (value, is_open))
        else:
            closed = min((self.high, not self.high_open), (value, not is_open))
            self.high, self.high_open = closed[0], not closed[1]

    def _only(self, values: set[Value]) -> None:
        self.included = values if self.included is None else self.included & values

    def settle(self) -> None:
        """One shape for one set of values."""
        if self.included is None and self.low == self.high:
            self.included = {self.low}
        if self.included is not None:
            left = [value for value in self.included if self._holds(value)]
            self.numbers = sorted(value for value in left if not isinstance(value, str))
            self.texts = sorted(value for value in left if isinstance(value, str))
            self.included = set(left)
            self.low, self.low_open, self.high, self.high_open = -inf, False, inf, False
            self.excluded, self.matches = set(), {}
            self.void = self.void or not left
            return
        self.void = self.void or self.low > self.high
        outside, self.excluded = self.excluded, set()
        self.excluded = {value for value in outside if self._holds(value)}
        for end in (self.low, self.high):
            if end in self.excluded:
                self.excluded.remove(end)
                self.low_open |= end == self.low
                self.high_open |= end == self.high

    def _holds(self, value: Value) -> bool:
        if value in self.excluded:
            return False
        if isinstance(value, str):
            return all(
                _matched(value, where, text) is not negated
                for (where, text), negated in self.matches.items()
            )
        above = value > self.low or (value == self.low and not self.low_open)
        return above and (value < self.high or (value == self.high and not self.high_open))

    @property
    def atoms(self) -> list[Atom]:
        """The atoms whose conjunction the zone is, if it is settled and not void."""
        operand = self.operand
        if self.included is not None:
            points: tuple[float | str, ...] = (*self.numbers, *self.texts)
            if isinstance(points[0], bool) and isinstance(operand, Column):
                return [Flag(operand, negated=not points[0])]
            return [Member(operand, points, negated=False)]
        found: list[Atom] = []
        if self.low > -inf:
            found.append(Compare(">" if self.low_open else ">=", operand, Number(self.low)))
        if self.high < inf:
            found.append(Compare("<" if self.high_open else "<=", operand, Number(self.high)))
        if self.excluded:
            numbers = sorted(value for value in self.excluded if not isinstance(value, str))
            texts = sorted(value for value in self.excluded if isinstance(value, str))
            found.append(Member(operand, (*numbers, *texts), negated=True))
        if isinstance(operand, Column):
            found += [Matches(operand, *key, negated) for key, negated in self.matches.items()]
        return found

    def disjoint(self, other: "Zone") -> bool:
        """Whether it is certain that the two, settled and of one operand, share no value."""
        if self.void or other.void:
            return True
        if self.included is None:
            if other.included is not None:
                return other.disjoint(self)
            return self._apart(other)
        if other.included is not None:
            return self.included.isdisjoint(other.included)
        if self.texts:
            return not any(other._holds(text) for text in self.texts)
        # Only points inside the interval can be shared, and few of those are excluded.
        numbers = self.numbers
        first = (bisect_right if other.low_open else bisect_left)(numbers, other.low)
        last = (bisect_left if other.high_open else bisect_right)(numbers, other.high)
        if last - first > len(other.excluded):
            return False
        return all(number in other.excluded for number in numbers[first:last])

    def _apart(self, other: "Zone") -> bool:
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        high = min(self.high, other.high)
        high_open = any(zone.high_open for zone in (self, other) if zone.high == high)
        if low == high:
            return low_open or high_open or low in self.excluded or low in other.excluded
        opposed = any(
            other.matches.get(key, negated) != negated for key, negated in self.matches.items()
        )
        return low > high or opposed


def _matched(value: str, where: str, text: str) -> bool:
    match where:
        case "begins with":
            return value.startswith(text)
        case "ends with":
            return value.endswith(text)
        case _:
            return text in value
