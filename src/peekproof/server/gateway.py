"""A running gateway: what is served, who may ask, and who works."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from peekproof.core.errors import NotServed
from peekproof.learn.board.board import Board
from peekproof.server.access import Access
from peekproof.server.batching import Gathering, Work
from peekproof.server.dataset import Served, kept, open_all, open_boards, release
from peekproof.server.journal import Journal, Tally
from peekproof.server.metrics import Counts, Metrics
from peekproof.server.quotas import Rates, Strangers
from peekproof.server.settings import Settings
from peekproof.server.store import Store


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything that one worker needs to answer requests."""

    settings: Settings
    store: Store
    access: Access
    rates: Rates | None
    strangers: Strangers | None
    work: Work
    gathering: Gathering[Any, Any]
    journal: Journal | None
    tally: Tally | None
    metrics: Metrics
    served: dict[str, Served]
    boards: dict[str, Board]

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        served: dict[str, Served] | None = None,
        boards: dict[str, Board] | None = None,
    ) -> "Gateway":
        """Open the data, its ledgers and the gateway's own files."""
        if boards is None:
            boards = open_boards(settings)
        if served is None:
            with kept(boards):
                served = open_all(settings)
        store, limits = Store(settings.store), settings.limits
        rates, strangers = None, None
        if limits.rate > 0:
            path = _beside(settings.store, "rates")
            rates = Rates(path, rate=limits.rate, burst=limits.burst)
            strangers = Strangers(path, rate=limits.rate, burst=limits.burst)
        journal = Journal(settings.audit_log) if settings.audit_log else None
        work = Work(threads=settings.threads, waiting=limits.waiting)
        return cls(
            settings=settings,
            store=store,
            access=Access(store, rates, strangers),
            rates=rates,
            strangers=strangers,
            work=work,
            gathering=Gathering(work),
            journal=journal,
            tally=Tally(journal) if journal else None,
            metrics=Metrics(Counts(_beside(settings.store, "counts"))),
            served=served,
            boards=boards,
        )

    def dataset(self, name: str) -> Served:
        found = self.served.get(name)
        if found is None:
            raise NotServed(what=f"a data set named {name[:80]!r}")
        return found

    def board(self, name: str) -> Board:
        found = self.boards.get(name)
        if found is None:
            raise NotServed(what=f"a board named {name[:80]!r}", listed="/v1/boards")
        return found

    def check_name(self, name: str) -> None:
        """Tokens are for names, of data sets and of boards."""
        if name not in self.boards:
            self.dataset(name)

    def close(self) -> None:
        """Let go of everything, once what is at work is done."""
        self.work.close()
        release(self.boards.values())
        for each in self.served.values():
            each.close()
        if self.tally:
            self.tally.write()
        if self.journal:
            self.journal.close()
        for rates in (self.rates, self.strangers):
            if rates:
                rates.close()
        self.metrics.close()
        self.store.close()


def _beside(store: Path, name: str) -> Path:
    """A file that all workers share."""
    return store.with_name(f"{store.name}-{name}")
