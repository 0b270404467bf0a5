"""Settings of a gateway: what it serves, where, and within what limits.

Every key with what it accepts and how it is read, from a TOML file or from the
options of a command.
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Any, final

from peekproof.core.errors import DataError, InvalidInput
from peekproof.mechanisms.every import mechanism_names

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


# All that `peekproof.server.dataset` can open data by: a slip is found before any row is read.
MECHANISMS = mechanism_names()

NOTHING = "none"  # for an audit log that is not wanted

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?(us|ms|s|min)?")
_SECONDS = {None: 1.0, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<four>[^:\[\]]+)):(?P<port>\d{1,5})")


@final
@dataclass(frozen=True, slots=True)
class Key:
    """What a key accepts, in words, and its reader, which raises ValueError for anything else."""

    accepted: str
    read: Callable[[object], Any]


def words(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return tuple(text(each) for each in value)


def whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError
    return value


def number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    if not 0 <= float(value) < math.inf:  # also false for NaN
        raise ValueError
    return float(value)


def positive(value: object) -> float:
    if (found := number(value)) > 0:
        return found
    raise ValueError


def chance(value: object) -> float:
    if 0 < (found := number(value)) < 1:
        return found
    raise ValueError


def seconds(value: object) -> float:
    """A number of seconds, or a text such as 50ms."""
    if not isinstance(value, str):
        return number(value)
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise ValueError
    return float(found[1]) * _SECONDS[found[2]]


def patience(value: object) -> float:
    if (found := seconds(value)) > 0:
        return found
    raise ValueError


def address(value: object) -> tuple[str, int]:
    """The host and the port; the host is a number or localhost, so that it means one thing."""
    found = _ADDRESS.fullmatch(text(value))
    if found is None or int(found["port"]) > 65535:
        raise ValueError
    host = found["six"] or found["four"]
    if host != "localhost":
        host = str(ip_address(host))
    return host, int(found["port"])


def names(value: object) -> tuple[str, ...]:
    return tuple(each.lower() for each in texts(value))


def dataset_name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError
    return value


def ledger(value: object) -> str:
    if text(value) == ":memory:":
        raise ValueError
    return text(value)


def mechanism(value: object) -> str:
    if value not in MECHANISMS:
        raise ValueError
    return text(value)


def categories(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError
    return {str(name): texts(each) for name, each in value.items()}


def shares(value: object) -> dict[str, str]:
    """Shares as texts; a float of TOML stands for the decimal it prints as."""
    if not isinstance(value, dict):
        raise ValueError
    found = {}
    for name, each in value.items():
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise ValueError
        try:
            share = Fraction(str(each))
        except ZeroDivisionError:
            raise ValueError from None
        if not 0 <= share <= 1:
            raise ValueError
        found[str(name)] = str(each)
    return found


_FILE = Key("the path of a file", text)
_WHOLE = Key("an integer of at least 1", whole)
_COLUMN = Key("the name of a column", text)

NAME = Key("of letters, digits, - and _, at most 64", dataset_name)

GATEWAY: Mapping[str, Key] = MappingProxyType(
    {
        "address": Key(
            "HOST:PORT, with a number or localhost as HOST, such as 127.0.0.1:8417 or [::1]:8417",
            address,
        ),
        "names": Key("a list of host names", names),
        "workers": _WHOLE,
        "threads": _WHOLE,
        "tls_certificate": _FILE,
        "tls_key": _FILE,
        "tokens": _FILE,
        "audit_log": Key("the path of a file, or none", text),
        "quantum": Key("seconds, or a text such as 50ms", seconds),
    }
)

LIMITS: Mapping[str, Key] = MappingProxyType(
    {
        "rate": Key("a number of at least 0", number),
        "burst": _WHOLE,
        "body": _WHOLE,
        "scores": _WHOLE,
        "questions": _WHOLE,
        "waiting": _WHOLE,
        "patience": Key("seconds above 0, or a text such as 30s", patience),
    }
)

BOARD: Mapping[str, Key] = MappingProxyType({"folder": Key("the folder of a board", text)})

DATASET: Mapping[str, Key] = MappingProxyType(
    {
        "source": Key("a file, a pattern of files, or the address of a table", text),
        "ledger": Key("a file or postgresql://…, not memory, which forgets what is spent", ledger),
        "confidence": Key("strictly between 0 and 1, such as 0.95", chance),
        "questions": _WHOLE,
        "rounds": _WHOLE,
        "failures": _WHOLE,
        "tolerance": Key("a number above 0", positive),
        "mechanism": Key(f"one of {', '.join(MECHANISMS)}", mechanism),
        "categories": Key("a table of lists of texts, by column", categories),
        "complete": Key('a list of columns, or all as ["*"]', texts),
        "shares": Key("a table of shares from 0 to 1, such as 1/4, by analyst", shares),
        "about": Key("a text", words),
        "label": _COLUMN,
        "id": _COLUMN,
        "groups": Key("a list of columns", texts),
        "metric": Key("the name of a metric, such as accuracy", text),
    }
)


TOKENS, AUDIT = ".peekproof-tokens", ".peekproof-audit.jsonl"

Given = Mapping[str, object]
Named = Callable[[str], str]  # a key as messages call it


def from_file(path: Path, options: Given) -> Settings:
    """The settings in a TOML file; options of the command come before those of [gateway]."""
    given = _toml(path)

    def within(section: str) -> Named:
        return lambda key: f"{path.name}: {section}.{key}" if section else f"{path.name}: {key}"

    known = {name: Key("", _table) for name in ("gateway", "datasets", "boards")}
    _check_known(known, given, within(""))
    folder = path.absolute().parent
    gateway = dict(_section(given, "gateway", within("")))
    limits = _section(gateway, "limits", within("gateway"))
    gateway.pop("limits", None)
    said = {
        **_placed(_read(GATEWAY, gateway, within("gateway"), more=("limits",)), folder),
        **_read(LIMITS, limits, within("gateway.limits")),
        **_options(options),
    }
    datasets = tuple(
        _dataset(name, each, within(f"datasets.{name}"), folder)
        for name, each in _section(given, "datasets", within("")).items()
    )
    boards = tuple(
        _board(name, each, within(f"boards.{name}"), folder)
        for name, each in _section(given, "boards", within("")).items()
    )
    if not datasets and not boards:
        raise InvalidInput(
            argument=f"{path.name}: datasets",
            accepted="at least one table [datasets.NAME] with a source, or [boards.NAME]",
            given="none",
        )
    if both := {each.name for each in datasets} & {each.name for each in boards}:
        raise InvalidInput(
            argument=f"{path.name}: boards",
            accepted="names that no data set has, for tokens are for names",
            given=", ".join(sorted(both)),
        )
    return _settings(datasets, {**said, "boards": boards}, beside=path)


def of_one(dataset: Given, options: Given, *, name: str | None = None) -> Settings:
    """The settings for one data set, as the command names it."""
    from peekproof.server.paths import name_of, named_after  # noqa: PLC0415 (imports engines)

    read = _read(DATASET, dataset, _option)
    named = name_of(read["source"]) if name is None else checked_name(name, "--name")
    held = Dataset(name=named, **read)
    return _settings((held,), _options(options), beside=named_after(held))


def check_reachable(settings: Settings) -> None:
    """Who listens on a network must encrypt: tokens are all that stands before the data."""
    if not settings.loopback and not settings.secure:
        raise InvalidInput(
            argument="--address",
            accepted="on loopback, such as 127.0.0.1:8417, unless there is TLS",
            given=settings.host,
            hint="tokens and answers would travel for all to read: give --tls-certificate and "
            "--tls-key, or --insecure if something else encrypts",
        )


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise DataError(source=str(path), problem=problem, hint="check --config") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "write it as docs/reference/gateway-settings.md shows"
        raise DataError(source=str(path), problem=f"is not TOML ({error})", hint=hint) from error


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError
    return value


def _section(given: Given, key: str, named: Named) -> dict[str, object]:
    if not isinstance(found := given.get(key, {}), dict):
        raise InvalidInput(argument=named(key), accepted="a table", given=_shown(found))
    return found


def _read(
    keys: Mapping[str, Key], given: Given, named: Named, *, more: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The values by key, each as its key reads it."""
    _check_known({**keys, **dict.fromkeys(more, Key("", _table))}, given, named)
    found = {}
    for key, value in given.items():
        try:
            found[key] = keys[key].read(value)
        except ValueError:
            raise InvalidInput(
                argument=named(key), accepted=keys[key].accepted, given=_shown(value)
            ) from None
    return found


