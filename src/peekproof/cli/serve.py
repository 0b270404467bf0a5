"""`peekproof serve`: data for a team, over HTTP; with `--demo`, made-up flights."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from peekproof.cli import options, render
from peekproof.cli.options import RowBar
from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.numerics import level_down
from peekproof.server.settings import MECHANISMS, Settings, check_reachable, from_file, of_one
from peekproof.server.store import Scope, Store, now

if TYPE_CHECKING:
    from peekproof.server.dataset import Served


ROWS = 100_000
SEED = 8417
CARRIERS = {"Albatross": 0.35, "Bunting": 0.3, "Crane": 0.2, "Dipper": 0.15}
ORIGINS = ("Bergen", "Bonn", "Turku", "Ulm")


@contextmanager
def demonstration(folder: Path) -> Iterator[dict[str, object]]:
    """The data set to serve; its file, its ledger and its witness lie in the folder.

    The rows are the same each time, so without a witness of its own a folder that was thrown away
    would still stand against the next.
    """
    from peekproof.ledger.witness import VARIABLE  # noqa: PLC0415 (not for the help)

    file = folder / "flights.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            _write(file)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise DataError(source=str(file), problem=problem, hint="run it elsewhere") from error
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder.absolute() / "witness")
    try:
        yield {
            "source": str(file),
            "mechanism": "gaussian",
            "categories": {"carrier": list(CARRIERS), "origin": list(ORIGINS)},
            "about": f"{ROWS:,} made-up flights: night flights are late more often, and one "
            "carrier is.",
        }
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def _write(file: Path) -> None:
    import numpy as np  # noqa: PLC0415 (not for the help)
    import polars as pl  # noqa: PLC0415

    rng = np.random.default_rng(SEED)
    carrier = rng.choice(list(CARRIERS), ROWS, p=list(CARRIERS.values()))
    night = rng.random(ROWS) < 0.2
    usual = 4 + 9 * night + 6 * (carrier == "Crane")
    columns = {
        "delay": (usual + rng.normal(0, 12, ROWS) + rng.exponential(8, ROWS) - 8).round(),
        "carrier": carrier,
        "origin": rng.choice(ORIGINS, ROWS),
        "month": rng.integers(1, 13, ROWS),
        "night": night,
        "distance": rng.gamma(3, 400, ROWS).round(),
    }
    part = file.with_suffix(".part")
    pl.DataFrame(columns).write_parquet(part)
    part.replace(file)  # all of it, or none: half a file would get a ledger


CUSTODIAN = "custodian"

Summary = dict[str, object]


def run(settings: Settings, *, first_token: bool, json_wanted: bool) -> None:
    """Serve until a signal ends it."""
    try:
        from peekproof.server.runner import log_to_stderr, serve  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise DataError(
            source="the gateway",
            problem=f"needs {(error.name or 'more packages').partition('.')[0]}",
            hint="run: pip install 'peekproof[server]'",
        ) from error
    log_to_stderr()
    bar, datasets = RowBar(), list[Summary]()
    with ExitStack() as shown:
        shown.enter_context(bar.shown())

        def ready(address: str) -> None:
            shown.close()
            token = _first_token(settings) if first_token else None
            if json_wanted:
                link = token and link_of(address, token)
                told = {"address": address, "token": token, "link": link, "datasets": datasets}
                render.as_json({**told, "boards": _boards(settings, address)})
            else:
                _tell(settings, address, token, datasets, first_token=first_token)
            sys.stdout.flush()  # whoever started it may wait for this at the end of a pipe

        serve(
            settings,
            ready=ready,
            opened=lambda each: datasets.append(_summary(each)),
            reading=bar,
        )


def link_of(address: str, token: str) -> str:
    """The page with a token. Browsers do not send what comes after the #."""
    return f"{address}/#token={token}"


def _first_token(settings: Settings) -> str | None:
    """A token for the custodian, if there is none: it can be shown only once."""
    with closing(Store(settings.store)) as store:
        for each in store.tokens():
            ended = each.revoked or (each.expires is not None and each.expires <= now())
            if each.scope is Scope.CUSTODIAN and not each.datasets and not ended:
                return None
        return store.create_token(analyst=CUSTODIAN, scope=Scope.CUSTODIAN)


def _summary(served: "Served") -> Summary:
    session, plan = served.session, served.session.plan
    return {
        "name": served.name,
        "promise": session.promised,
        "rows": session.plan.rows,
        "radius": plan.mechanism.planned_radius(plan.radius),
        "confidence": level_down(session.plan.target.confidence),
        "questions": session.plan.target.questions,
        "remaining": session.remaining_for_all,
        "mechanism": session.plan.mechanism.kind,
        "ledger": session.ledger.place,
    }


def _boards(settings: Settings, address: str) -> list[dict[str, str]]:
    """The leaderboards, with the address of the page of each."""
    return [
        {"name": each.name, "folder": each.folder, "page": f"{address}/boards/{each.name}"}
        for each in settings.boards
    ]


