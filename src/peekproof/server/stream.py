"""Long work as lines of JSON: how far it is, then what came of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

import msgspec
from starlette.responses import StreamingResponse

from peekproof.core.errors import PeekproofError, problem_name
from peekproof.server.dataset import Listener
from peekproof.server.endpoint import LINES, Call
from peekproof.server.problems import problem_of, unforeseen

_TICK = 0.25

T = TypeVar("T")


async def streamed(
    call: Call, task: Callable[[], T], lines: Callable[[T], Iterable[object]]
) -> StreamingResponse:
    """What an engine does with the rows of a data set, followed as it is done."""

    def begun(told: Listener) -> Awaitable[T]:
        def listened() -> T:
            with call.dataset.progress.told_to(told):
                return task()

        return call.gateway.work.do(listened)

    return await followed(call, begun, lines)


async def followed(
    call: Call,
    begin: Callable[[Listener], Awaitable[T]],
    lines: Callable[[T], Iterable[object]],
) -> StreamingResponse:
    """The response: progress at every tick, then the lines of what came of it.

    What fails within the first tick has a status of its own; after that, a line says it.
    """
    seen: list[tuple[int, int]] = []

    def told(done: int, total: int) -> None:
        seen[:] = [(done, total)]

    async def carried_out() -> bytes:
        """All that is to be said in the end, also if nobody follows any more."""
        quantum = call.gateway.settings.quantum
        try:
            found = await begin(told)
        except asyncio.CancelledError:  # the work goes on, and whoever tries again must wait
            raise
        except BaseException:
            if call.keyed:
                call.keyed.forget()
            raise
        finally:
            if quantum > 0:  # when the last line comes must not tell how long the rows took
                await asyncio.sleep(call.rest(quantum))
        said = b"".join(_line(each) for each in lines(found))
        if call.keyed:
            call.keyed.keep(200, said)
        return said

    tick = max(_TICK, call.gateway.settings.quantum)
    job = asyncio.ensure_future(carried_out())
    job.add_done_callback(_seen)
    await asyncio.wait({job}, timeout=tick)
    if job.done():
        job.result()
    return StreamingResponse(_told(call, job, seen, tick), media_type=LINES)


async def _told(
    call: Call, job: "asyncio.Future[bytes]", seen: list[tuple[int, int]], tick: float
) -> AsyncIterator[bytes]:
    hidden = call.gateway.settings.quantum > 0  # how far it is tells how long the rows take
    while not job.done():
        done, total = seen[0] if seen and not hidden else (0, 0)
        yield _line({"event": "progress", "done": done, "of": total})
        await asyncio.wait({job}, timeout=tick)
    try:
        said = job.result()
    except PeekproofError as error:
        call.noted["problem"] = problem_name(type(error))
        yield _line({"event": "problem", "problem": problem_of(error, dataset=call.dataset.name)})
    except Exception:
        call.noted["problem"] = "unforeseen"
        yield _line({"event": "problem", "problem": unforeseen()})
    else:
        call.told = True
        yield said


def _seen(job: "asyncio.Future[bytes]") -> None:
    if not job.cancelled():
        job.exception()  # nobody may be there to see it


def _line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"
