"""Where questions are worked on: threads, so that the loop that talks HTTP never waits."""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar, final

from peekproof.core.errors import GatewayUnavailable, TooManyRequests

T = TypeVar("T")

AT_ONCE = 2  # tasks of one key that take turns
IN_LINE = 64  # of them, those at work included


@dataclass(slots=True)
class _Turns:
    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    waiting: int = 0


@final
class Work:
    """So many threads, and a line of bounded length before them."""

    def __init__(self, *, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="peekproof")
        self._most = waiting
        self.waiting = 0
        self._turns: dict[Hashable, _Turns] = {}

    async def do(self, task: Callable[[], T]) -> T:
        """What the task returns; it is carried out also if whoever waits for it goes away."""
        self.enter()
        job = self.start(task)
        job.add_done_callback(self.leave)
        return await asyncio.shield(job)

    async def in_turn(self, key: Hashable, task: Callable[[], T]) -> T:
        """What the task returns; a key has few at work, and a line of its own.

        For what is free: nothing else keeps one who asks for much of it from taking all threads.
        """
        turns = self._turns.setdefault(key, _Turns())
        if turns.waiting >= IN_LINE:
            raise TooManyRequests(retry_after=1.0)
        turns.waiting += 1
        # A turn lasts as long as its task, which goes on if whoever waits for it goes away.
        job = asyncio.ensure_future(self._taken(key, turns, task))
        job.add_done_callback(_seen)
        return await asyncio.shield(job)

    async def _taken(self, key: Hashable, turns: _Turns, task: Callable[[], T]) -> T:
        try:
            async with turns.free:
                return await self.do(task)
        finally:
            turns.waiting -= 1
            if not turns.waiting:
                del self._turns[key]

    def enter(self) -> None:
        """Count a request that waits, unless too many do."""
        if self.waiting >= self._most:
            raise GatewayUnavailable(problem="the gateway is busy", hint="try again in a second")
        self.waiting += 1

    def leave(self, waited: "asyncio.Future[T]") -> None:
        """Count it no more."""
        self.waiting -= 1
        _seen(waited)

    def start(self, task: Callable[[], T]) -> "asyncio.Future[T]":
        """Have a thread carry out the task, whoever waits for it."""
        return asyncio.get_running_loop().run_in_executor(self._pool, task)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _seen(waited: "asyncio.Future[T]") -> None:
    """Take note of what a task ended with, also if nobody waits for it any more."""
    if not waited.cancelled():
        waited.exception()