def _check_known(keys: Mapping[str, Key], given: Given, named: Named) -> None:
    for key in given:
        if key not in keys:
            near = get_close_matches(key, keys, n=1)
            raise InvalidInput(
                argument=named(key),
                accepted=f"one of {', '.join(keys)}",
                given="an unknown key",
                hint=f"did you mean {near[0]}?" if near else "",
            )


def _shown(value: object) -> str:
    """A value for a message: its words only if they cannot be the password of an address."""
    return "a text with an address" if "://" in str(value) else repr(value)[:80]


def _option(key: str) -> str:
    return "FILE" if key == "source" else f"--{key.replace('_', '-')}"


def _options(options: Given) -> dict[str, Any]:
    return _read({**GATEWAY, **LIMITS}, options, _option)


def _dataset(name: str, given: object, named: Named, folder: Path) -> Dataset:
    from peekproof.server.paths import ledger_from, source_from  # noqa: PLC0415 (imports engines)

    checked_name(name, "a name in [datasets.NAME]")
    if not isinstance(given, dict):
        argument = named("").removesuffix(".")
        raise InvalidInput(argument=argument, accepted="a table", given=_shown(given))
    read = _read(DATASET, given, named)
    if "source" not in read:
        raise InvalidInput(
            argument=named("source"), accepted=DATASET["source"].accepted, given="nothing"
        )
    read["source"] = source_from(folder, read["source"])
    if "ledger" in read:
        read["ledger"] = ledger_from(folder, read["ledger"])
    return Dataset(name=name, **read)


