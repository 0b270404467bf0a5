"""Snapshots that several processes save at once never make a sound ledger look damaged."""

from __future__ import annotations

from pathlib import Path

from ledger.engines import files
from peekproof.ledger.snapshot import taken
from peekproof.testing.ledgers import Engine, answer, first_entry, save


def test_a_snapshot_saved_during_verification_is_not_damage(engine: Engine) -> None:
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    with engine.opened(place) as (_, ledger), engine.opened(place) as (store, other):
        answer(ledger, "p")

        def meanwhile(*_: int) -> None:
            if store.snapshot() is None:
                save(store, other)

        assert ledger.verify(progress=meanwhile) == 2


def test_a_process_that_saves_late_does_not_bring_back_an_older_snapshot(tmp_path: Path) -> None:
    engine = files(tmp_path)
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    with engine.opened(place) as (late, ledger), engine.opened(place) as (early, other):
        answer(ledger, "p")
        older = taken(ledger.look())
        answer(other, "q")
        save(early, other)
        late.save(older, [("p", 2)])
        assert ledger.verify() == 3
