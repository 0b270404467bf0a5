"""What sessions are asked through, where a test must reach behind them."""

from __future__ import annotations

import peekproof
from peekproof.client.http_backend import HttpBackend
from peekproof.session.local_backend import LocalBackend


def here(session: peekproof.Session) -> LocalBackend:
    """The rows and the ledger of a session in this process."""
    assert isinstance(session.backend, LocalBackend)
    return session.backend


def behind(session: peekproof.Session) -> HttpBackend:
    """The connection of a session with a gateway."""
    assert isinstance(session.backend, HttpBackend)
    return session.backend
