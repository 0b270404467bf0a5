"""A holdout behind a gateway: the same scores as one here, certified here, one budget for all."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.metrics import roc_auc_score

import peekproof
from client.crowds import outcomes
from peekproof.client.http import VARIABLE, Calls
from peekproof.data.statistic import PairStatistic
from peekproof.learn.desk import Guessed
from peekproof.server.settings import Limits
from server.gateways import Running, held, running
from server.labelled import Labelled, holdout, ids, labelled

ROWS = 2000
OWN = {"ranked": 11, "chosen": 12, "empty": 13}  # data sets of one subject each, by their seeds
Array = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    return labelled(tmp_path_factory.mktemp("labels"), rows=ROWS)


@pytest.fixture(scope="module")
def gateway(found: Labelled, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("gateway")
    small = labelled(folder / "small", rows=300, seed=2)
    own = [labelled(folder / name, rows=ROWS, seed=seed) for name, seed in OWN.items()]
    datasets = (
        holdout(found),
        holdout(small, name="small", questions=10, id=None),
        *(holdout(each, name=each.path.parent.name) for each in own),
        held(folder),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder, *datasets, limits=Limits(rate=0)) as started:
            yield started


@pytest.fixture
def remote(gateway: Running) -> Iterator[peekproof.Holdout]:
    with connected(gateway) as found:
        yield found


def connected(gateway: Running, dataset: str = "labels", **given: Any) -> peekproof.Holdout:
    said: dict[str, Any] = {"X": None, "dataset": dataset, **given}
    found = peekproof.connect(gateway.address, gateway.analyst, **said)
    assert isinstance(found, peekproof.Holdout)
    return found


class Knows:
    """A model that has learned the answers by heart, and gets some of them wrong."""

    def __init__(self, labels: Array, wrong: int) -> None:
        self._labels, self._wrong = labels, wrong

    def predict(self, features: Array) -> Array:
        rows = features[:, 0].astype(int)
        found: Array = np.where(rows < self._wrong, 1 - self._labels[rows], self._labels[rows])
        return found


def scored(holdout: peekproof.Holdout, predictions: object, guess: float) -> peekproof.Answer:
    found = holdout.score(predictions, guess=guess)
    assert isinstance(found, peekproof.Answer)
    return found


def test_scores_are_those_of_a_holdout_here(remote: peekproof.Holdout, found: Labelled) -> None:
    with peekproof.Holdout(None, found.labels, questions=200) as local:
        for share, guess in ((0.8, 0.8), (0.7, 0.2), (0.6, 0.6)):
            predictions = found.right(share, seed=20)
            ours, theirs = (scored(each, predictions, guess) for each in (remote, local))
            assert ours.value == theirs.value
            assert (ours.low, ours.high) == (theirs.low, theirs.high)
        assert remote.failures == local.failures == 1
        assert local.remaining == remote.remaining


def test_an_area_under_the_curve_is_that_of_a_holdout_here(
    gateway: Running, tmp_path: Path
) -> None:
    found = labelled(tmp_path, rows=ROWS, seed=OWN["ranked"])
    ranks = found.labels + np.random.default_rng(32).normal(0, 1, ROWS)
    with (
        peekproof.Holdout(None, found.labels, questions=200) as local,
        connected(gateway, "ranked") as remote,
    ):
        ours, theirs = (each.score(ranks, metric="auc", guess=0.76) for each in (remote, local))
        assert (ours.value, ours.low, ours.high) == (theirs.value, theirs.low, theirs.high)
        assert ours.low <= roc_auc_score(found.labels, ranks) <= ours.high
        left = remote.left
        assert remote.score(ranks, metric="auc", guess=0.1).value == ours.value
        assert remote.left == left
        for recorded in remote.answers():
            assert recorded.certificate.verify() == recorded.certificate


def test_the_best_of_several_is_that_of_a_holdout_here(gateway: Running, tmp_path: Path) -> None:
    found = labelled(tmp_path, rows=ROWS, seed=OWN["chosen"])
    models = {str(share): found.right(share, seed=33) for share in (0.6, 0.9, 0.7)}
    with (
        peekproof.Holdout(None, found.labels, questions=200) as local,
        connected(gateway, "chosen") as remote,
    ):
        for metric in ("accuracy", "zero_one", "brier"):
            ours, theirs = (each.best(models, metric=metric) for each in (remote, local))
            assert (ours.name, ours.gap, str(ours)) == ("0.9", theirs.gap, str(theirs))
            assert ours.answer.to_dict()["low"] == theirs.answer.to_dict()["low"]
            assert ours.choice.certificate.verify() == ours.choice.certificate
        assert remote.best(models).choice.replayed
        assert (remote.left, remote.failures) == (local.left, local.failures) == (197, 3)


def test_a_choice_that_does_not_follow_from_its_record_is_none(
    gateway: Running, found: Labelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    spend = Calls.spend

    def altered(calls: Calls, path: str, message: Any) -> Any:
        reply = spend(calls, path, message)
        return {**reply, "index": 0, "chosen": "another"}

    monkeypatch.setattr(Calls, "spend", altered)
    models = [found.right(share, seed=34) for share in (0.6, 0.9)]
    with connected(gateway) as remote, pytest.raises(peekproof.GatewayUnavailable):
        remote.best(models)


def test_the_same_predictions_again_are_free(remote: peekproof.Holdout, found: Labelled) -> None:
    predictions = found.right(0.8, seed=21)
    first, left = remote.score(predictions, guess=0.8), remote.left
    again = scored(remote, np.asarray(predictions), 0.1)
    assert (first.value, again.replayed, remote.left) == (again.value, True, left)


def test_models_are_scored_by_the_features_that_are_given(
    gateway: Running, found: Labelled
) -> None:
    features = np.column_stack([np.arange(ROWS, dtype=np.float64), np.zeros(ROWS)])
    training = features[80:480] + np.array([0.0, 1.0]), found.labels[80:480]
    with connected(gateway, X=features, training=training) as remote:
        answer = remote.score(Knows(found.labels, wrong=100))
        left = remote.left
        with pytest.raises(peekproof.InvalidInput, match="400 rows of it"):
            remote.trained_on(features[80:480], found.labels[80:480])
        assert remote.left == left
    assert answer.value == 0.95  # as on the training rows, of which 20 of 400 are wrong too


def test_without_features_models_are_refused(remote: peekproof.Holdout, found: Labelled) -> None:
    left = remote.left
    with pytest.raises(peekproof.InvalidInput, match="give X"):
        remote.score(Knows(found.labels, wrong=0))
    with pytest.raises(peekproof.InvalidInput, match="one for each of the 2,000 rows"):
        remote.score([1.0])
    assert remote.left == left


def test_certificates_are_worked_out_here_and_again(
    remote: peekproof.Holdout, found: Labelled
) -> None:
    answer = scored(remote, found.right(0.75, seed=22), 0.75)
    certificate = answer.certificate.verify()
    assert certificate is not None
    assert any("fresh labels" in each for each in answer.certificate.assumptions)


def test_a_reply_that_does_not_follow_from_its_record_is_no_answer(
    remote: peekproof.Holdout, found: Labelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    spend = Calls.spend

    def altered(calls: Calls, path: str, message: Any, *, better: float) -> Any:
        reply = spend(calls, path, message)
        return {**reply, "low": reply["low"] + better}

    monkeypatch.setattr(Calls, "spend", lambda *given: altered(*given, better=0.01))
    with pytest.raises(peekproof.GatewayUnavailable, match="low does not follow"):
        remote.score(found.right(0.7, seed=23), guess=0.7)


def test_the_answer_to_other_predictions_is_no_answer(
    remote: peekproof.Holdout, found: Labelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    spend, other = Calls.spend, found.right(0.7, seed=24)

    def swapped(calls: Calls, path: str, message: Any) -> Any:
        return spend(calls, path, {**message, "predictions": other})

    monkeypatch.setattr(Calls, "spend", swapped)
    with pytest.raises(peekproof.GatewayUnavailable, match="another question"):
        remote.score(found.right(0.7, seed=25), guess=0.7)


def test_labels_do_not_come_over(remote: peekproof.Holdout) -> None:
    assert not np.any(remote.desk.labels.values)
    assert (remote.desk.labels.rows, remote.desk.labels.text) == (ROWS, False)


def test_ids_are_those_of_the_rows(gateway: Running, remote: peekproof.Holdout) -> None:
    assert remote.desk.ids() == ids(ROWS)
    with connected(gateway, "small") as small:
        assert small.desk.ids() is None


def test_conditions_about_groups_are_asked_there(
    remote: peekproof.Holdout, found: Labelled
) -> None:
    share = remote.desk.share("region = 'south'", Guessed(share=0.5))
    assert share.low <= found.regions.count("south") / ROWS <= share.high


def test_scores_so_far_are_listed(remote: peekproof.Holdout, found: Labelled) -> None:
    answer = scored(remote, found.right(0.7, seed=26), 0.7)
    last = remote.answers()[-1]
    assert (last.question, last.analyst) == (answer.question, "ann")


def test_nobody_scores_in_the_name_of_another(remote: peekproof.Holdout) -> None:
    with pytest.raises(peekproof.NotAllowed, match="token"):
        remote.as_analyst("bob")


def test_features_are_for_holdouts(gateway: Running) -> None:
    with pytest.raises(peekproof.InvalidInput, match="'flights', which is none"):
        connected(gateway, "flights")
    with peekproof.connect(gateway.address, gateway.analyst, dataset="flights") as session:
        assert isinstance(session, peekproof.Session)


def test_functions_of_pairs_do_not_travel(gateway: Running) -> None:
    pairs = PairStatistic(name="both", function=len)
    with peekproof.connect(gateway.address, gateway.analyst, dataset="flights") as session:
        assert isinstance(session, peekproof.Session)
        left = session.remaining
        with pytest.raises(peekproof.InvalidInput, match="a gateway runs no functions"):
            session.ask(pairs, guess=0.5)
        assert session.remaining == left


def test_a_holdout_is_one_whether_features_are_given_or_not(gateway: Running) -> None:
    plain: object = peekproof.connect(gateway.address, gateway.analyst, dataset="labels")
    assert isinstance(plain, peekproof.Holdout)
    plain.close()
    with pytest.raises(peekproof.GatewayUnavailable, match="closed"):
        plain.score([1.0] * ROWS, guess=0.5)


# Pickles and crowds --------------------------------------------------------------------------


def test_a_pickle_is_the_same_holdout(remote: peekproof.Holdout, found: Labelled) -> None:
    predictions = found.right(0.8, seed=27)
    answer = remote.score(predictions, guess=0.8)
    with pickle.loads(pickle.dumps(remote)) as again:
        assert again.score(predictions, guess=0.2).value == answer.value
        assert again.score(predictions).replayed


def test_a_pickle_has_the_token_unless_the_environment_has(
    gateway: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = gateway.analyst.encode()
    monkeypatch.delenv(VARIABLE, raising=False)
    with connected(gateway) as remote:
        assert secret in pickle.dumps(remote)
        monkeypatch.setenv(VARIABLE, gateway.analyst)
        without = pickle.dumps(remote)
        assert secret not in without
        pickle.loads(without).close()
        monkeypatch.delenv(VARIABLE)
        with pytest.raises(peekproof.Unauthenticated, match=VARIABLE):
            pickle.loads(without)


def crowd(gateway: Running, pool: Any, clients: int) -> None:
    """Clients that want more than there is get exactly what there is."""
    with connected(gateway, "crowd") as remote:
        found = pool.map(partial(outcomes, remote, 300), range(clients))
        told = [each for some in found for each in some]
        assert told.count("answered") == 10
        assert told.count("refused") == 3 * clients - 10
        assert remote.left == 0
        assert len(remote.answers()) == 10


@pytest.mark.parametrize("processes", [False, True])
def test_a_crowd_spends_the_budget_and_no_more(
    processes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    small = labelled(tmp_path / "small", rows=300, seed=5)
    pool: Any = ThreadPoolExecutor(8)
    if processes:
        pool = ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn"))
    with running(tmp_path, holdout(small, name="crowd", questions=10)) as gateway, pool:
        crowd(gateway, pool, clients=4 if processes else 8)
        verified = gateway.send("POST", "/v1/datasets/crowd/verify", token=gateway.custodian)
        assert json.loads(verified.body)["kinds"]["answer"] == 10


# Scores that would say nothing ---------------------------------------------------------------


def test_what_would_say_nothing_is_refused_before_it_is_charged(
    gateway: Running, found: Labelled
) -> None:
    """The shares of classes are paid for, each once: how rare one is, is not public before."""
    charges: dict[str, int] = {
        "recall(7)": 1,
        "precision(7)": 0,
        "f1(7)": 0,
        "auc(7)": 0,
        "balanced_accuracy(5, 6, 7)": 2,
        "accuracy": 0,
    }
    with connected(gateway, "empty") as remote:
        for metric, charged in charges.items():
            left, where = remote.left, "label = 7" if metric == "accuracy" else ""
            with pytest.raises(peekproof.InvalidInput, match="the interval would be from 0 to 1"):
                remote.score(found.right(0.8, seed=40), metric=metric, where=where)
            assert left - remote.left == charged


def test_groups_and_bins_that_would_say_nothing_cost_nothing(gateway: Running) -> None:
    chance = (np.arange(ROWS) + 0.5) / ROWS
    with connected(gateway, "empty") as remote:
        left = remote.left
        with pytest.raises(peekproof.InvalidInput, match="the interval would be from 0 to 1"):
            remote.calibration(chance, bins=100)
        with pytest.raises(peekproof.InvalidInput, match="the interval would be from 0 to 1"):
            remote.score_by(np.arange(ROWS) % 2, "region", values=[f"{n}" for n in range(90)])
        assert remote.left == left


def test_what_was_answered_stays_free_at_a_gateway(gateway: Running, found: Labelled) -> None:
    with connected(gateway, "empty") as remote:
        said = found.right(0.8, seed=41)
        first, left = remote.score(said, metric="recall", guess=0.8), remote.left
        again = remote.score(said, metric="recall", guess=0.5)
        assert (again.low, again.high, remote.left) == (first.low, first.high, left)
