"""One answer in a process of its own, so that running out of time or memory is a result."""

import contextlib
import io
import multiprocessing
import re
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import final

MEMORY = 8 * 2**30  # bytes of address space


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A first answer: its value and cost, or what went wrong."""

    value: float | None = None
    seconds: float | None = None
    megabytes: float | None = None
    failure: str = ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """A context in which packages neither print nor warn."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def attempt(call: Callable[[], float], *, seconds: float) -> Attempt:
    """The answer of one contender within the time and the memory allowed."""
    # A forked child has everything imported already, so that only the answer is measured.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(call, sender))
    child.start()
    sender.close()
    try:
        result = receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        child.join()
        return Attempt(failure=f"died with exit code {child.exitcode}")
    if not isinstance(result, Attempt):
        child.kill()
        result = Attempt(failure=f"stopped after {seconds:g} s")
    child.join()
    return result


def _answer(call: Callable[[], float], sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    before, start = _megabytes("VmRSS"), time.perf_counter()
    try:
        with quiet():
            value = call()
        taken = time.perf_counter() - start
        megabytes = max(0.0, _megabytes("VmHWM") - before)
        sender.send(Attempt(value=value, seconds=taken, megabytes=megabytes))
    except MemoryError:
        sender.send(Attempt(failure=f"out of memory at {MEMORY / 2**30:g} GiB"))
    except Exception as error:
        sender.send(Attempt(failure=f"{type(error).__name__}: {str(error)[:120]}"))


def _megabytes(field: str) -> float:
    found = re.search(rf"{field}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
