"""What a gateway serves, where, and within what limits."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import final

from peekproof.core.errors import InvalidInput

LOOPBACK = "127.0.0.1"
PORT = 8417


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """One data set to be held, as `peekproof.open` takes it; with a label it is a holdout."""

    name: str
    source: str
    ledger: str | None = None
    confidence: float | None = None
    questions: int | None = None
    rounds: int | None = None
    failures: int | None = None
    tolerance: float | None = None
    mechanism: str | None = None
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    complete: tuple[str, ...] = ()
    shares: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    label: str | None = None  # a holdout: what predictions are to be
    id: str | None = None
    groups: tuple[str, ...] = ()
    metric: str | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ServedBoard:
    """A leaderboard, in the folder that `peekproof board create` made."""

    name: str
    folder: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of what a gateway takes; rates are for each token, in requests a second."""

    body: int = 1 << 20
    scores: int = 32 << 20  # of a body with predictions
    questions: int = 10_000  # in one batch, or candidates of one choice
    rate: float = 50.0
    burst: int = 200
    waiting: int = 1024  # requests at work or in line, in one worker
    patience: float = 30.0  # seconds for a body to arrive

    def check_number(self, **listed: Sized) -> None:
        """Refuse a list, given by its name, of more questions than one request may have."""
        for name, given in listed.items():
            if len(given) > self.questions:
                raise InvalidInput(
                    argument=name, accepted=f"at most {self.questions:,}", given=f"{len(given):,}"
                )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A gateway as its custodian wants it."""

    datasets: tuple[Dataset, ...]
    store: Path
    boards: tuple[ServedBoard, ...] = ()
    host: str = LOOPBACK
    port: int = PORT
    names: tuple[str, ...] = ()  # host names it answers to; any if empty and not on loopback
    certificate: Path | None = None
    key: Path | None = None
    workers: int = 1
    threads: int = 32
    audit_log: Path | None = None
    quantum: float = 0.0  # seconds; 0 answers as soon as it can
    limits: Limits = field(default_factory=Limits)

    @property
    def secure(self) -> bool:
        return self.certificate is not None

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:  # a name: who can reach it is not known here
            return False

    @property
    def allowed_names(self) -> frozenset[str]:
        """The host names that requests may name; empty allows any."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        own = {LOOPBACK, "localhost", "[::1]", shown} if self.loopback else set()
        return frozenset({*self.names, *own})
