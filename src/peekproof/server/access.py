"""Who is asking: a token in a header, or the cookie of a visit."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import final

from starlette.requests import Request

from peekproof.core.errors import NotAllowed, NotServed, Unauthenticated
from peekproof.server.quotas import Rates, Strangers
from peekproof.server.store import Scope, Store, Token, digest_of, now, parts_of

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


_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN = frozenset({"same-origin", "none"})


@final
@dataclass(frozen=True, slots=True)
class Caller:
    """A token that was shown, and the secret of the visit if it was shown by a cookie."""

    token: Token
    visit: str | None = None

    @property
    def analyst(self) -> str:
        return self.token.analyst

    @property
    def custodian(self) -> bool:
        return self.token.scope is Scope.CUSTODIAN

    def check_custodian(self) -> None:
        if not self.custodian:
            raise NotAllowed(problem="this is for custodians only")

    def check_dataset(self, name: str) -> None:
        """As if the data set did not exist: its name may say something."""
        if not self.token.allows(name):
            raise NotServed(what=f"a data set named {name[:80]!r}")

    def check_board(self, name: str) -> None:
        """The same for a board: tokens are for names, whatever is served under them."""
        if not self.token.allows(name):
            raise NotServed(what=f"a board named {name[:80]!r}", listed="/v1/boards")


@final
class Access:
    """Knows tokens and visits, and how fast each may come, and those who show none."""

    def __init__(
        self, store: Store, rates: Rates | None, strangers: Strangers | None = None
    ) -> None:
        self._store = store
        self.visits = Visits(store)
        self._rates = rates
        self._strangers = strangers

    def caller(self, request: Request) -> Caller:
        """Who sent this request, if that is someone."""
        given = request.headers.get("authorization")
        return self._by_header(given) if given is not None else self._by_cookie(request)

    def admit(self, caller: Caller) -> None:
        """Count a request of this caller, or refuse it."""
        if self._rates is not None:
            self._rates.admit(caller.token.slot)

    def admit_stranger(self, peer: str) -> None:
        """Count a request from this address that shows no valid token, or refuse it."""
        if self._strangers is not None:
            self._strangers.admit(peer)

    def by_token(self, text: str) -> Caller:
        """The caller who shows this token."""
        parts = parts_of(text)
        known = self._store.token(parts[0]) if parts else None
        # A secret is compared in any case, so that an unknown id takes as long as a wrong secret.
        right = (known or _NOBODY).matches(parts[1] if parts else "")
        if known is None or not right:
            raise Unauthenticated()
        return self._valid(known)

    def _by_header(self, given: str) -> Caller:
        scheme, _, text = given.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated(problem="the Authorization header must be Bearer and a token")
        return self.by_token(text.strip())

    def _by_cookie(self, request: Request) -> Caller:
        secure = request.scope["scheme"] == "https"
        secret = request.cookies.get(self.visits.cookie_name(secure=secure))
        id = self.visits.token_id(secret) if secret else None
        known = self._store.token(id) if id else None
        if known is None or secret is None:
            raise Unauthenticated()
        check_site(request)
        if request.method not in _SAFE:
            given = request.headers.get(PAGE_HEADER, "")
            if not self.visits.same_page(secret, given):
                raise NotAllowed(problem=f"the {PAGE_HEADER} header does not fit the visit")
        found = self._valid(known)
        return Caller(found.token, secret)

    def _valid(self, known: Token) -> Caller:
        if known.revoked:
            raise Unauthenticated(problem="the token was revoked")
        if known.expires is not None and known.expires <= now():
            raise Unauthenticated(problem="the token has expired")
        return Caller(known)


def check_site(request: Request) -> None:
    """Refuse what a browser sends for the page of another site.

    Browsers say whose page it is; old ones do not, but name its origin when they change something.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        own = site in _OWN
    else:
        own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not own:
        raise NotAllowed(problem="another site sent this request")


_NOBODY = Token(id="", slot=0, digest=bytes(32), analyst="", scope=Scope.ANALYST)
