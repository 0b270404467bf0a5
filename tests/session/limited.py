"""Sessions that a number of failed guesses ends, for the tests of this folder."""

import numpy as np

import peekproof
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.session.session import Session

ROWS, QUESTIONS = 20_000, 200
DATA = {"x": np.random.default_rng(1).random(ROWS), "y": np.arange(ROWS) % 100}


def limited(failures: int = 3, **arguments: object) -> Session:
    arguments = {"questions": QUESTIONS, "ledger": ":memory:", **arguments}
    return peekproof.open(
        DATA,
        mechanisms=[peekproof.LimitedChecking],
        failures=failures,
        **arguments,  # type: ignore[arg-type]
    )


def promised(session: Session) -> LimitedChecking:
    assert isinstance(session.plan.mechanism, LimitedChecking)
    return session.plan.mechanism


def fail(session: Session, *numbers: int) -> None:
    """Ask questions whose answer is near 0.9 with a guess of 0.1."""
    for number in numbers:
        session.ask(f"x > 0.1{number:03}", guess=0.1)
