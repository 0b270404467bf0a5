"""Whatever a call tells besides its answer: what it logs, warns of, prints and raises."""

import logging
import os
import re
import sys
import traceback
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from ctypes import CDLL
from tempfile import TemporaryFile
from typing import IO, Literal

Channel = Literal[
    "calls", "returned", "raised", "traceback", "exit", "log", "warning", "stdout", "stderr"
]
Heard = dict[Channel, list[str]]

# The default repr of an object ends in its address, which differs from run to run.
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")

_USUAL = {*vars(logging.makeLogRecord({})), "message", "asctime"}


def told(error: BaseException) -> tuple[list[str], list[str]]:
    """All that an error says of itself, and all that stands behind it as far as it is shown."""
    fields = sorted(vars(error).items())
    own = [type(error).__qualname__, str(error), repr(error), repr(error.args), repr(fields)]
    return [_steady(each, error) for each in own], [
        _steady(each, error) for each in traceback.format_exception(error)
    ]


def _steady(text: str, error: BaseException | None = None) -> str:
    """Without addresses and the error's own identity, which are about the process alone."""
    plain = _ADDRESS.sub("at …", text)
    return plain if error is None else plain.replace(repr(id(error)), "…")


@contextmanager
def overhearing() -> Iterator[Heard]:
    """What is told meanwhile, by channel: also by code that is not Python, and by other threads.

    Complete when the block is left. Handlers of logs hear nothing meanwhile: they may print the
    time, and what they do with a record is not the record's doing.
    """
    heard: Heard = defaultdict(list)
    with ExitStack() as stack:
        stack.enter_context(_printed("stdout", 1, heard))
        stack.enter_context(_printed("stderr", 2, heard))
        stack.enter_context(_warned(heard))
        stack.enter_context(_logged(heard))
        yield heard


@contextmanager
def _printed(name: Literal["stdout", "stderr"], number: int, heard: Heard) -> Iterator[None]:
    """What arrives at a file descriptor, and at the object that Python prints to.

    The two need not be the same: notebooks and test runners put their own in its place.
    """
    before: IO[str] | None = getattr(sys, name)
    others = before, getattr(sys, f"__{name}__")
    _flush(*others)
    with TemporaryFile() as kept:
        # Never closed: whoever keeps it, as handlers of logs do, can go on writing afterwards.
        stream = open(  # noqa: SIM115 it has no path
            number, "w", buffering=1, encoding="utf-8", errors="surrogateescape", closefd=False
        )
        saved = os.dup(number)
        os.dup2(kept.fileno(), number)
        setattr(sys, name, stream)
        try:
            yield
        finally:
            try:
                _flush(stream, *others)
            finally:
                setattr(sys, name, before)
                os.dup2(saved, number)
                os.close(saved)
        kept.seek(0)
        text = kept.read().decode("utf-8", errors="backslashreplace")
    if text:
        heard[name].append(_steady(text))


def _flush(*streams: object) -> None:
    """Let go of what they hold, and of what is held for code that is not Python."""
    for stream in streams:
        if hasattr(stream, "flush") and not getattr(stream, "closed", False):
            stream.flush()
    with suppress(AttributeError, OSError, TypeError):  # not every system has it there
        CDLL(None).fflush(None)


@contextmanager
def _warned(heard: Heard) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
    heard_now = [_steady(f"{each.category.__qualname__}: {each.message}") for each in warned]
    if heard_now:
        heard["warning"] += heard_now


@contextmanager
def _logged(heard: Heard) -> Iterator[None]:
    """Records of all loggers and levels, whatever is configured: it could be otherwise."""
    manager, root = logging.Logger.manager, logging.getLogger()
    known = [each for each in manager.loggerDict.values() if isinstance(each, logging.Logger)]
    levels = {each: (each.level, each.disabled) for each in (root, *known)}
    disabled, pass_on = manager.disable, logging.Logger.callHandlers

    def hear(_: logging.Logger, record: logging.LogRecord) -> None:
        heard["log"].append(_steady("\n".join(_said(record))))

    _set_handling(hear)
    for each in levels:
        each.level, each.disabled = 1, False
    logging.disable(logging.NOTSET)  # which also makes loggers forget what they had decided
    try:
        yield
    finally:
        for each, (level, off) in levels.items():
            each.level, each.disabled = level, off
        logging.disable(disabled)
        _set_handling(pass_on)


def _set_handling(handling: object) -> None:
    """Decide what becomes of records, for loggers that do not pass them on as well."""
    type.__setattr__(logging.Logger, "callHandlers", handling)


def _said(record: logging.LogRecord) -> list[str]:
    try:
        message = record.getMessage()
    except (TypeError, ValueError, KeyError):  # arguments that do not fit their message
        message = f"{record.msg!r} {record.args!r}"
    lines = [f"{record.name} {record.levelname} {message}"]
    lines += [f"{key}={value!r}" for key, value in vars(record).items() if key not in _USUAL]
    if record.exc_info and record.exc_info[1]:
        own, behind = told(record.exc_info[1])
        lines += own + behind
    return [*lines, record.stack_info or ""]
