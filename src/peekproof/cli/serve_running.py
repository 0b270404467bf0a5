"""Running a gateway from the command line: what it says when it is ready."""

import shlex
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from peekproof.cli import render
from peekproof.cli.reading import RowBar
from peekproof.core.errors import DataError
from peekproof.core.numerics import level_down
from peekproof.server.settings import Settings
from peekproof.server.store import Store, now
from peekproof.server.tokens import Scope

if TYPE_CHECKING:
    from peekproof.server.served import Served

CUSTODIAN = "custodian"

Summary = dict[str, object]


def run(settings: Settings, *, first_token: bool, json_wanted: bool) -> None:
    """Serve until a signal ends it."""
    try:
        from peekproof.server.serving import log_to_stderr, serve  # noqa: PLC0415 (an extra)
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
    from peekproof.session.promised import planned_radius  # noqa: PLC0415 (brings an engine)

    session = served.session
    return {
        "name": served.name,
        "promise": session.promised,
        "rows": session.plan.rows,
        "radius": planned_radius(session.plan),
        "confidence": level_down(session.plan.target.confidence),
        "questions": session.plan.target.questions,
        "remaining": session.remaining_for_all,
        "mechanism": session.plan.mechanism.KIND,
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
