"""Visits: a browser that has shown its token once, and is known by a cookie from then on."""

import hashlib
import hmac
import secrets
from typing import final

from peekproof.server.store import Store, now
from peekproof.server.tokens import Token, digest_of

COOKIE = "peekproof_visit"
SECURE = "__Host-"  # such names browsers take from this host alone, and over TLS
PAGE_HEADER = "x-peekproof-page"
LIFETIME = 12 * 3600
MOST = 100  # visits of one token at a time

_BYTES = 32


@final
class Visits:
    """Begun with a token, ended by leaving, after twelve hours, or with the token."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, token: Token) -> str:
        """The secret of a new visit, for the cookie."""
        secret = secrets.token_urlsafe(_BYTES)
        with self._store.writing() as db:
            db.execute("DELETE FROM visits WHERE expires < ?", (now(),))
            db.execute(
                "INSERT INTO visits (digest, token, expires) VALUES (?, ?, ?)",
                (digest_of(secret), token.id, now() + LIFETIME),
            )
            db.execute(
                "DELETE FROM visits WHERE token = :token AND rowid NOT IN "
                "(SELECT rowid FROM visits WHERE token = :token ORDER BY rowid DESC LIMIT :most)",
                {"token": token.id, "most": MOST},
            )
        return secret

    def token_id(self, secret: str) -> str | None:
        """Whose visit it is, if it is one that goes on."""
        with self._store.reading() as db:
            row = db.execute(
                "SELECT token FROM visits WHERE digest = ? AND expires >= ?",
                (digest_of(secret), now()),
            ).fetchone()
        return str(row[0]) if row else None

    def end(self, secret: str) -> None:
        with self._store.writing() as db:
            db.execute("DELETE FROM visits WHERE digest = ?", (digest_of(secret),))

    def cookie_name(self, *, secure: bool) -> str:
        """Another for every gateway: to browsers all ports of a host are one place."""
        name = f"{COOKIE}_{self._store.name}"
        return f"{SECURE}{name}" if secure else name

    def page_key(self, secret: str) -> str:
        """What the page must send with everything that changes something.

        Another site can make a browser send the cookie at most; it cannot read this. Nor can it be
        made from the cookie, which whatever listens on another port of the host is sent as well.
        """
        return hmac.new(self._store.key, secret.encode(), hashlib.sha256).hexdigest()

    def same_page(self, secret: str, given: str) -> bool:
        return hmac.compare_digest(self.page_key(secret).encode(), given.encode())
