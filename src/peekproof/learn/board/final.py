"""The final ranking: scores on rows that nobody had been told anything about."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from peekproof.core.numerics import decimal_down, decimal_up


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