def _tell(
    settings: Settings,
    address: str,
    token: str | None,
    datasets: list[Summary],
    *,
    first_token: bool,
) -> None:
    say, tokens = render.line, f"--tokens {shlex.quote(str(settings.store))}"
    for each in datasets:
        say(f"{each['name']}: {each['promise']}; {each['remaining']:,} left ({each['ledger']})")
    for board in _boards(settings, address):
        say(f"{board['name']}: leaderboard at {board['page']} ({board['folder']})")
    if settings.audit_log is not None:
        say(f"audit log: {settings.audit_log}")
    if settings.quantum:
        say(f"Answers leave at multiples of {settings.quantum:g} seconds.")
    say(f"Serving on {address}; Ctrl-C ends it.")
    say()
    if token is not None:
        say("Your page, as the custodian; the token in it is shown this once:")
        say(f"  {link_of(address, token)}")
    elif first_token:
        say("There is a custodian's token already. If it is lost, make another:")
        say(f"  peekproof token create NAME --custodian {tokens} --address {address}")
    say("To invite an analyst:")
    say(f"  peekproof token create NAME {tokens} --address {address}")


@click.command()
@click.argument("file", required=False)
@click.option("--config", metavar="TOML", help="Serve what this file says, several data sets too.")
@click.option("--demo", is_flag=True, help="Serve made-up flights, written to the folder demo.")
@click.option("--name", help="What the data set is called. [default: from FILE]")
@click.option("--questions", type=int, help="How many a new ledger allows. [default: 1000]")
@options.confidence
@click.option(
    "--mechanism",
    type=click.Choice(MECHANISMS),
    help="What a new ledger promises by. [default: the narrowest]",
)
@click.option("--rounds", type=int, help="In how many batches they will come, if that is known.")
@click.option("--failures", type=int, help="After how many failed guesses a new ledger ends.")
@click.option("--tolerance", type=float, help="How far off a guess may be, with --failures.")
@options.categories
@options.complete
@click.option("--ledger", metavar="PATH", help="Ledger. [default: FILE.peekproof]")
@click.option("--address", metavar="HOST:PORT", help="Where. [default: 127.0.0.1:8417]")
@click.option("--tls-certificate", metavar="PEM", help="Serve https with this certificate.")
@click.option("--tls-key", metavar="PEM", help="The key of the certificate.")
@click.option("--insecure", is_flag=True, help="Let others than this machine in without TLS.")
@click.option("--workers", type=int, help="How many processes. [default: 1]")
@click.option("--threads", type=int, help="How many questions at once in each. [default: 32]")
@click.option("--tokens", metavar="FILE", help="Tokens. [default: FILE.peekproof-tokens]")
@click.option(
    "--audit-log",
    metavar="FILE",
    help="Who did what, or none. [default: FILE.peekproof-audit.jsonl]",
)
@click.option("--quantum", metavar="TIME", help="Answer only at multiples of this, such as 50ms.")
@click.option("--rate", type=float, help="Requests a second for each token. [default: 50]")
@click.option("--burst", type=int, help="How many may come at once before that. [default: 200]")
@click.option("--no-first-token", is_flag=True, help="Make no token for the custodian.")
@options.as_json
def serve(
    file: str | None,
    config: str | None,
    demo: bool,
    name: str | None,
    questions: int | None,
    confidence: float | None,
    mechanism: str | None,
    rounds: int | None,
    failures: int | None,
    tolerance: float | None,
    categories: dict[str, list[str]],
    complete: list[str],
    ledger: str | None,
    address: str | None,
    tls_certificate: str | None,
    tls_key: str | None,
    insecure: bool,
    workers: int | None,
    threads: int | None,
    tokens: str | None,
    audit_log: str | None,
    quantum: str | None,
    rate: float | None,
    burst: int | None,
    no_first_token: bool,
    json_wanted: bool,
) -> None:
    """Serve a FILE, several, or a table in a database to a team; Ctrl-C ends it.

    \b
    peekproof serve people.csv --questions 1000
    peekproof serve "postgresql://host/db#flights" --ledger flights.peekproof
    peekproof serve --config gateway.toml
    peekproof serve --demo
    """
    promise: dict[str, object] = {
        "questions": questions,
        "confidence": confidence,
        "mechanism": mechanism,
        "rounds": rounds,
        "failures": failures,
        "tolerance": tolerance,
        "categories": categories or None,
        "complete": complete or None,
        "ledger": ledger,
    }
    gateway: dict[str, object] = {
        "address": address,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        "workers": workers,
        "threads": threads,
        "tokens": tokens,
        "audit_log": audit_log,
        "quantum": quantum,
        "rate": rate,
        "burst": burst,
    }
    with _wanted(file, config, name, _given(promise), _given(gateway), demo=demo) as settings:
        if not insecure:
            check_reachable(settings)
        run(settings, first_token=not no_first_token, json_wanted=json_wanted)


def _given(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}


@contextmanager
def _wanted(
    file: str | None,
    config: str | None,
    name: str | None,
    promise: dict[str, object],
    gateway: dict[str, object],
    *,
    demo: bool,
) -> Iterator[Settings]:
    """The settings, for as long as they are served."""
    named = [each for each in (file, config, "--demo" if demo else None) if each is not None]
    if len(named) != 1:
        raise InvalidInput(
            argument="FILE",
            accepted="one source, or --config TOML, or --demo",
            given=" and ".join(named) or "none of them",
        )
    if file is not None:
        yield of_one({"source": file, **promise}, gateway, name=name)
        return
    if promise or name is not None:
        key = next(iter(promise), "name")
        hint = "write it into a table [datasets.NAME] of the TOML file" if config else ""
        raise InvalidInput(
            argument=f"--{key}", accepted="given with a FILE", given=f"with {named[0]}", hint=hint
        )
    if config is not None:
        yield from_file(Path(config), gateway)
        return
    with demonstration(Path("demo")) as dataset:
        yield of_one(dataset, gateway)
