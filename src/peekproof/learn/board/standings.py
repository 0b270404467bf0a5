"""Standings and the final ranking, as far as intervals tell entries apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up
from peekproof.learn.board.contest import BoardSettings
from peekproof.learn.board.submission import Entry


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The best entry of a team.

    `rank` is 1 and the number of teams whose interval lies wholly on the better side of this one.
    `group` counts from 1: entries of one group are tied with the first of it, for their intervals
    overlap.
    """

    rank: int
    group: int
    tied: bool
    entry: Entry
    left: int

    def to_dict(self) -> dict[str, object]:
        return {
            "rank": self.rank,
            "group": self.group,
            "tied": self.tied,
            "left": self.left,
            "entry": {**self.entry.to_dict(), "shown": self.entry.shown},
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The public phase as it stands: free to look at, for it says nothing new.

    teams      the best entry of each team, best first
    running    the entries of which more was certain than of all before them when they came, and
               known from both sides: the certified best over time
    left       how many new predictions can be scored, of `submissions`; `failures` claims failed
    """

    title: str
    metric: str
    higher: bool
    confidence: float
    closed: bool
    entries: int
    submissions: int
    left: int
    failures: int
    teams: tuple[Ranked, ...]
    running: tuple[Entry, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "title": self.title,
            "metric": self.metric,
            "higher_is_better": self.higher,
            "confidence": self.confidence,
            "closed": self.closed,
            "entries": self.entries,
            "submissions": self.submissions,
            "left": self.left,
            "failures": self.failures,
            "teams": [each.to_dict() for each in self.teams],
            "running_best": [each.to_dict() for each in self.running],
        }


def merit(entry: Entry, *, higher: bool) -> tuple[float, int]:
    """What orders the entries of a team: what is certain of the score, and of equals the latest.

    Not the value: of a declared score with a wide interval, that is only what somebody said.
    """
    if not entry.bounded:
        return float("-inf"), entry.number
    return (entry.low if higher else -entry.high), entry.number


def best_of_teams(entries: Sequence[Entry], *, higher: bool) -> dict[str, Entry]:
    """The best entry of each team."""
    found: dict[str, Entry] = {}
    for each in entries:
        old = found.get(each.team)
        if old is None or merit(each, higher=higher) > merit(old, higher=higher):
            found[each.team] = each
    return found


def running_best(entries: Sequence[Entry], *, higher: bool) -> tuple[Entry, ...]:
    """The entries of which more was certain than of any before, when they came."""
    found: list[Entry] = []
    for each in entries:
        now, before = (merit(entry, higher=higher)[0] for entry in (each, (found or [each])[-1]))
        if each.bounded and (not found or now > before):
            found.append(each)
    return tuple(found)


def beats(one: Entry, other: Entry, *, higher: bool) -> bool:
    """Whether one is better than the other for sure: their intervals do not meet."""
    return one.low > other.high if higher else one.high < other.low


def ranked(
    entries: Sequence[Entry], left: Mapping[str, int], *, higher: bool
) -> tuple[Ranked, ...]:
    """Entries with ranks and groups of ties, best first."""
    ranks = {
        each.number: 1 + sum(beats(other, each, higher=higher) for other in entries)
        for each in entries
    }
    order = sorted(
        entries, key=lambda each: (ranks[each.number], -merit(each, higher=higher)[0], each.number)
    )
    groups: dict[int, int] = {}
    leaders: list[Entry] = []
    for each in order:
        if not leaders or beats(leaders[-1], each, higher=higher):
            leaders.append(each)
        groups[each.number] = len(leaders)
    sizes = [list(groups.values()).count(number + 1) for number in range(len(leaders))]
    return tuple(
        Ranked(
            rank=ranks[each.number],
            group=groups[each.number],
            tied=sizes[groups[each.number] - 1] > 1,
            entry=each,
            left=left.get(each.team, 0),
        )
        for each in order
    )


def standings_of(
    settings: BoardSettings,
    entries: Sequence[Entry],
    *,
    higher: bool,
    closed: bool,
    left: int,
    left_of: Mapping[str, int],
    failures: int,
) -> Standings:
    """The standings that these entries make."""
    best = list(best_of_teams(entries, higher=higher).values())
    return Standings(
        title=settings.title,
        metric=settings.metric,
        higher=higher,
        confidence=settings.confidence,
        closed=closed,
        entries=len(entries),
        submissions=settings.submissions,
        left=left,
        failures=failures,
        teams=ranked(best, left_of, higher=higher),
        running=running_best(entries, higher=higher),
    )


def finalists(chosen: Sequence[Entry], *, higher: bool) -> list[int]:
    """The numbers of the entries in the final, best of the public phase first."""
    if not chosen:
        accepted = "one with at least one entry"
        raise InvalidInput(argument="board", accepted=accepted, given="one without")
    order = sorted(chosen, key=lambda each: merit(each, higher=higher), reverse=True)
    return [each.number for each in order]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Finalist:
    """A team in the final. `tied_with` are those that cannot be told from it."""

    rank: int
    team: str
    entry: int
    name: str
    value: float
    low: float
    high: float
    tied_with: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.value:.4f} [{decimal_down(self.low)}, {decimal_up(self.high)}]"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """How much better the first team's predictions are than the second's, row by row.

    Positive is better for the first, whether scores or losses are compared.
    """

    first: str
    second: str
    value: float
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The ranking of a board that is closed. All intervals in it hold together.

    rank is 1 and the number of teams that are better for sure: by the interval of the paired
    difference, or because the intervals of the scores do not meet.
    """

    finalists: tuple[Finalist, ...]
    duels: tuple[Duel, ...]
    rows: int
    confidence: float
    questions: int
    theorems: tuple[str, ...]
    assumptions: tuple[str, ...]

    @property
    def promise(self) -> str:
        return (
            f"With probability at least {self.confidence:g}, all intervals of the final hold "
            f"together: {self.questions:,} questions, fixed before the first look at its "
            f"{self.rows:,} rows ({', '.join(self.theorems)})."
        )

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "promise": self.promise}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "Final":
        """What `to_dict` said."""
        return cls(
            finalists=tuple(
                Finalist(**{**each, "tied_with": tuple(each["tied_with"])})
                for each in found["finalists"]
            ),
            duels=tuple(Duel(**each) for each in found["duels"]),
            rows=found["rows"],
            confidence=found["confidence"],
            questions=found["questions"],
            theorems=tuple(found["theorems"]),
            assumptions=tuple(found["assumptions"]),
        )


def ranking(
    scored: Sequence[Finalist], duels: Sequence[Duel], *, higher: bool
) -> tuple[Finalist, ...]:
    """The finalists with their ranks and ties, best first."""
    won = {(each.first, each.second) for each in duels if each.low > 0}
    won |= {(each.second, each.first) for each in duels if each.high < 0}
    won |= {
        (one.team, two.team)
        for one in scored
        for two in scored
        if (one.low > two.high if higher else one.high < two.low)
    }
    ranks = {each.team: 1 + sum(pair[1] == each.team for pair in won) for each in scored}
    teams = [each.team for each in scored]
    made = [
        Finalist(
            rank=ranks[each.team],
            team=each.team,
            entry=each.entry,
            name=each.name,
            value=each.value,
            low=each.low,
            high=each.high,
            tied_with=tuple(
                other
                for other in teams
                if other != each.team and not {(other, each.team), (each.team, other)} & won
            ),
        )
        for each in scored
    ]
    sign = -1 if higher else 1
    return tuple(sorted(made, key=lambda each: (each.rank, sign * each.value, each.entry)))
