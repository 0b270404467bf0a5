"""A data set that is being served."""

from fractions import Fraction
from math import lcm
from typing import final

from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.data.files import silent
from peekproof.data.load import load
from peekproof.data.source import Source
from peekproof.learn.opening import QUESTIONS
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Mechanism, every_mechanism
from peekproof.mechanisms.checking import Checking
from peekproof.server.holdouts import ServedHoldout, check_holdouts, hold
from peekproof.server.progress import Listener, Progress
from peekproof.server.settings import Dataset, Settings
from peekproof.server.timeline import Timeline
from peekproof.session.opening import open as open_session
from peekproof.session.place import place_of
from peekproof.session.session import Session

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
    if dataset.label is not None:
        return [Checking]
    if name is None:
        return None
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
