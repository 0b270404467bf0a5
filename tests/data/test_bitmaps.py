"""Bits of atoms: bounded, shared by threads, and never a change of any count."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from peekproof.data import totals as engine_module
from peekproof.data import totals as plan_module
from peekproof.data.evaluate import below, up_to
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.data.totals import Bitmaps, Bits, fill, ones, unpacked
from peekproof.query.question import parse_question

ROWS = 1000


def table(*, room: int = 2**20) -> Table:
    rng = np.random.default_rng(2)
    numbers = np.where(rng.random((3, ROWS)) < 0.1, np.nan, rng.random((3, ROWS)))
    held = in_memory(dict(zip("xyz", numbers, strict=True)))
    return Table(held._frame, held.schema, room=room)


def counts(held: Table, *texts: str) -> list[int]:
    return [each.reveal() for each in held.count([parse_question(t, held.schema) for t in texts])]


@pytest.mark.parametrize("rows", [1, 7, 8, 63, 64, 65, 1000])
def test_bits_are_what_was_written(rows: int) -> None:
    truth = np.random.default_rng(rows).random(rows) < 0.5
    (bits,) = Bitmaps(rows=rows, room=2**20).blank(["a"]).values()
    for start in range(0, rows, 16):
        fill(bits, start, truth[start : start + 16])
    assert ones(bits) == truth.sum()
    assert unpacked(bits, 0, rows).tolist() == truth.tolist()
    assert unpacked(bits, 8, rows - 8).tolist() == truth[8:].tolist() if rows > 8 else True


def test_those_used_last_stay() -> None:
    bitmaps = Bitmaps(rows=64, room=3 * 8)
    for atom in "abc":
        bitmaps.keep({atom: np.zeros(8, np.uint8)})
    bitmaps.known(["a"])
    bitmaps.keep({"d": np.zeros(8, np.uint8)})
    assert set(bitmaps.known("abcd")) == {"a", "c", "d"}


def test_no_room_keeps_nothing() -> None:
    bitmaps = Bitmaps(rows=64, room=7)
    assert bitmaps.blank("ab") == {}
    bitmaps.keep({"a": np.zeros(8, np.uint8)})
    assert bitmaps.known("a") == {}


def held_atoms(held: Table) -> dict[str, Bits]:
    return dict(held._bitmaps._held)


def test_known_atoms_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held = table()
    texts = ("x > 0.5", "y < 0.3 and z > 0.1")
    (both,) = counts(held, f"{texts[0]} and {texts[1]}")
    alone = [counts(held, text)[0] for text in ("x > 0.5", "y < 0.3", "z > 0.1")]

    def computed(*_: object, **__: object) -> object:
        raise AssertionError

    monkeypatch.setattr(engine_module, "Plan", computed)
    assert counts(held, "x > 0.5 and y < 0.3 and z > 0.1") == [both]
    assert counts(held, "x > 0.5", "y < 0.3", "z > 0.1") == alone


def test_a_batch_of_literals_drives_out_nothing() -> None:
    held = table(room=20 * 128)
    counts(held, "x > 0.5 and y < 0.3")
    before = set(held_atoms(held))
    counts(held, *(f"x > {i / 1000} and y < {i / 999}" for i in range(500)))
    assert set(held_atoms(held)) == before
    counts(held, *(f"x > {i / 1000} and z < 0.25" for i in range(500)))
    assert len(held_atoms(held)) == len(before) + 1


def test_room_is_never_more_than_half_of_the_rows() -> None:
    held = table(room=2**40)
    for i in range(200):
        counts(held, f"x > {i / 200}")
    size = sum(bits.nbytes for bits in held_atoms(held).values())
    assert 0 < size <= held._frame.estimated_size() / 2
    held.close()
    assert held_atoms(held) == {}


@pytest.mark.parametrize("chunk", [8, 128, 2**17])
def test_many_literals_count_like_one_by_one(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough of them for places on a ladder, with values that lie on its steps."""
    monkeypatch.setattr(plan_module, "CHUNK", chunk)
    held = in_memory({"x": [*np.arange(600) / 2, np.nan, np.inf, -np.inf], "y": np.arange(603)})
    texts = [f"x {sign} {i / 2}" for i in range(300) for sign in ("<", "<=", ">", ">=")]
    texts += [f"x > {i} and y <= {i}" for i in range(300)]
    forgetful = Table(held._frame, held.schema, room=0)
    assert counts(held, *texts) == [counts(forgetful, text)[0] for text in texts]


@pytest.mark.parametrize("ends", [1, 2, 3, 7, 8, 100])
def test_places_are_those_of_a_search(ends: int) -> None:
    rng = np.random.default_rng(ends)
    edges = np.sort(rng.integers(-50, 50, ends)).astype(float)
    values = np.concatenate([rng.integers(-60, 60, 500).astype(float), [np.inf, -np.inf, -0.0]])
    assert below(edges, values).tolist() == np.searchsorted(edges, values, "left").tolist()
    assert up_to(edges, values).tolist() == np.searchsorted(edges, values, "right").tolist()
    assert below(edges, np.array([np.nan])).tolist() == [0]


def test_threads_may_share_a_table() -> None:
    held = table(room=6 * 128)
    texts = [f"x > {i % 7 / 7} and y < {i % 5 / 5}" for i in range(70)]
    expected = [counts(table(room=0), text)[0] for text in texts]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(lambda text: counts(held, text)[0], texts)) == expected
