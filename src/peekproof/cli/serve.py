"""`peekproof serve`: held data for a team, over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from peekproof.cli import options
from peekproof.cli.serve_demo import demonstration
from peekproof.cli.serve_running import run
from peekproof.core.errors import InvalidInput
from peekproof.server.configuration import check_reachable, from_file, of_one
from peekproof.server.setting_keys import MECHANISMS
from peekproof.server.settings import Settings


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
