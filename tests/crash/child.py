"""Processes that open a file, ask questions without end, and may kill themselves at a named step.

python child.py

Has everything imported and nothing open, and forks a child for every request, a line of JSON with
a CSV, FIRST, STEP, NTH, the file to write to and the witness; it answers with the child's number.
A request with "ended" alone is answered with how that child ended, or null while it lives.

A child asks `age > FIRST`, `age > FIRST + 1`, … and writes one line of JSON before each question
and one after each answer. STEP is like "write:before", and NTH counts the calls; with "-" for
STEP it waits for the file CSV.go, so that several can start together.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peekproof.data.table import Table
from peekproof.ledger import sqlite
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import Witness
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.session.opening import open as open_data

STEPS: dict[str, tuple[Any, str]] = {
    "link": (os, "link"),
    "entry": (sqlite, "insert"),  # the first one opens the ledger
    "count": (Table, "count"),
    "release": (Gaussian, "release"),
    "write": (Ledger, "write"),
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
    with open_data(csv) as data:
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


def born(request: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        heard = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(heard, sys.stdout.fileno())
        os.environ["PEEKPROOF_WITNESS"] = request["witness"]
        main(request["csv"], request["first"], request["step"], request["nth"])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)  # nobody who should be killed gets here


def serve() -> None:
    living: set[int] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if "ended" in request:
            child, status = os.waitpid(request["ended"], os.WNOHANG)
            living.discard(child)
            say(code=os.waitstatus_to_exitcode(status) if child else None)
        else:
            living.add(child := born(request))
            say(child=child)
    for child in living:
        os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    serve()
