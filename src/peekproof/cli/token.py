"""`peekproof token`: who may ask a gateway. Works while it runs."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.cli.serve import link_of
from peekproof.core.errors import DataError, InvalidInput
from peekproof.server.settings import TOKENS, checked_name
from peekproof.server.store import Scope, Store, Token, now, parts_of

_DAY = 86_400
_LOCAL = ("127.", "localhost", "[::1]")

_tokens = click.option(
    "--tokens", metavar="FILE", help=f"Token file. [default: the only *{TOKENS} in this folder]"
)
_address = click.option(
    "--address", metavar="URL", help="Where the gateway is: print a link that opens its page."
)


@click.group()
def token() -> None:
    """Make, list, renew and revoke the tokens of a gateway."""


@token.command()
@click.argument("name")
@click.option("--custodian", is_flag=True, help="May make tokens, set shares and close ledgers.")
@click.option("--dataset", multiple=True, help="Only for this data set or board; may be repeated.")
@click.option(
    "--days", type=click.IntRange(1, 3650), help="How long it is valid. [default: always]"
)
@_tokens
@_address
@options.as_json
def create(
    name: str,
    custodian: bool,
    dataset: tuple[str, ...],
    days: int | None,
    tokens: str | None,
    address: str | None,
    json_wanted: bool,
) -> None:
    """Make a token under whose NAME questions are charged. It is shown this once."""
    from peekproof.session.queries import analyst_name  # noqa: PLC0415 (not for the others)

    if not analyst_name(name):
        raise InvalidInput(argument="NAME", accepted="the name of an analyst", given=repr(name))
    datasets = tuple(checked_name(each, "--dataset") for each in dataset)
    path = Path(tokens) if tokens is not None else _only()
    new = not path.exists()
    with closing(Store(path)) as store:
        made = store.create_token(
            analyst=name,
            scope=Scope.CUSTODIAN if custodian else Scope.ANALYST,
            datasets=datasets,
            lifetime=None if days is None else days * _DAY,
        )
    _show(made, address, json_wanted=json_wanted)
    if new and not json_wanted:
        render.line(f"{path} is new: a gateway must be told of it with --tokens")


@token.command("list")
@_tokens
@options.as_json
def list_(tokens: str | None, json_wanted: bool) -> None:
    """List all tokens, without their secrets."""
    with closing(_opened(tokens)) as store:
        found = store.tokens()
    if json_wanted:
        render.as_json([_described(each) for each in found])
        return
    render.table(
        ["id", "name", "scope", "data sets", "made", "valid until"],
        [
            [
                each.id,
                each.analyst,
                each.scope.value,
                ", ".join(each.datasets) or "all",
                _day(each.created),
                _until(each),
            ]
            for each in found
        ],
    )


@token.command()
@click.argument("token_id", metavar="ID")
@_tokens
@_address
@options.as_json
def rotate(token_id: str, tokens: str | None, address: str | None, json_wanted: bool) -> None:
    """Give the token with this ID a new secret; the old one ends now."""
    with closing(_opened(tokens)) as store:
        made = store.rotate_token(token_id)
    if made is None:
        raise _unknown(token_id)
    _show(made, address, json_wanted=json_wanted)


@token.command()
@click.argument("token_id", metavar="ID")
@_tokens
@options.as_json
def revoke(token_id: str, tokens: str | None, json_wanted: bool) -> None:
    """End the token with this ID for good."""
    with closing(_opened(tokens)) as store:
        if not store.revoke_token(token_id):
            raise _unknown(token_id)
    if json_wanted:
        render.as_json({"id": token_id, "revoked": True})
    else:
        render.line(f"{token_id} is revoked")


def _opened(tokens: str | None) -> Store:
    path = Path(tokens) if tokens is not None else _only()
    if not path.is_file():
        hint = "name the token file of the gateway with --tokens"
        raise DataError(source=str(path), problem="does not exist", hint=hint)
    return Store(path)


def _only() -> Path:
    found = sorted(each.name for each in Path().glob(f"*{TOKENS}"))
    if len(found) != 1:
        raise InvalidInput(
            argument="--tokens",
            accepted=f"given, unless this folder has exactly one *{TOKENS}",
            given=", ".join(found) or "none",
        )
    return Path(found[0])


def _unknown(token_id: str) -> InvalidInput:
    return InvalidInput(
        argument="ID",
        accepted="that of a token which is not revoked",
        given=repr(token_id[:15]),  # of a whole token not the secret
        hint="peekproof token list shows them",
    )


def _show(made: str, address: str | None, *, json_wanted: bool) -> None:
    link = None if address is None else link_of(_url(address), made)
    if json_wanted:
        parts = parts_of(made)
        render.as_json({"id": parts[0] if parts else None, "token": made, "link": link})
        return
    render.line(made)
    if link is not None:
        render.line(link)


def _url(address: str) -> str:
    """An address for a link; without a scheme, as a gateway there may be."""
    if "://" not in address:
        scheme = "http" if address.startswith(_LOCAL) else "https"
        address = f"{scheme}://{address}"
    return address.rstrip("/")


def _described(token: Token) -> dict[str, object]:
    return {
        "id": token.id,
        "analyst": token.analyst,
        "scope": token.scope.value,
        "datasets": list(token.datasets),
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
    }


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _until(token: Token) -> str:
    if token.revoked:
        return "revoked"
    if token.expires is None:
        return "always"
    return "expired" if token.expires <= now() else _day(token.expires)
