"""Running a gateway: one process, or a supervisor of several that replaces those that die."""

import logging
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import final

import uvicorn
from starlette.types import ASGIApp

from peekproof.core.errors import DataError, InvalidInput, PeekproofError
from peekproof.server.app import application
from peekproof.server.connections import connections
from peekproof.server.dataset import Listener, Served, kept, open_all, open_boards, release
from peekproof.server.gateway import Gateway
from peekproof.server.journal import Journal
from peekproof.server.settings import Settings
from peekproof.server.store import Store
from peekproof.server.supervisor import Supervisor


@contextmanager
def checked_files(settings: Settings) -> Iterator[None]:
    """The certificate, the tokens and the audit log; if what follows fails, no new ones stay."""
    log = settings.audit_log
    new_log = log is not None and not log.exists()
    new_store = not settings.store.exists()
    try:
        _check_certificate(settings)
        _check_log(settings)
        Store(settings.store).close()
        yield
    except BaseException:
        if log is not None and new_log and _is_empty(log):
            log.unlink()
        if new_store and settings.store.is_file() and _without_tokens(settings.store):
            settings.store.unlink()
        raise


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0


def _without_tokens(path: Path) -> bool:
    with closing(Store(path)) as store:
        return not store.tokens()


def _check_certificate(settings: Settings) -> None:
    certificate, key = settings.certificate, settings.key
    if (certificate is None) is not (key is None):
        raise InvalidInput(
            argument="--tls-certificate",
            accepted="given together with --tls-key",
            given="one of them",
        )
    if certificate is None or key is None:
        return
    for file in (certificate, key):
        if not file.is_file():
            raise DataError(
                source=str(file), problem="does not exist", hint="name files in PEM format"
            )
    try:
        # A key with a passphrase would have the library ask for it on the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise DataError(
            source=f"{certificate} with {key}",
            problem="cannot be used for TLS",
            hint="name a certificate and its key, in PEM format and without a passphrase",
        ) from error


def _check_log(settings: Settings) -> None:
    if settings.audit_log is None:
        return
    try:
        Journal(settings.audit_log).close()
    except OSError as error:
        raise DataError(
            source=str(settings.audit_log),
            problem=f"cannot be written ({error.strerror})",
            hint="name another audit log with --audit-log; none goes without",
        ) from error


BACKLOG = 2048
_log = logging.getLogger("peekproof.server")


@final
@dataclass(frozen=True)
class Worker:
    """One of several; a supervisor sends it to a process of its own."""

    settings: Settings
    listening: socket.socket

    def __call__(self) -> None:
        log_to_stderr()
        try:
            app = application(Gateway.open(self.settings))
        except PeekproofError as error:
            # It could be opened before: the supervisor tries again, until it can.
            _log.error("a worker cannot start: %s", error)
            sys.exit(1)
        server = uvicorn.Server(config(self.settings, app))
        with _ended_by_signals(server):
            server.run(sockets=[self.listening])


def log_to_stderr() -> None:
    """What goes wrong, with its time; for a process that has nothing else to say."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)


def listen(settings: Settings) -> socket.socket:
    """The socket that all workers share; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
        found.listen(BACKLOG)  # from now on clients wait until a worker is there
    except OSError as error:
        found.close()
        raise _occupied(settings, error) from error
    found.set_inheritable(True)
    return found


def _occupied(settings: Settings, error: OSError) -> DataError:
    return DataError(
        source=f"{settings.host}:{settings.port}",
        problem=f"cannot be listened on ({error.strerror})",
        hint="name another address with --address HOST:PORT; port 0 takes any that is free",
    )


def serve(
    settings: Settings,
    *,
    ready: Callable[[str], None],
    opened: Callable[[Served], None] | None = None,
    reading: Listener | None = None,
) -> None:
    """Serve until a signal ends it, and finish what is at work.

    `reading` hears how far an engine is with the rows, `opened` of every data set, and `ready` the
    address, once all data is open and clients can connect.
    """
    with checked_files(settings):
        listening = listen(settings)  # before any ledger is made: a slip must not fix a promise
        try:
            boards = open_boards(settings)  # first, because opening them fixes nothing
            with kept(boards):
                served = open_all(settings, reading=reading)
                if settings.workers > 1:
                    _check_shareable(served, workers=settings.workers)
        except BaseException:
            listening.close()
            raise
    try:
        if opened:
            for each in served.values():
                opened(each)
        address = _address(settings, listening)
        if settings.workers == 1:
            app = application(Gateway.open(settings, served=served, boards=boards))
            server = uvicorn.Server(config(settings, app))
            with _ended_by_signals(server):
                ready(address)
                server.run(sockets=[listening])
            return
        for each in served.values():
            each.close()  # a ledger must not be carried into another process
        served.clear()
        release(boards.values())
        boards.clear()
        ready(address)
        Supervisor(Worker(settings, listening), workers=settings.workers).run()
    finally:
        listening.close()


def _address(settings: Settings, listening: socket.socket) -> str:
    """Where clients find it."""
    host, port = listening.getsockname()[:2]
    if settings.names and not settings.loopback:
        host = settings.names[0]
    elif ip_address(host).is_unspecified:
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if settings.secure else 'http'}://{shown}:{port}"


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Signals end the server, also before it has begun, and nothing but the server.

    It raises them again once it is done, so that they would end the process as well.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: object) -> None:
        server.should_exit = True

    before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _check_shareable(served: dict[str, Served], *, workers: int) -> None:
    """Refuse several workers where only one process can keep what a conversation is about."""
    alone = next((each for each in served.values() if not each.shareable), None)
    if alone is None:
        return
    for each in served.values():
        each.close()
    raise InvalidInput(
        argument="--workers",
        accepted=f"1, for {alone.name!r} is answered by {alone.session.plan.mechanism.kind}, of "
        "which one process must know all guesses that are being checked",
        given=str(workers),
        hint="serve the other data sets by a gateway of their own",
    )


def config(settings: Settings, app: ASGIApp) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=connections(),
        ws="none",
        interface="asgi3",
        lifespan="on",
        access_log=False,
        log_config=None,  # it would close the handlers of whoever has some
        log_level="warning",
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=30,
        backlog=BACKLOG,
        ssl_certfile=str(settings.certificate) if settings.certificate else None,
        ssl_keyfile=str(settings.key) if settings.key else None,
    )
