"""The command line as a function: what it printed and how it ended."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, final

# All of these change what rich prints; a test says which of them it wants.
TERMINAL_VARIABLES = (
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "NO_COLOR",
    "PYTHONIOENCODING",
    "TERM",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
)

ESCAPE = "\x1b["


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished command."""

    code: int
    out: str
    err: str


class Run(Protocol):
    """Runs `peekproof` with these arguments in this process."""

    def __call__(self, *arguments: str) -> Outcome: ...


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in TERMINAL_VARIABLES}
    return {**kept, "PYTHONIOENCODING": "utf-8", **extra}


def in_pipe(*arguments: str, **extra: str) -> Outcome:
    """Run `python` with these arguments; nothing it writes to is a terminal."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=_environment(extra),
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def on_terminal(*arguments: str, typed: str = "", **extra: str) -> Outcome:
    """Run `python` with these arguments on a terminal, where both streams are one.

    What is `typed` waits there until it is read.
    """
    ours, theirs = pty.openpty()
    environment = _environment({"TERM": "xterm-256color", "COLUMNS": "100", **extra})
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b"".join(_chunks(ours))
    os.close(ours)
    return Outcome(process.returncode, shown.decode().replace("\r\n", "\n"), "")


def _chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other end is closed
            return
        if not chunk:
            return
        yield chunk
