"""What must be in order before any data is opened: a slip must not fix the promise of a ledger."""

import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from peekproof.core.errors import DataError, InvalidInput
from peekproof.server.journal import Journal
from peekproof.server.settings import Settings
from peekproof.server.store import Store


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
