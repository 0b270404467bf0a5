"""Settings of a gateway, from a TOML file or from the options of a command."""

import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from peekproof.core.errors import DataError, InvalidInput
from peekproof.server.setting_keys import BOARD, DATASET, GATEWAY, LIMITS, NAME, NOTHING, Key
from peekproof.server.settings import LOOPBACK, PORT, Dataset, Limits, ServedBoard, Settings

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
    from peekproof.server.places import name_of, named_after  # noqa: PLC0415 (imports engines)

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
    from peekproof.server.places import ledger_from, source_from  # noqa: PLC0415 (imports engines)

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
