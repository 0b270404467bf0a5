"""What one more charge costs after many: filters and odometers, ours and theirs."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import final

from accounting.isolated import quiet

CHECKPOINTS = (1_000, 10_000, 100_000, 1_000_000)
SAMPLES = 101
Charge = Callable[[], object]


@final
@dataclass(frozen=True, slots=True)
class Jumping:
    """The state after any number of charges can be written down; `after` makes the next charge."""

    after: Callable[[int], Charge]


@final
@dataclass(frozen=True, slots=True)
class Walking:
    """The state must be reached charge by charge."""

    start: Callable[[], Charge]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Median seconds of a charge after so many, and where patience ended."""

    name: str
    seconds: dict[int, float]
    note: str = ""


def _median(charge: Charge) -> float:
    taken = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        charge()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def _walked(name: str, start: Callable[[], Charge], *, patience: float) -> Growth:
    charge, begun = start(), time.perf_counter()
    seconds: dict[int, float] = {}
    made = 0
    for checkpoint in CHECKPOINTS:
        while made < checkpoint - SAMPLES:
            if time.perf_counter() - begun > patience:
                note = f"stopped after {patience:g} s at {made:,} charges"
                return Growth(name=name, seconds=seconds, note=note)
            charge()
            made += 1
        seconds[checkpoint] = _median(charge)
        made += SAMPLES
    return Growth(name=name, seconds=seconds)


def grow(name: str, contender: Jumping | Walking, *, patience: float) -> Growth:
    """The cost of a charge at every checkpoint that is reached in time."""
    with quiet():
        match contender:
            case Walking(start):
                return _walked(name, start, patience=patience)
            case Jumping(after):
                return Growth(name=name, seconds={n: _median(after(n)) for n in CHECKPOINTS})


def measure(*, patience: float) -> list[Growth]:
    """Every filter and odometer in turn; a package that is missing is a row that says so."""
    found: list[Growth] = []
    for module in ("online_ours", "online_peers"):
        contenders: dict[str, Callable[[], Jumping | Walking]] = import_module(
            f"accounting.{module}"
        ).CONTENDERS
        for name, make in contenders.items():
            try:
                found.append(grow(name, make(), patience=patience))
            except Exception as error:
                note = f"{type(error).__name__}: {str(error)[:120]}"
                found.append(Growth(name=name, seconds={}, note=note))
    return found
