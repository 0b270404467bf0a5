"""Data sets and contests that are being served, how far they are read, and what was spent when."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import final

from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.data.files import silent
from peekproof.data.load import load
from peekproof.data.source import Source
from peekproof.learn.board.board import Board
from peekproof.learn.opening import QUESTIONS
from peekproof.ledger.entry import Entry
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Mechanism, every_mechanism
from peekproof.mechanisms.checking import Checking
from peekproof.server.holdouts import ServedHoldout, check_holdouts, hold
from peekproof.server.settings import Dataset, Settings
from peekproof.session.opening import open as open_session
from peekproof.session.opening import place_of
from peekproof.session.session import Session

Listener = Callable[[int, int], None]


@final
class Progress:
    """What engines tell: it reaches whoever listens in the thread that reads."""

    def __init__(self) -> None:
        self._here = threading.local()

    def __call__(self, done: int, total: int) -> None:
        listener: Listener | None = getattr(self._here, "listener", None)
        if listener is not None:
            listener(done, total)

    @contextmanager
    def told_to(self, listener: Listener) -> Iterator[None]:
        self._here.listener = listener
        try:
            yield
        finally:
            self._here.listener = None


@final
@dataclass(frozen=True, slots=True)
class Moment:
    """After a charge: how many questions were paid for, and which part of the budget."""

    entry: int
    at: str
    draws: int
    spent_part: float


@final
@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer is: its digest, and the entry that has it."""

    digest: str
    at: str
    draws: int


@final
class Timeline:
    """Follows one ledger; threads take turns."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._turn = threading.Lock()
        self._last = 0
        self._budget = ledger.opening.budget.amount
        self._draws = 0
        self._moments: list[Moment] = []
        self._places: list[Place] = []

    def moments(self, most: int) -> list[Moment]:
        """At most so many, the last among them; between two kept ones the budget only fell."""
        with self._turn:
            self._follow()
            step = max(1, -(-len(self._moments) // most))
            return self._moments[::-1][::step][::-1]

    def places(self, *, after: int, most: int) -> tuple[int, list[Place]]:
        """How many answers there are, and those after the first `after` of them."""
        with self._turn:
            self._follow()
            return len(self._places), self._places[after : after + most]

    def _follow(self) -> None:
        for entry in self._ledger.stream(after=self._last):
            self._last = entry.sequence
            if entry.kind in ("answer", "lost"):
                self._take_in(entry)

    def _take_in(self, entry: Entry) -> None:
        body = entry.body
        common = int(body.get("draws", 1))
        draws = {str(e["digest"]): int(e.get("draws", common)) for e in body["questions"]}
        if "lost" not in body:  # else it was charged before
            self._draws += sum(draws.values())
            spent = Fraction(body["spent"]) / self._budget if self._budget else Fraction(0)
            self._moments.append(Moment(entry.sequence, _at(entry), self._draws, float(spent)))
        if entry.kind == "answer":
            self._places += [Place(digest, _at(entry), each) for digest, each in draws.items()]


def _at(entry: Entry) -> str:
    return str(entry.body.get("at", ""))


_FINEST = 10**100  # parts of the budget that shares may be counted in


@final
class Served:
    """A session that all who ask share, each under their own name. `holdout` if it has labels."""

    def __init__(self, dataset: Dataset, *, reading: Listener | None = None) -> None:
        self.name, self.about = dataset.name, dataset.about
        self.progress = Progress()
        place = place_of(dataset.source, dataset.ledger)
        self.holdout: ServedHoldout | None = hold(dataset) if dataset.label is not None else None
        self.table: Source
        if self.holdout is not None:
            self.table = self.holdout.held
        else:
            with self.progress.told_to(reading or silent):
                self.table = load(dataset.source, progress=self.progress)
        self.session = open_session(
            self.table,
            confidence=dataset.confidence,
            questions=_questions(dataset, place),
            rounds=dataset.rounds,
            failures=dataset.failures,
            tolerance=dataset.tolerance,
            ledger=place,
            mechanisms=_mechanisms(dataset),
            categories=dataset.categories,
            complete=dataset.complete,
        )
        self.timeline = Timeline(self.session.ledger)
        plan = self.session.plan
        self.gathers = plan.mechanism.gathers(plan.target)
        _set_aside(self.session, dataset)

    @property
    def shareable(self) -> bool:
        """Whether several processes may answer: rounds and failures are followed by one."""
        return self.session.plan.mechanism.shareable

    def as_analyst(self, name: str) -> Session:
        return self.session.as_analyst(name)

    def close(self) -> None:
        self.session.close()


def open_all(settings: Settings, *, reading: Listener | None = None) -> dict[str, Served]:
    """All data sets by name, or none of them."""
    check_holdouts(settings.datasets)
    served: dict[str, Served] = {}
    try:
        for each in settings.datasets:
            try:
                served[each.name] = Served(each, reading=reading)
            except PeekproofError as error:
                if len(settings.datasets) > 1:
                    error.add_note(f"while opening the data set {each.name}")
                raise
    except BaseException:
        for each_open in served.values():
            each_open.close()
        raise
    return served


def _questions(dataset: Dataset, place: str) -> int | None:
    """How many; holdouts have a default of their own for a new ledger."""
    if dataset.label is None or dataset.questions is not None or Ledger.exists(place):
        return dataset.questions
    return QUESTIONS


def _mechanisms(dataset: Dataset) -> list[type[Mechanism]] | None:
    name = dataset.mechanism
    if name is None:
        return None if dataset.label is None else [Checking]
    every = every_mechanism()
    if name not in every:
        raise InvalidInput(
            argument="mechanism", accepted=f"one of {', '.join(every)}", given=repr(name)[:80]
        )
    return [every[name]]


def _set_aside(session: Session, dataset: Dataset) -> None:
    """Shares of the settings, for a ledger that has none; later ones are the custodian's."""
    if dataset.shares and not session.ledger.look().accounts.shares:
        session.ledger.set_aside(read_shares(dataset.shares))


def read_shares(shares: object) -> dict[str, Fraction]:
    """Shares by name, from texts such as 1/4 or 0.25."""
    found, common = {}, 1
    for name, text in dict(shares).items() if isinstance(shares, dict) else ():
        try:
            found[str(name)] = Fraction(str(text))
        except (ValueError, ZeroDivisionError):
            raise InvalidInput(
                argument="shares",
                accepted="a share from 0 to 1 for each name, such as 1/4 or 0.25",
                given=f"{name}: {text!r}"[:80],
            ) from None
        common = lcm(common, found[str(name)].denominator)
        if common > _FINEST:  # the ledger adds them up for ever, at every question
            raise InvalidInput(
                argument="shares",
                accepted="parts of one whole, such as hundredths or 1/360",
                given="fractions with no common denominator below 10^100",
            )
    return found


def open_boards(settings: Settings) -> dict[str, Board]:
    """All boards by name, or none of them."""
    boards: dict[str, Board] = {}
    with kept(boards):
        for each in settings.boards:
            try:
                boards[each.name] = Board.open(each.folder)
            except PeekproofError as error:
                if len(settings.boards) + len(settings.datasets) > 1:
                    error.add_note(f"while opening the board {each.name}")
                raise
    return boards


@contextmanager
def kept(boards: Mapping[str, Board]) -> Iterator[None]:
    """Boards that are open; if what comes next fails, they are let go."""
    try:
        yield
    except BaseException:
        release(boards.values())
        raise


def release(boards: Iterable[Board]) -> None:
    """Let go of their files, which keep everything."""
    for each in boards:
        each.release()
