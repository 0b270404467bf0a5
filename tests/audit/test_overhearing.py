"""Nothing that is told escapes, and the process is left as it was whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
from ctypes import CDLL
from io import StringIO

import pytest

from peekproof.audit.channels import overhearing


class Full(StringIO):
    """Has no room left after a while."""

    flushed = 0

    def flush(self) -> None:
        self.flushed += 1
        if self.flushed > 1:
            raise OSError("no space")


class WriteOnly:
    """The least that can stand in for a terminal."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def write(self, text: str) -> int:
        self.said.append(text)
        return len(text)


def test_a_stream_that_fails_does_not_keep_the_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Full()
    monkeypatch.setattr(sys, "stdout", full)
    with pytest.raises(OSError, match="no space"), overhearing():
        pass
    assert sys.stdout is full
    monkeypatch.undo()

    os.write(1, b"still here")

    assert capfd.readouterr().out == "still here"


def test_anything_that_can_be_written_to_may_stand_in_for_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in = WriteOnly()
    monkeypatch.setattr(sys, "stdout", stand_in)

    with overhearing() as heard:
        sys.stdout.write("told")

    assert heard["stdout"] == ["told"]
    assert (sys.stdout, stand_in.said) == (stand_in, [])


PRINTS = """
import io, sys
from ctypes import CDLL
from peekproof.audit.channels import overhearing

sys.stdout = io.StringIO()
with overhearing() as heard:
    sys.__stdout__.write("behind ")
    CDLL(None).printf(b"below ")
assert sorted("".join(heard["stdout"]).split()) == ["behind", "below"], dict(heard)
"""


@pytest.mark.skipif(not hasattr(CDLL(None), "printf"), reason="no C library to print with")
def test_what_waits_in_a_buffer_is_heard() -> None:
    """In a process of its own, whose buffers are those of a program that prints to a pipe."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    ended = subprocess.run(
        [sys.executable, "-c", PRINTS], env=kept, capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
