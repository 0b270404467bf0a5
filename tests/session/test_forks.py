"""Forked processes: what would wait for threads that are not there is refused, not left waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import peekproof
from session.people import people, write_csv

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here")

FORKING = """
import os, signal, sys, threading, warnings
warnings.simplefilter("ignore")  # newer versions of Python warn of forks
import peekproof

csv, act = sys.argv[1:]
if act == "open after Polars":
    import polars
    polars.DataFrame({"a": [1, 2]}).lazy().select(polars.col("a").sum()).collect()
elif act != "open first":
    held = peekproof.open(csv)
    held.ask("age > 30")
if act == "use while others ask":
    def asking():
        number = 0
        while True:
            number += 1
            held.ask(f"income > {number}")
    for _ in range(8):
        threading.Thread(target=asking, daemon=True).start()
child = os.fork()
if child == 0:
    signal.alarm(30)  # whoever hangs dies of it
    try:
        if act.startswith("use"):
            for each in (lambda: held.ask("age > 30"), lambda: held.remaining, held.answers):
                try:
                    each()
                except peekproof.LedgerUnavailable:
                    continue
                os._exit(2)
            os._exit(1)
        with peekproof.open(csv) as again:
            again.ask("age > 50")
    except peekproof.LedgerUnavailable as error:
        os.write(1, str(error).encode())
        os._exit(1)
    os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
"""


@pytest.mark.parametrize(
    ("act", "code"),
    [
        ("open first", 0),  # importing Peekproof starts no threads
        ("open again", 1),
        ("open after Polars", 1),
        ("use", 1),
        ("use while others ask", 1),
    ],
)
def test_a_forked_process_works_or_is_refused_and_never_hangs(
    act: str, code: int, tmp_path: Path
) -> None:
    csv = write_csv(tmp_path / "people.csv", people())
    done = subprocess.run(
        [sys.executable, "-c", FORKING, str(csv), act],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(peekproof.__file__).parent.parent)},
    )
    assert done.returncode == code, done.stderr
    if act.startswith("open") and code:
        assert b"cannot be used in a process that was forked" in done.stdout
        assert b'get_context("spawn")' in done.stdout
