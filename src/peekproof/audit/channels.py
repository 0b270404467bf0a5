"""Side channels: do errors, logs, warnings or output tell two neighbouring data sets apart?

An error message, a log line, a warning or a word on the terminal is a release that nobody charges.
The same calls are made on both data sets, and all that a call logs, warns of, prints and raises,
besides its answer, has to be the same.
"""

import logging
import os
import re
import sys
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from ctypes import CDLL
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Literal, TypeVar, final

from peekproof.core.errors import InvalidInput
from peekproof.ledger.witness import simulation

Channel = Literal[
    "calls", "returned", "raised", "traceback", "exit", "log", "warning", "stdout", "stderr"
]
Overheard = dict[Channel, list[str]]

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
def overhearing() -> Iterator[Overheard]:
    """What is told meanwhile, by channel: also by code that is not Python, and by other threads.

    Complete when the block is left. Handlers of logs hear nothing meanwhile: they may print the
    time, and what they do with a record is not the record's doing.
    """
    heard: Overheard = defaultdict(list)
    with ExitStack() as stack:
        stack.enter_context(_printed("stdout", 1, heard))
        stack.enter_context(_printed("stderr", 2, heard))
        stack.enter_context(_warned(heard))
        stack.enter_context(_logged(heard))
        yield heard


@contextmanager
def _printed(name: Literal["stdout", "stderr"], number: int, heard: Overheard) -> Iterator[None]:
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
def _warned(heard: Overheard) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
    heard_now = [_steady(f"{each.category.__qualname__}: {each.message}") for each in warned]
    if heard_now:
        heard["warning"] += heard_now


@contextmanager
def _logged(heard: Overheard) -> Iterator[None]:
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


Calls = Iterable[tuple[str, Callable[[], object]]]
D = TypeVar("D")

_ENDED = "nothing"
_SHOWN = 160  # characters of a text around the first that differs


@final
@dataclass(frozen=True, slots=True)
class Public:
    """Returned by a call whose value may not depend on the data: its text is compared as well."""

    value: object


@final
@dataclass(frozen=True, slots=True)
class Heard:
    """A call's label, and what was heard of it on each channel that was used."""

    label: str
    channels: dict[Channel, str]
    made: bool = True  # a call; else what was done before one, or after the last


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A channel on which a call told two data sets apart, and what was heard of each."""

    label: str
    channel: Channel
    one: str
    other: str

    def __str__(self) -> str:
        pairs = enumerate(zip(self.one, self.other, strict=False))
        shortest = min(len(self.one), len(self.other))
        start = max(0, next((at for at, (a, b) in pairs if a != b), shortest) - _SHOWN // 4)
        one, other = (repr(text[start : start + _SHOWN]) for text in (self.one, self.other))
        return f"{self.label}, {self.channel}: {one} and {other}"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelReport:
    """Every difference between what was heard of two data sets; none means nothing was told."""

    calls: int
    differences: tuple[Difference, ...]

    @property
    def tells(self) -> bool:
        return bool(self.differences)

    def to_dict(self) -> dict[str, object]:
        return {
            "tells": self.tells,
            "calls": self.calls,
            "differences": [
                {"label": each.label, "channel": each.channel, "one": each.one,
                 "other": each.other}
                for each in self.differences
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        if not self.tells:
            return f"calls: {self.calls}, and nothing is told besides the answers"
        head = f"calls: {self.calls}, differences: {len(self.differences)}"
        return "\n".join([head, *map(str, self.differences)])


def compare_channels(run: Callable[[D], Calls], one: D, other: D) -> ChannelReport:
    """Compare all that is heard while `run` makes its calls on one data set and on the other.

    `run` gives a label with each call, the same for both; what it does itself before a call, such
    as opening the data, is heard with that call. Of what a call returns only the kind is compared,
    because answers may depend on the data, unless the call says that it is `Public`.
    """
    first, second = listen(run, one), listen(run, other)
    made = max(sum(each.made for each in heard) for heard in (first, second))
    return ChannelReport(calls=made, differences=compared(first, second))


@simulation()
def listen(run: Callable[[D], Calls], data: D) -> list[Heard]:
    """What is heard of each call on one data set."""
    found: list[Heard] = []
    calls: Iterator[object] | None = None
    while True:
        made, label = False, f"before call {len(found) + 1}"
        result: dict[Channel, str] = {}
        ended = False
        with overhearing() as heard:
            try:
                if calls is None:
                    given: object = run(data)
                    calls = iter(given if isinstance(given, Iterable) else (given,))
                each = next(calls)
            except StopIteration:
                ended = True
            except BaseException as error:
                result, ended = _raised(error), True
            else:
                label, call = _labelled(each)
                made, result = True, _result(call)
        texts = result | {channel: "\n".join(lines) for channel, lines in heard.items()}
        if texts:
            found.append(Heard(label, texts, made))
        if ended:
            return found


def _labelled(each: object) -> tuple[str, Callable[[], object]]:
    """A label and a call; anything else is an error of whoever wrote it, and not overheard."""
    match each:
        case (str() as label, call) if callable(call):
            return label, call
    raise InvalidInput(
        argument="run",
        accepted="a function that yields pairs of label and call",
        given=f"one that gives {each!r}"[:80],
    )


def _result(call: Callable[[], object]) -> dict[Channel, str]:
    try:
        returned = call()
    except BaseException as error:
        return _raised(error)
    if isinstance(returned, Public):
        return {"returned": f"{type(returned.value).__qualname__} {returned.value}"}
    return {"returned": type(returned).__qualname__}


def _raised(error: BaseException) -> dict[Channel, str]:
    """Engines that are not Python panic with what is no Exception, so all are caught but one."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, SystemExit):
        return {"exit": str(error.code)}
    own, behind = told(error)
    return {"raised": "\n".join(own), "traceback": "\n".join(behind)}


def compared(one: list[Heard], other: list[Heard]) -> tuple[Difference, ...]:
    """Where two lists of what was heard differ."""
    found: list[Difference] = []
    for first, second in zip(one, other, strict=False):
        if first.label != second.label:
            return (*found, _calls(first, second))
        channels = dict.fromkeys([*first.channels, *second.channels])
        for channel in channels:
            texts = [each.channels.get(channel, "") for each in (first, second)]
            if texts[0] != texts[1]:
                found.append(
                    Difference(label=first.label, channel=channel, one=texts[0], other=texts[1])
                )
    ended = min(len(one), len(other))
    if len(one) != len(other):
        rest = [each[ended] if len(each) > ended else None for each in (one, other)]
        found.append(_calls(*rest))
    return tuple(found)


def _calls(first: Heard | None, second: Heard | None) -> Difference:
    """A call that was made on one data set alone."""
    labels = [_ENDED if each is None else each.label for each in (first, second)]
    label = next(each for each in labels if each != _ENDED)
    return Difference(label=label, channel="calls", one=labels[0], other=labels[1])
