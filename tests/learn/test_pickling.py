"""A holdout that is copied, pickled and forked has one budget."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import peekproof
from learn.holdouts import Cut, opened, rows
from ledger.postgres_server import Database
from peekproof.learn import opening
from peekproof.learn.opening import _Opened


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if what is unpickled were in a process that has opened nothing yet."""
    monkeypatch.setattr(opening, "_opened", _Opened())


def test_copies_are_the_holdout_itself(tmp_path: Path) -> None:
    for place in (None, tmp_path / "ledger"):
        with opened(place) as holdout:
            assert copy.copy(holdout) is holdout
            assert copy.deepcopy({"held": [holdout]})["held"][0] is holdout
            assert clone(holdout, safe=False) is holdout


def test_a_ledger_in_memory_is_not_pickled_and_the_error_says_to_name_a_file() -> None:
    with opened(None) as holdout:
        for each in (holdout, holdout.scorer(), holdout.as_analyst("ann")):
            with pytest.raises(peekproof.InvalidInput, match="name a file") as caught:
                pickle.dumps(each)
            assert caught.value.argument == "ledger"


def test_in_the_same_process_what_is_unpickled_shares_the_session(tmp_path: Path) -> None:
    with opened(tmp_path / "ledger") as holdout:
        again = pickle.loads(pickle.dumps(holdout))
        assert again.desk is holdout.desk
        other = pickle.loads(pickle.dumps(holdout.as_analyst("ann")))
        assert other.desk is not holdout.desk
        assert other.desk.session.analyst == "ann"


def test_elsewhere_it_is_opened_again_once_on_the_same_ledger(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with opened(tmp_path / "ledger") as holdout:
        first = holdout.score(Cut(), guess=0.8)
        sent = pickle.dumps(holdout)
        request.getfixturevalue("elsewhere")
        one, two = pickle.loads(sent), pickle.loads(sent)
        assert one.desk is two.desk is not holdout.desk
        assert one.score(Cut()).value == first.value
        assert (one.left, one.metric) == (99, holdout.metric)
        one.score(Cut(0.1), guess=0.8)
        assert holdout.left == two.left == 98
        one.close()
        assert pickle.loads(sent).left == 98  # opened again, for it was closed
        pickle.loads(sent).close()


@pytest.mark.usefixtures("elsewhere")
def test_threads_that_unpickle_together_open_it_once(tmp_path: Path) -> None:
    with opened(tmp_path / "ledger") as holdout:
        sent = pickle.dumps(holdout)
    start = threading.Barrier(8)

    def unpickled(_: int) -> peekproof.Holdout:
        start.wait()
        return pickle.loads(sent)  # type: ignore[no-any-return]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(unpickled, range(8)))
    assert len({id(each.desk) for each in found}) == 1
    found[0].close()


def test_everything_that_was_said_at_the_opening_travels(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    features, labels = rows(0)
    held = peekproof.Holdout(
        pl.DataFrame({"a": features[:, 0], "b": features[:, 1]}),
        np.array(["no", "yes"])[labels],
        ledger=tmp_path / "ledger",
        groups={"side": np.where(features[:, 1] > 0, "left", "right"), "size": features[:, 1]},
        training=rows(1),
        questions=20,
        analyst="ann",
    )
    with held:
        sent = pickle.dumps(held)
    request.getfixturevalue("elsewhere")
    with pickle.loads(sent) as again:
        session = again.desk.session
        assert (session.analyst, again.left) == ("ann", 20)
        assert session.schema.columns.keys() == {"side", "size", "label"}
        assert (
            again.desk.session.ledger.opening.fingerprint
            == held.desk.session.ledger.opening.fingerprint
        )
        assert again._scores.features.equals(held._scores.features)
        assert again._scores.trained.labels.rows == 400


@pytest.mark.usefixtures("elsewhere")
def test_a_ledger_that_is_gone_or_another_one_is_never_made_up_for(tmp_path: Path) -> None:
    place = tmp_path / "ledger"
    with opened(place) as holdout:
        holdout.score(Cut(), guess=0.8)
        sent = pickle.dumps(holdout)
    opening._opened = _Opened()
    place.rename(tmp_path / "kept")
    with pytest.raises(peekproof.LedgerUnavailable, match="not to be found"):
        pickle.loads(sent)
    assert not place.exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", "none")  # nothing else tells the two apart
        opened(place).close()
        with pytest.raises(peekproof.LedgerMismatch, match="taken the place"):
            pickle.loads(sent)
    shutil.move(tmp_path / "kept", place)
    with pickle.loads(sent) as again:
        assert again.left == 99


@pytest.mark.usefixtures("elsewhere")
def test_a_relative_place_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    holdout = opened("ledger")
    monkeypatch.chdir("other")
    sent = pickle.dumps(holdout)
    holdout.close()
    opening._opened = _Opened()
    with pickle.loads(sent) as again:
        assert again.left == 100
    assert not (tmp_path / "other" / "ledger").exists()


@pytest.mark.usefixtures("elsewhere")
def test_a_holdout_in_postgresql_travels_with_what_connecting_takes(database: Database) -> None:
    with opened(database.place("held")) as holdout:
        sent = pickle.dumps(holdout)
        opening._opened = _Opened()
        with pickle.loads(sent) as again:
            again.score(Cut(), guess=0.8)
            assert again.desk is not holdout.desk
        assert holdout.left == 99


def test_the_same_rows_in_another_order_are_not_taken_for_these(tmp_path: Path) -> None:
    features, labels = rows(0)
    place = tmp_path / "ledger"
    with (
        peekproof.Holdout(features, labels, ledger=place, questions=10) as one,
        peekproof.Holdout(features[::-1], labels[::-1], ledger=place) as other,
    ):
        sent = pickle.dumps(other)
        pickle.dumps(one)
        assert pickle.loads(sent).desk is other.desk


FORK = """
import os, pickle, sys
import peekproof
from learn.holdouts import Cut, opened, rows

shared, alone = opened(sys.argv[1]), peekproof.Holdout(*rows(1), questions=100)
for each in (shared, alone):
    each.score(Cut(), guess=0.8)
sent = pickle.dumps(shared)
attempts = [
    lambda: shared.score(Cut(0.1), guess=0.8),
    lambda: alone.score(Cut(0.1), guess=0.8),
    lambda: shared.left,
    lambda: alone.left,
    lambda: opened(None),
    lambda: pickle.loads(sent),
    lambda: pickle.dumps(shared),
]
child = os.fork()
if not child:
    refused = 0
    for each in attempts:
        try:
            each()
        except peekproof.LedgerUnavailable as error:
            refused += "forked" in str(error) and "spawn" in str(error)
    os._exit(refused)
refused = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(refused == len(attempts), shared.left, alone.left)
"""


def test_a_forked_process_is_refused_instead_of_waiting_for_ever(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", FORK, str(tmp_path / "ledger")],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)},
    ).stdout
    assert found.split() == ["True", "99", "99"]
