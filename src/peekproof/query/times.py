"""Dates, times and zones of questions: how they are written, read and told."""

import re
from bisect import bisect_left, bisect_right
from datetime import date, timedelta
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

DAY = "day"
MICROSECOND = "microsecond"
PER_SECOND = 1_000_000
PER_DAY = 86_400 * PER_SECOND

ACCEPTED = "write '2013-06-01', '2013-06-01 12:30' or '2013-06-01T12:30:05.25Z'"

_EPOCH = date(1970, 1, 1)
_WRITTEN = re.compile(
    r"""(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})
    (?:[Tt ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])
       (?::(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]{1,6}))?)?
       (?:[Zz]|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3]):(?P<minutes>[0-5][0-9]))?)?""",
    re.VERBOSE,
)


def read_time(text: str) -> tuple[float, str]:
    """The number that `text` stands for, and its unit: days without a clock, else microseconds.

    Raises ValueError for anything else, and for days that the calendar does not have.
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise ValueError("neither a date nor a date and time")
    days = (date.fromisoformat(match["date"]) - _EPOCH).days
    if match["hour"] is None:
        return float(days), DAY
    seconds = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + int(match["second"] or 0)
    if match["sign"]:
        offset = int(match["hours"]) * 3600 + int(match["minutes"]) * 60
        seconds -= offset if match["sign"] == "+" else -offset
    fraction = int((match["fraction"] or "").ljust(6, "0"))
    return float(days * PER_DAY + seconds * PER_SECOND + fraction), MICROSECOND


def shown_time(value: float, unit: str) -> str:
    """The shortest way to write a number of this unit as a date, or as a date and time.

    Raises OverflowError outside the years 1 to 9999.
    """
    whole = round(value * (PER_DAY if unit == DAY else 1))
    days, rest = divmod(whole, PER_DAY)
    day = (_EPOCH + timedelta(days=days)).isoformat()
    seconds, fraction = divmod(rest, PER_SECOND)
    if fraction:
        decimals = f"{fraction:06}".rstrip("0")
        return f"{day} {_clock(seconds)}:{seconds % 60:02}.{decimals}"
    if seconds % 60:
        return f"{day} {_clock(seconds)}:{seconds % 60:02}"
    return f"{day} {_clock(seconds)}" if seconds else day


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"


# Texts that are compared with the patterns of another zone, and patterns that a text may contain.
_FEW = 64
# Texts times patterns that they may contain, within a zone.
_MOST = 2**14

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
        "matches", "null", "numbers", "operand", "patterns", "texts", "void",
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
        self.patterns = _NO_PATTERNS  # the matches, once it is settled

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
        if self.matches:
            self.patterns = _Patterns(self.matches)
        if self.included is None and self.low == self.high:
            self.included = {self.low}
        if self.included is not None:
            left, unsure = self._left(self.included)
            self.numbers = sorted(value for value in left if not isinstance(value, str))
            self.texts = sorted(value for value in left if isinstance(value, str))
            self.included = set(left)
            self.low, self.low_open, self.high, self.high_open = -inf, False, inf, False
            self.excluded, self.matches = set(), self.patterns.inside if unsure else {}
            self.patterns = _Patterns(self.matches) if unsure else _NO_PATTERNS
            self.void = self.void or not left
            return
        self.void = self.void or self.low > self.high
        outside, self.excluded = self.excluded, set()
        self.excluded = {*self._left(outside)[0]}
        for end in (self.low, self.high):
            if end in self.excluded:
                self.excluded.remove(end)
                self.low_open |= end == self.low
                self.high_open |= end == self.high

    def _left(self, values: set[Value]) -> tuple[list[Value], bool]:
        """Those that satisfy all other atoms, and whether it is not sure that all of them do."""
        left = [value for value in values if self._holds(value)]
        inside = self.patterns.inside
        if not inside or not left or not isinstance(left[0], str):
            return left, False
        if len(left) * len(inside) > _MOST:
            return left, True
        return [value for value in left if self.patterns.hold_inside(str(value))], False

    def _holds(self, value: Value) -> bool:
        """Whether it satisfies all atoms but those about what is inside a text."""
        if value in self.excluded:
            return False
        if isinstance(value, str):
            return self.patterns.hold_at_ends(value)
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
            return other._lacks(self.texts)
        # Only points inside the interval can be shared, and few of those are excluded.
        numbers = self.numbers
        first = (bisect_right if other.low_open else bisect_left)(numbers, other.low)
        last = (bisect_left if other.high_open else bisect_right)(numbers, other.high)
        if last - first > len(other.excluded):
            return False
        return all(number in other.excluded for number in numbers[first:last])

    def _lacks(self, texts: list[str]) -> bool:
        """Whether it is certain that none of these texts, in order, is in the zone."""
        first, last = self.patterns.beginning(texts)
        if last - first > _FEW or len(self.patterns.inside) > _FEW:
            return first == last
        return not any(
            self._holds(text) and self.patterns.hold_inside(text) for text in texts[first:last]
        )

    def _apart(self, other: "Zone") -> bool:
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        high = min(self.high, other.high)
        high_open = any(zone.high_open for zone in (self, other) if zone.high == high)
        if low == high:
            return low_open or high_open or low in self.excluded or low in other.excluded
        fewer, more = sorted((self.matches, other.matches), key=len)
        opposed = any(more.get(key, negated) != negated for key, negated in fewer.items())
        return low > high or opposed


@final
class _Ends:
    """Patterns of how texts begin, or of how they end if they are written backwards.

    To look a text up takes as long as it is, however many patterns there are.
    """

    __slots__ = ("_possible", "_refused", "_sizes", "longest")

    def __init__(self, patterns: dict[str, bool]) -> None:
        wanted = [text for text, negated in patterns.items() if not negated]
        self.longest = max(wanted, key=len, default="")
        # What begins with the longest begins with what that begins with, and with nothing else.
        self._possible = all(map(self.longest.startswith, wanted))
        self._refused = {text for text, negated in patterns.items() if negated}
        self._sizes = sorted({len(text) for text in self._refused})

    def hold(self, text: str) -> bool:
        if not self._possible or not text.startswith(self.longest):
            return False
        for size in self._sizes:
            if size > len(text):
                break
            if text[:size] in self._refused:
                return False
        return True


@final
class _Patterns:
    """What texts have to match, or not to."""

    __slots__ = ("_begin", "_end", "inside")

    def __init__(self, matches: dict[tuple[str, str], bool]) -> None:
        begin: dict[str, bool] = {}
        end: dict[str, bool] = {}
        self.inside: dict[tuple[str, str], bool] = {}
        for (where, text), negated in matches.items():
            match where:
                case "begins with":
                    begin[text] = negated
                case "ends with":
                    end[text[::-1]] = negated
                case _:
                    self.inside[where, text] = negated
        self._begin, self._end = _Ends(begin), _Ends(end)

    def hold_at_ends(self, text: str) -> bool:
        """Whether the text begins and ends as it has to."""
        return self._begin.hold(text) and self._end.hold(text[::-1])

    def hold_inside(self, text: str) -> bool:
        """Whether the text contains what it has to."""
        return all((part in text) is not negated for (_, part), negated in self.inside.items())

    def beginning(self, texts: list[str]) -> tuple[int, int]:
        """From where to where, among texts in order, are those that begin as they have to."""
        start = self._begin.longest
        first = bisect_left(texts, start)
        size = len(start)
        return first, bisect_right(texts, start, lo=first, key=lambda text: text[:size])


_NO_PATTERNS = _Patterns({})
