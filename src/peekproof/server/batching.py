"""What waits together is done together: while one batch is at work, the next one gathers.

A request that comes alone goes at once; nobody is made to wait for company. A batch is of one
line, and lines are of one data set and one analyst: what happens to a batch is nobody else's
business, and who sends much makes their own line long.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar, final

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


MOST = 64  # in a batch: as long as they take together, each of them waits
_AT_ONCE = 2  # batches of one line: one gets processors while the other waits for the disk

I = TypeVar("I")  # noqa: E741 (an item)
R = TypeVar("R")

# For each item of a batch what came of it, in their order.
Together = Callable[[list[I]], list[R | Exception]]


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[I, R]):
    item: I
    result: "asyncio.Future[R]"


@dataclass(slots=True)
class _Line(Generic[I, R]):
    waiting: deque[_Waiting[I, R]] = field(default_factory=deque)
    at_work: int = 0


@final
class Gathering(Generic[I, R]):
    """Lines of items before the threads. All of it is for the loop's thread alone."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._lines: dict[Hashable, _Line[I, R]] = {}

    async def do(self, key: Hashable, item: I, together: Together[I, R]) -> R:
        """What comes of the item, in a batch with others of its key."""
        self._work.enter()
        result: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        result.add_done_callback(self._work.leave)
        line = self._lines.setdefault(key, _Line())
        line.waiting.append(_Waiting(item, result))
        self._start(key, line, together)
        return await asyncio.shield(result)

    def _start(self, key: Hashable, line: _Line[I, R], together: Together[I, R]) -> None:
        while line.waiting and line.at_work < _AT_ONCE:
            size = min(MOST, len(line.waiting))
            batch = [line.waiting.popleft() for _ in range(size)]
            try:
                job = self._work.start(partial(together, [each.item for each in batch]))
            except RuntimeError as error:  # the threads are gone: the gateway closes
                _fail(batch, error)
                continue
            line.at_work += 1
            job.add_done_callback(partial(self._finished, key, line, batch, together))
        if not line.waiting and not line.at_work:
            self._lines.pop(key, None)

    def _finished(
        self,
        key: Hashable,
        line: _Line[I, R],
        batch: list[_Waiting[I, R]],
        together: Together[I, R],
        job: "asyncio.Future[list[R | Exception]]",
    ) -> None:
        line.at_work -= 1
        error = _closing() if job.cancelled() else job.exception()
        if error is None:
            _tell(batch, job.result())
        else:  # also what is no Exception: engines that are not Python panic
            _fail(batch, error)
        self._start(key, line, together)


def _tell(batch: list[_Waiting[I, R]], outcomes: list[R | Exception]) -> None:
    for each, outcome in zip(batch, outcomes, strict=True):
        if isinstance(outcome, Exception):
            each.result.set_exception(outcome)
        else:
            each.result.set_result(outcome)


def _fail(batch: list[_Waiting[I, R]], error: BaseException) -> None:
    for each in batch:
        each.result.set_exception(error)


def _closing() -> GatewayUnavailable:
    return GatewayUnavailable(problem="the gateway is closing", hint="try again in a second")
