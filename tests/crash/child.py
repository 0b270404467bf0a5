"""A process that opens a file, asks questions without end, and may kill itself at a named step.

python child.py CSV FIRST STEP NTH

Asks `age > FIRST`, `age > FIRST + 1`, … and writes one line of JSON before each question and one
after each answer. STEP is like "settle:before", and NTH counts the calls; with "-" for STEP it
waits for the file CSV.go, so that several can start together.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdfast
from holdfast.data.table import Table
from holdfast.ledger import file as file_module
from holdfast.ledger import sqlite as sqlite_module
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.witness import Witness
from holdfast.mechanisms.gaussian import Gaussian

STEPS: dict[str, tuple[Any, str]] = {
    "link": (os, "link"),
    "first entry": (file_module, "insert"),
    "entry": (sqlite_module, "insert"),
    "reserve": (Ledger, "reserve"),
    "count": (Table, "count"),
    "release": (Gaussian, "release"),
    "settle": (Ledger, "settle"),
    "witness": (Witness, "saw"),
}


def say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(step: str, nth: int) -> None:
    name, _, when = step.partition(":")
    home, attribute = STEPS[name]
    plain: Callable[..., object] = getattr(home, attribute)
    calls = 0

    def deadly(*arguments: object, **keywords: object) -> object:
        nonlocal calls
        calls += 1
        if calls == nth and when == "before":
            die()
        result = plain(*arguments, **keywords)
        if calls == nth and when == "after":
            die()
        return result

    setattr(home, attribute, deadly)


def main(csv: str, first: int, step: str, nth: int) -> None:
    if step != "-":
        arm(step, nth)
    with holdfast.open(csv) as data:
        say(ready=data.remaining)
        while step == "-" and not Path(f"{csv}.go").exists():
            time.sleep(0.001)
        number = first
        while data.remaining:
            say(asking=f"age > {number}")
            answer = data.ask(f"age > {number}")
            say(
                answered=answer.question,
                value=str(answer.released),
                remaining=answer.remaining,
                replayed=answer.replayed,
            )
            number += 1
        signal.pause()  # nothing left to ask: wait to be killed


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
