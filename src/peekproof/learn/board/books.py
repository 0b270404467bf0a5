"""What a board asks of its ledgers: a share for each team, and how far they have come."""

from fractions import Fraction
from pathlib import Path

from peekproof.core.certificate import Certificate
from peekproof.core.errors import InvalidInput
from peekproof.ledger.ledger import Ledger


def set_aside(ledger: Ledger, team: str, share: Fraction) -> None:
    """Give a new team its share of the submissions, unless the custodian gave it one."""
    shares = dict(ledger.look().accounts.shares)
    if team in shares:
        return
    if sum(shares.values(), share) > 1:
        raise InvalidInput(
            argument="team",
            accepted="one of those that have a share",
            given=repr(team),
            hint=f"all shares of {share} are taken; the custodian can move them",
        )
    ledger.set_aside({**shares, team: share})


def share_left(ledger: Ledger, team: str, share: Fraction, *, submissions: int) -> int | None:
    """What a team would get that has no share yet, as of the last look; None if it has one."""
    shares = ledger.seen.accounts.shares
    if team in shares:
        return None
    return int(share * submissions) if sum(shares.values(), share) <= 1 else 0


def head(ledger: Ledger) -> dict[str, object]:
    """How many entries a ledger has, and the digest that chains them all."""
    last = ledger.look().last
    return {"entries": last.sequence, "head": last.digest.hex()} if last else {}


def head_at(path: Path) -> dict[str, object]:
    """The same, of a ledger that is not open."""
    ledger = Ledger.open(str(path))
    try:
        return head(ledger)
    finally:
        ledger.close()


def promise(certificate: Certificate) -> dict[str, object]:
    """What the answers of a ledger rest on."""
    return {
        "theorems": list(certificate.theorems),
        "assumptions": list(certificate.assumptions),
    }
