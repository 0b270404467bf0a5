"""Compiled steps take what vectorised ones take, to the last bit, and are optional."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import peekproof
from guess.median.steppings import compiled, needs_numba
from peekproof.guess.median import sampled as stepping_module
from peekproof.guess.median.constraint import Constraint, NoneConsistent
from peekproof.guess.median.sampled import (
    Bounds,
    Chains,
    Mixing,
    SampledHolder,
    Stepping,
    Vectorised,
    fastest,
)

LARGEST = 2**61  # so that a few records' totals are near 2⁶², where they must stay below


def problem(
    *, seed: int, cells: int, size: int, count: int, constraints: int, largest: int
) -> tuple[Bounds, Chains]:
    """Windows around the totals of a data set that exists; most chains start outside."""
    rng = np.random.default_rng(seed)
    numerators = rng.integers(largest // size, size=(constraints, cells), endpoint=True)
    records = rng.integers(cells, size=(size, count), dtype=np.int32)
    middle = numerators[:, rng.integers(cells, size=size)].sum(axis=1)
    reach = rng.integers(largest // size, size=constraints, endpoint=True)
    bounds = Bounds(numerators=numerators, low=middle - reach, high=middle + reach)
    return bounds, Chains(records=records, totals=bounds.totals(records), cells=cells)


@needs_numba
@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    cells=st.integers(1, 9),
    size=st.integers(1, 12),
    count=st.integers(1, 9),
    constraints=st.integers(1, 12),
    largest=st.sampled_from((12, 2**30, LARGEST)),
)
def test_both_take_the_same_proposals(
    seed: int, cells: int, size: int, count: int, constraints: int, largest: int
) -> None:
    def run(stepping: Stepping) -> tuple[list[object], list[object], list[float]]:
        bounds, chains = problem(
            seed=seed, cells=cells, size=size, count=count, constraints=constraints, largest=largest
        )
        stepper, rng, shares = stepping(bounds), np.random.default_rng(seed), list[float]()
        chains.approach(stepper, steps=300, rng=rng)
        approached = chains.records.tolist()
        inside = bounds.inside(chains.totals)
        if inside.any():
            chains = Chains(
                records=chains.records[:, inside], totals=chains.totals[:, inside], cells=cells
            )
            shares.append(chains.walk(stepper, steps=300, rng=rng, each=lambda: None))
            assert bounds.inside(chains.totals).all()
        assert (chains.totals == bounds.totals(chains.records)).all()
        return approached, chains.records.tolist(), shares

    assert run(compiled) == run(Vectorised)


def guesses(stepping: Stepping) -> tuple[list[Fraction | NoneConsistent], tuple[Mixing, ...]]:
    rng = np.random.default_rng(3)
    truth = rng.integers(90, size=700) // 3
    holder = SampledHolder(cells=90, size=150, seed=11, chains=40, sweeps=4, stepping=stepping)
    found = list[Fraction | NoneConsistent]()
    for _ in range(8):
        values = rng.random(90)
        found.append(holder.median(values))
        answer = Fraction(float(values[truth].mean()))
        holder.keep(Constraint.around(values, answer, within=Fraction(1, 40)))
    return found, holder.mixing


@needs_numba
def test_guesses_and_diagnostics_do_not_depend_on_how_steps_are_taken() -> None:
    found, mixing = guesses(compiled)

    assert (found, mixing) == guesses(Vectorised)
    assert len(set(found)) == len(mixing) == 8


@needs_numba
def test_compiled_steps_are_the_default() -> None:
    from peekproof.guess.median.compiled import Compiled  # noqa: PLC0415 (optional)

    assert fastest() is Compiled


def test_without_numba_steps_are_vectorised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepping_module, "find_spec", lambda name: None)
    assert fastest() is Vectorised


def test_a_numba_that_does_not_work_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepping_module, "find_spec", lambda name: name)
    monkeypatch.delitem(sys.modules, "peekproof.guess.median.compiled", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ImportError
    assert fastest() is Vectorised


def test_numba_is_imported_only_by_a_holder_that_samples() -> None:
    code = (
        "import sys, peekproof; from peekproof.guess.median.sampled import SampledHolder; "
        "peekproof.open, peekproof.consistent_median; print('numba' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(peekproof.__file__).parents[1])}
    heard = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert heard.stdout.strip() == "False"
