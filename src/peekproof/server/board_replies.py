"""What a gateway says of leaderboards."""

from typing import Any

from msgspec import Struct

from peekproof.learn.board.board import Board
from peekproof.learn.board.standings import Duel, Final, Finalist
from peekproof.learn.board.submission import Entry


class BoardSummary(Struct, kw_only=True, frozen=True):
    """A board in one line."""

    name: str
    title: str
    metric: str
    closed: bool
    entries: int


class BoardEntry(Struct, kw_only=True, frozen=True):
    """An entry and what was told about it. `told` is confirmed, corrected or no better.

    `shown` says what is known in words; `receipt` is the digest by which the export lists it.
    """

    number: int
    team: str
    name: str
    made: str
    declared: float | None
    trained_on: int | None
    told: str
    value: float
    low: float
    high: float
    predictions: str
    question: str
    shown: str
    receipt: str


class BoardRank(Struct, kw_only=True, frozen=True):
    """The best entry of a team: `rank` is 1 and the number of teams that are better for sure."""

    rank: int
    group: int
    tied: bool
    left: int
    entry: BoardEntry


class BoardFinal(Struct, kw_only=True, frozen=True):
    """The final ranking, on rows that nobody had been told anything about."""

    finalists: list[Finalist]
    duels: list[Duel]
    rows: int
    confidence: float
    questions: int
    theorems: list[str]
    assumptions: list[str]
    promise: str


class OwnEntries(Struct, kw_only=True, frozen=True):
    """What concerns the team that asks: its entries, how many it can add, which one is chosen."""

    team: str
    left: int
    chosen: int | None
    entries: list[BoardEntry]


class BoardStanding(Struct, kw_only=True, frozen=True):
    """A board as it stands. `rows` is the number of ids; `final` is there once it is closed.

    `labels` are numbers or text, and so are predictions; `step` is by how much an entry must beat
    the best to be told.
    """

    name: str
    title: str
    metric: str
    higher_is_better: bool
    confidence: float
    step: float
    labels: str
    closed: bool
    entries: int
    submissions: int
    left: int
    failures: int
    rows: int
    public_key: str
    teams: list[BoardRank]
    running_best: list[BoardEntry]
    yours: OwnEntries
    final: BoardFinal | None


class BoardIds(Struct, kw_only=True, frozen=True):
    """The ids that a submission has predictions for."""

    ids: list[str]


def summary_of(name: str, board: Board) -> BoardSummary:
    settings = board.settings
    return BoardSummary(
        name=name,
        title=settings.title,
        metric=settings.metric,
        closed=board.closed,
        entries=len(board.entries()),
    )


def entry_of(entry: Entry) -> BoardEntry:
    said: dict[str, Any] = entry.to_dict()
    return BoardEntry(**said, shown=entry.shown, receipt=entry.digest)


def final_of(final: Final) -> BoardFinal:
    return BoardFinal(
        finalists=list(final.finalists),
        duels=list(final.duels),
        rows=final.rows,
        confidence=final.confidence,
        questions=final.questions,
        theorems=list(final.theorems),
        assumptions=list(final.assumptions),
        promise=final.promise,
    )


def standing_of(name: str, board: Board, team: str) -> BoardStanding:
    """The board, for a team that looks at it."""
    now, final, chosen = board.standings(), board.final, board.chosen().get(team)
    return BoardStanding(
        name=name,
        title=now.title,
        metric=now.metric,
        higher_is_better=now.higher,
        confidence=now.confidence,
        step=board.settings.step,
        labels=board.settings.labels,
        closed=now.closed,
        entries=now.entries,
        submissions=now.submissions,
        left=now.left,
        failures=now.failures,
        rows=len(board.ids),
        public_key=board.settings.public_key,
        teams=[
            BoardRank(
                rank=each.rank,
                group=each.group,
                tied=each.tied,
                left=each.left,
                entry=entry_of(each.entry),
            )
            for each in now.teams
        ],
        running_best=[entry_of(each) for each in now.running],
        yours=OwnEntries(
            team=team,
            left=board.left(team),
            chosen=chosen.number if chosen else None,
            entries=[entry_of(each) for each in board.entries(team)],
        ),
        final=final_of(final) if final else None,
    )
