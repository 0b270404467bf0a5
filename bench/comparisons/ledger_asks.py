"""What is measured of every ledger: asks, by one thread and by a crowd."""

import itertools
import threading
import time
from collections.abc import Callable
from fractions import Fraction

from peekproof.core.charge import GDP, Offer
from peekproof.ledger.entry import Opening
from peekproof.ledger.ledger import Ledger, Written

CLIENTS = 64
COST = Offer(cost=GDP(Fraction(1, 10**7)))
OPENING = Opening(
    fingerprint="pp1-0123456789abcdef0123456789abcdef",
    rows=1000,
    confidence=Fraction(19, 20),
    questions=10**7,
    mechanism={"kind": "gaussian", "sigma": "1/100", "step": "1/8192"},
    budget=GDP(Fraction(1)),
    entropy="system",
)


def asking(ledger: Ledger) -> Callable[[], None]:
    """Charge for and answer a new question in one entry; reading rows is left out."""
    numbers = itertools.count()

    def ask() -> None:
        digest = f"{next(numbers):064x}"
        asked = {digest: f"age > {digest[-6:]}"}
        found = ledger.write(asked, offers=lambda *_: [COST], release=lambda *_: [Fraction(1, 3)])
        if not isinstance(found, Written):
            raise RuntimeError("refused")

    return ask


def rate(step: Callable[[], None], *, clients: int, each: int) -> float:
    """Steps a second of so many threads."""
    start = threading.Barrier(clients + 1)

    def client() -> None:
        start.wait()
        for _ in range(each):
            step()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return clients * each / (time.perf_counter() - began)
