"""Single flight: who asks what another is drawing waits for its answer, which is then free.

For what is charged before it is read: the same question at the same moment would be paid for by
each thread that asks.
"""

import threading
from collections.abc import Callable, Collection
from typing import TypeVar, final

T = TypeVar("T")


@final
class Flight:
    """The questions that threads of this process draw from one ledger.

    Each call holds a lock of its own as long as it lasts, and those who want one of its questions
    wait for that lock. It is taken and released by `with`, where no interrupt can come between; a
    question that an interrupted call left on the list is free once its lock is.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}

    def alone(self, digests: Collection[str], act: Callable[[], T]) -> T:
        """What `act` returns, while no other thread draws any of these.

        All are taken at once, so nobody waits in a circle.
        """
        mine = threading.Lock()
        with mine:
            while others := self._others(digests, mine):
                for other in others:
                    with other:
                        pass
            try:
                return act()
            finally:
                with self._gate:
                    for each in digests:
                        if self._busy.get(each) is mine:
                            del self._busy[each]

    def _others(self, digests: Collection[str], mine: threading.Lock) -> list[threading.Lock]:
        """Who is to be waited for; if nobody is, the questions are taken."""
        with self._gate:
            known = [self._busy[each] for each in digests if each in self._busy]
            others = [each for each in known if each.locked()]
            if not others:
                self._busy.update(dict.fromkeys(digests, mine))
            return others
