"""Where questions are worked on: threads, so that the loop that talks HTTP never waits."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, final

from peekproof.core.gateway_errors import GatewayUnavailable

T = TypeVar("T")


@final
class Work:
    """So many threads, and a line of bounded length before them."""

    def __init__(self, *, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="peekproof")
        self._most = waiting
        self.waiting = 0

    async def do(self, task: Callable[[], T]) -> T:
        """What the task returns; it is carried out also if whoever waits for it goes away."""
        self.enter()
        job = self.start(task)
        job.add_done_callback(self.leave)
        return await asyncio.shield(job)

    def enter(self) -> None:
        """Count a request that waits, unless too many do."""
        if self.waiting >= self._most:
            raise GatewayUnavailable(problem="the gateway is busy", hint="try again in a second")
        self.waiting += 1

    def leave(self, waited: "asyncio.Future[T]") -> None:
        """Count it no more."""
        self.waiting -= 1
        if not waited.cancelled():
            waited.exception()  # seen, also if nobody waits for it any more

    def start(self, task: Callable[[], T]) -> "asyncio.Future[T]":
        """Have a thread carry out the task, whoever waits for it."""
        return asyncio.get_running_loop().run_in_executor(self._pool, task)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