def _board(name: str, given: object, named: Named, folder: Path) -> ServedBoard:
    checked_name(name, "a name in [boards.NAME]")
    if not isinstance(given, dict) or "folder" not in given:
        argument = named("").removesuffix(".")
        raise InvalidInput(argument=argument, accepted="a table with a folder", given=_shown(given))
    return ServedBoard(name=name, folder=str(folder / _read(BOARD, given, named)["folder"]))


def _placed(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths of the file, from where it lies."""
    files = {"tls_certificate", "tls_key", "tokens", "audit_log"}
    return {
        key: str(folder / value) if key in files and value != NOTHING else value
        for key, value in given.items()
    }


def _settings(datasets: tuple[Dataset, ...], said: dict[str, Any], *, beside: Path) -> Settings:
    host, port = said.pop("address", (LOOPBACK, PORT))
    limits = Limits(**{key: said.pop(key) for key in LIMITS if key in said})
    tokens = said.pop("tokens", None) or f"{beside}{TOKENS}"
    log = said.pop("audit_log", None) or f"{beside}{AUDIT}"
    certificate, key = said.pop("tls_certificate", None), said.pop("tls_key", None)
    return Settings(
        datasets=datasets,
        host=host,
        port=port,
        store=Path(tokens),
        audit_log=None if log == NOTHING else Path(log),
        certificate=Path(certificate) if certificate else None,
        key=Path(key) if key else None,
        limits=limits,
        **said,
    )


def checked_name(name: str, argument: str) -> str:
    """The name of a data set, if it can be one."""
    return str(_read({"name": NAME}, {"name": name}, lambda _: argument)["name"])
