"""Predictions scored over HTTP: answered, repeated for free, refused for nothing."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import peekproof
from peekproof.server.dataset import open_all
from peekproof.server.routes.scores import scored_on
from peekproof.server.settings import Dataset, Limits, Settings, from_file
from server.gateways import Running, held, running
from server.guests import token
from server.labelled import ROWS, Labelled, holdout, ids, labelled, send_best, send_score


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    return labelled(tmp_path_factory.mktemp("labels"))


@pytest.fixture(scope="module")
def gateway(found: Labelled, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("gateway")
    texts = folder / "texts.csv"
    words = ["yes", "no", "perhaps"] * 200
    pl.DataFrame({"answer": words}).write_csv(texts)
    datasets = (
        holdout(found),
        Dataset(name="texts", source=str(texts), label="answer", questions=200),
        held(folder),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        limits = Limits(rate=0, body=100_000, scores=200_000)
        with running(folder, *datasets, audit_log=folder / "audit", limits=limits) as started:
            yield started


def asked(gateway: Running, dataset: str = "labels") -> int:
    return int(gateway.send("GET", f"/v1/datasets/{dataset}/budget").json["asked"])


# What is answered ----------------------------------------------------------------------------


def test_a_score_is_answered_and_its_repeat_is_free(gateway: Running, found: Labelled) -> None:
    predictions, before = found.right(0.8), asked(gateway)
    first = send_score(gateway, predictions, 0.8)
    again = send_score(gateway, predictions, 0.3)
    assert (first.status, again.status) == (200, 200)
    assert first.json["low"] <= found.score(predictions) <= first.json["high"]
    assert first.json["value"] == again.json["value"] == 0.8
    assert [first.json["replayed"], again.json["replayed"]] == [False, True]
    assert asked(gateway) == before + 1


def test_a_guess_that_fails_is_told_to_a_bin_and_counted(gateway: Running, found: Labelled) -> None:
    budget = "/v1/datasets/labels/budget"
    before = gateway.send("GET", budget).json["failures"]
    predictions = found.right(0.8, seed=2)
    said = send_score(gateway, predictions, 0.1).json
    assert gateway.send("GET", budget).json["failures"] == before + 1
    assert abs(said["value"] - found.score(predictions)) < 0.05
    assert said["low"] < found.score(predictions) < said["high"]


def test_the_same_predictions_are_one_question_however_they_are_sent(
    gateway: Running, found: Labelled
) -> None:
    predictions = found.right(0.7, seed=3)
    packed = base64.b64encode(np.array(predictions, dtype="<f8").tobytes()).decode()
    shuffled = np.random.default_rng(1).permutation(ROWS)
    by_id = {
        "ids": [ids()[each] for each in shuffled],
        "values": [predictions[each] for each in shuffled],
    }
    forms: list[object] = [
        predictions,
        [int(each) for each in predictions],
        [bool(each) for each in predictions],
        {"values": predictions},
        {"doubles": packed},
        {"doubles": packed, "ids": ids()},
        by_id,
    ]
    said = [send_score(gateway, each, 0.7).json for each in forms]
    assert {each["records"][0]["digest"] for each in said} == {said[0]["records"][0]["digest"]}
    assert [each["replayed"] for each in said] == [False] + [True] * 6


def test_rows_where_a_condition_does_not_hold_count_nothing(
    gateway: Running, found: Labelled
) -> None:
    predictions = found.right(0.8, seed=4)
    hits = found.labels == np.asarray(predictions)
    south = float(np.mean(hits & (np.asarray(found.regions) == "south")))
    said = send_score(gateway, predictions, 0.4, where="region = 'south'").json
    assert said["low"] <= south <= said["high"]
    assert said["question"].endswith(", counting 0 unless region = 'south'")


def test_texts_are_scored_where_labels_are_texts(gateway: Running) -> None:
    said = send_score(gateway, ["yes"] * 600, 1 / 3, dataset="texts")
    assert said.status == 200
    assert said.json["low"] <= 1 / 3 <= said.json["high"]


def test_pairs_of_rows_are_scored_for_an_area_under_the_curve(
    gateway: Running, found: Labelled
) -> None:
    ranks = (found.labels + np.random.default_rng(31).normal(0, 1, ROWS)).tolist()
    parts = [
        send_score(gateway, ranks, guess, metric=metric)
        for metric, guess in (("concordant", 0.38), ("anticoncordant(1)", 0.12))
    ]
    again = send_score(gateway, ranks, 0.9, metric="concordant(1)").json
    assert [each.status for each in parts] == [200, 200]
    over, rest = (each.json for each in parts)
    area = float(roc_auc_score(found.labels, ranks))
    assert over["low"] / (over["low"] + rest["high"]) <= area
    assert area <= over["high"] / (over["high"] + rest["low"])
    assert "T-pairs" in over["theorems"]
    assert over["question"].startswith("pairs: concordant(1) of predictions ")
    assert (again["value"], again["replayed"]) == (over["value"], True)
    path = f"/v1/datasets/labels/answers/{over['records'][0]['digest']}"
    assert gateway.send("GET", path).json["terms"]["pairs"] == "true"


def test_the_best_of_several_is_told_and_its_repeat_is_free(
    gateway: Running, found: Labelled
) -> None:
    candidates, before = [found.right(share, seed=41) for share in (0.6, 0.9, 0.7)], asked(gateway)
    first, again = (send_best(gateway, candidates) for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    said = first.json
    assert (said["index"], said["candidates"], said["kind"]) == (1, 3, "choice")
    assert said["low"] <= found.score(candidates[1]) <= said["high"]
    assert [said["replayed"], again.json["replayed"]] == [False, True]
    assert asked(gateway) == before + 1
    shown = gateway.custodian
    assert gateway.send("POST", "/v1/datasets/labels/verify", token=shown).status == 200


def test_candidates_may_be_sent_in_any_form_and_by_any_metric_of_one(
    gateway: Running, found: Labelled
) -> None:
    good, poor = found.right(0.9, seed=42), found.right(0.6, seed=42)
    packed = base64.b64encode(np.array(good, dtype="<f8").tobytes()).decode()
    by_id = {"ids": ids()[::-1], "values": poor[::-1]}
    said = send_best(gateway, [by_id, {"doubles": packed}], metric="rest_of_brier").json
    assert said["index"] == 1
    assert said["low"] <= found.score(good) <= said["high"]


def test_other_routes_work_as_for_any_data_set(gateway: Running, found: Labelled) -> None:
    path, predictions = "/v1/datasets/labels", found.right(0.6, seed=5)
    digest = send_score(gateway, predictions, 0.6).json["records"][0]["digest"]
    share = gateway.send("POST", f"{path}/ask", {"question": "label = 1", "guess": 0.5})
    assert share.status == 200
    assert gateway.send("GET", f"{path}/answers/{digest}").json["certificate"]["radius"] > 0
    past = gateway.send("GET", f"{path}/answers?limit=1000").json["answers"]
    assert digest in [each["digest"] for each in past]
    shown = gateway.custodian
    assert gateway.send("POST", f"{path}/verify", token=shown).status == 200
    assert gateway.send("GET", f"{path}/ledger", token=shown).status == 200
    described = gateway.send("GET", path).json
    order = described["holdout"].pop("order")
    assert re.fullmatch("[0-9a-f]{32}", order)
    assert described["holdout"] == {
        "label": "number", "rows": ROWS, "ids": True, "metric": "accuracy"
    }  # fmt: skip
    assert {each["name"] for each in described["columns"]} == {"label", "region"}


def test_ids_are_listed_in_the_order_of_rows(gateway: Running) -> None:
    path = "/v1/datasets/labels/ids"
    assert gateway.send("GET", path).json == {"ids": ids(), "total": ROWS}
    assert gateway.send("GET", f"{path}?after=2&limit=2").json["ids"] == ids()[2:4]
    assert gateway.send("GET", "/v1/datasets/texts/ids").status == 404


# What is refused, for nothing ----------------------------------------------------------------

GOOD = [1.0] * ROWS
BAD: list[tuple[dict[str, object], str]] = [
    ({"predictions": [1.0]}, "3,000 rows"),
    ({"predictions": []}, "3,000 rows"),
    ({"predictions": [1.0] * (ROWS + 1)}, "3,000 rows"),
    ({"predictions": [[1.0, 0.0]] * ROWS}, "one label a row"),
    ({"predictions": ["1"] * ROWS}, "of numbers"),
    ({"predictions": [1.0, "1"] * (ROWS // 2)}, "a mixture"),
    ({"predictions": [[1.0], [1.0, 2.0]] * (ROWS // 2)}, "a mixture"),
    ({"predictions": {"values": [1.0] * ROWS, "doubles": "AAAA"}}, "both or neither"),
    ({"predictions": {}}, "both or neither"),
    ({"predictions": {"doubles": "AAAA"}}, "3 bytes"),
    ({"predictions": {"doubles": "?"}}, "base64"),
    ({"predictions": {"doubles": base64.b64encode(b"\xff" * 8 * ROWS).decode()}}, "missing"),
    ({"predictions": {"values": [1.0], "ids": ids()}}, "3,000 rows"),
    ({"predictions": {"values": [1.0] * ROWS, "ids": ids()[1:]}}, "2,999 ids"),
    ({"predictions": {"values": [1.0] * ROWS, "ids": [*ids()[1:], "x"]}}, "none of them"),
    ({"predictions": {"values": [1.0] * ROWS, "ids": [*ids()[1:], "row-7"]}}, "twice"),
    ({"predictions": [1.0] * ROWS, "metric": "acuracy"}, "did you mean 'accuracy'?"),
    ({"predictions": [1.0] * ROWS, "guess": 1.5}, "guess"),
    ({"predictions": [1.0] * ROWS, "tolerance": 0}, "tolerance"),
    ({"predictions": [1.0] * ROWS, "guess": 0.5, "tolerance": 0.5}, "tolerance"),
    ({"predictions": [1.0] * ROWS, "trained_on": 0}, "trained_on"),
    ({"predictions": [1.0] * ROWS, "where": "regoin = 'south'"}, "regoin"),
    ({"predictions": [1.0] * ROWS, "where": "label = 1) or (label = 0"}, ""),
    ({"predictions": [1.0] * ROWS, "where": "mean(label, 0, 1)"}, "a condition"),
    ({"predictions": [1.0] * ROWS, "where": "id = 'row-7'"}, "id"),
    ({"predictions": [1.0] * ROWS, "where": "row = '7'"}, "row"),
    ({"predictions": [1.0] * ROWS, "against": [1.0] * ROWS}, "as many as it compares"),
    ({"predictions": GOOD, "against": GOOD, "metric": "brier"}, "against must be left out"),
    ({"predictions": [1.0] * ROWS, "wehre": "label = 1"}, "unknown field `wehre`"),
]


@pytest.mark.parametrize(("body", "told"), BAD, ids=range(len(BAD)))
def test_what_cannot_be_scored_is_told_and_costs_nothing(
    body: dict[str, object], told: str, gateway: Running
) -> None:
    before = asked(gateway)
    said = gateway.send("POST", "/v1/datasets/labels/score", {"guess": 0.5, **body})
    assert said.status == 422
    assert told in said.json["detail"]
    assert asked(gateway) == before


BAD_CHOICES: list[tuple[dict[str, object], str]] = [
    ({"candidates": [GOOD]}, "length"),
    ({"candidates": []}, "length"),
    ({"candidates": [GOOD, [0.0]]}, "3,000 rows"),
    ({"candidates": [GOOD, GOOD]}, "different questions"),
    ({"candidates": [GOOD, {"values": GOOD, "ids": ids()}]}, "different questions"),
    ({"candidates": [GOOD, ["1"] * ROWS]}, "of numbers"),
    ({"candidates": [GOOD, [0.0] * ROWS], "metric": "acuracy"}, "did you mean 'accuracy'?"),
    ({"candidates": [GOOD, [0.0] * ROWS], "metric": "f1"}, "a mean over rows"),
    ({"candidates": [GOOD, [0.0] * ROWS], "metric": "concordant"}, "one of accuracy"),
    ({"candidates": [GOOD, [0.0] * ROWS], "metric": "gain(accuracy)"}, ""),
    ({"candidates": [GOOD, [0.0] * ROWS], "guess": 0.5}, "unknown field `guess`"),
]
BAD_PAIRS: list[tuple[dict[str, object], str]] = [
    ({"predictions": GOOD, "where": "label = 1"}, "where must be left out"),
    ({"predictions": GOOD, "against": GOOD}, "against must be left out"),
    ({}, "those of one model"),
    ({"predictions": ["a"] * ROWS}, "one number a row"),
    ({"predictions": [[1.0, 2.0]] * ROWS}, "one number a row"),
    ({"predictions": GOOD, "guess": 1.5}, "guess must be from 0 to 1"),
    ({"predictions": GOOD, "metric": "concordant([1])"}, "metric must be"),
    ({"predictions": GOOD, "metric": 'concordant("a")'}, "a class that labels can have"),
]


@pytest.mark.parametrize(("body", "told"), BAD_CHOICES, ids=range(len(BAD_CHOICES)))
def test_what_cannot_be_chosen_among_is_told_and_costs_nothing(
    body: dict[str, object], told: str, gateway: Running
) -> None:
    before = asked(gateway)
    said = gateway.send("POST", "/v1/datasets/labels/best-score", body)
    assert (said.status, told in said.json["detail"]) == (422, True), said.json
    assert asked(gateway) == before


@pytest.mark.parametrize(("body", "told"), BAD_PAIRS, ids=range(len(BAD_PAIRS)))
def test_what_cannot_be_ranked_is_told_and_costs_nothing(
    body: dict[str, object], told: str, gateway: Running
) -> None:
    before = asked(gateway)
    full = {"guess": 0.5, "metric": "concordant", **body}
    said = gateway.send("POST", "/v1/datasets/labels/score", full)
    assert (said.status, told in said.json["detail"]) == (422, True), said.json
    assert asked(gateway) == before


def test_too_many_candidates_for_one_body_are_refused(gateway: Running, found: Labelled) -> None:
    candidates, before = [found.right(0.6, seed=each) for each in range(50, 70)], asked(gateway)
    assert send_best(gateway, candidates).status == 413
    assert asked(gateway) == before


def test_other_data_has_no_best_score(gateway: Running) -> None:
    assert send_best(gateway, [[1.0], [0.0]], dataset="flights").status == 404


class Watched:
    """Labels that tell when they are looked at."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __getattr__(self, name: str) -> object:
        self.seen.append(name)
        raise RuntimeError("labels were looked at")


def test_refusals_do_not_depend_on_labels(
    gateway: Running, found: Labelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    served, watched = gateway.gateway.served["labels"].holdout, Watched()
    assert served is not None
    monkeypatch.setattr(served.held, "labels", watched)
    path = "/v1/datasets/labels"
    sent = [("score", {"guess": 0.5, **body}) for body, _ in BAD]
    sent += [("score", {"guess": 0.5, "metric": "concordant", **body}) for body, _ in BAD_PAIRS]
    sent += [("best-score", body) for body, _ in BAD_CHOICES]
    statuses = {gateway.send("POST", f"{path}/{name}", body).status for name, body in sent}
    assert (statuses, watched.seen) == ({422}, [])
    assert send_score(gateway, found.right(0.5, seed=12)).status == 500
    assert watched.seen != []  # once it is paid for


@pytest.mark.parametrize(
    ("predictions", "told"),
    [
        ([1.0] * 600, "of text"),
        (["yes\0"] * 600, "zero byte"),
        (["yes"] * 599 + ["x" * 400], "at most 333 characters"),
        ({"values": ["yes"] * 600, "ids": ["a"] * 600}, "this holdout has none"),
    ],
)
def test_texts_are_checked_before_they_are_charged(
    predictions: object, told: str, gateway: Running
) -> None:
    before = asked(gateway, "texts")
    said = send_score(gateway, predictions, dataset="texts")
    assert (said.status, told in said.json["detail"]) == (422, True), said.json
    assert asked(gateway, "texts") == before


def test_other_data_has_neither_scores_nor_ids(gateway: Running) -> None:
    said = send_score(gateway, [1.0], dataset="flights")
    assert (said.status, said.json["fields"]["what"]) == (404, "a holdout named 'flights'")
    assert gateway.send("GET", "/v1/datasets/flights/ids").status == 404
    assert gateway.send("GET", "/v1/datasets/flights").json["holdout"] is None


def test_predictions_may_be_longer_than_other_messages_and_not_without_end(
    gateway: Running,
) -> None:
    long = [" " * 20_000 + "1"]  # of white space, which says nothing
    spaced = json.dumps({"predictions": [1.0], "guess": 0.5}) + " " * 150_000
    sent = {name: spaced.encode() for name in ("labels", "flights")}
    status = {
        name: gateway.send("POST", f"/v1/datasets/{name}/score", body).status
        for name, body in sent.items()
    }
    assert status == {"labels": 422, "flights": 413}
    assert gateway.send("POST", "/v1/datasets/labels/ask", spaced.encode()).status == 413
    assert send_score(gateway, long * 11).status == 413


def test_a_column_that_was_lent_for_a_score_cannot_be_asked_about(
    gateway: Running, found: Labelled
) -> None:
    column = send_score(gateway, found.right(0.7, seed=6), 0.7).json["question"]
    said = gateway.send("POST", "/v1/datasets/labels/ask", {"question": column, "guess": 0.7})
    assert (said.status, said.json["type"]) == (422, "/v1/problems/unknown-column")


def test_a_token_for_other_data_meets_a_holdout_as_if_it_were_not_there(
    gateway: Running, found: Labelled
) -> None:
    other, before = token(gateway, datasets=["texts"]), asked(gateway)
    said = send_score(gateway, found.right(0.9), 0.9, token=other)
    nothing = send_score(gateway, found.right(0.9), 0.9, token=other, dataset="nothing")
    assert (said.status, nothing.status) == (404, 404)
    assert said.body == nothing.body.replace(b"nothing", b"labels")
    assert gateway.send("GET", "/v1/datasets/labels/ids", token=other).status == 404
    assert asked(gateway) == before


def test_the_log_has_the_question_and_neither_predictions_nor_the_score(
    gateway: Running, found: Labelled
) -> None:
    said = send_score(gateway, found.right(0.7, seed=8), 0.6875).json
    log = Path(str(gateway.gateway.settings.audit_log)).read_text().splitlines()
    line = json.loads(log[-1])
    assert line["route"] == "/v1/datasets/{dataset}/score"
    assert (line["digests"], line["new"]) == ([said["records"][0]["digest"]], 1)
    assert "0.6875" not in log[-1]
    assert len(log[-1]) < 1000


# At once, and again --------------------------------------------------------------------------


def test_a_request_sent_again_with_its_key_gets_its_reply_and_is_charged_once(
    gateway: Running, found: Labelled
) -> None:
    predictions, before = found.right(0.7, seed=9), asked(gateway)
    keyed = {"Idempotency-Key": "score-once"}
    first = send_score(gateway, predictions, 0.7, headers=keyed)
    again = send_score(gateway, predictions, 0.7, headers=keyed)
    other = send_score(gateway, found.right(0.7, seed=10), 0.7, headers=keyed)
    assert first.body == again.body
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status == 409
    assert asked(gateway) == before + 1


def test_the_same_predictions_at_the_same_time_are_charged_once(
    gateway: Running, found: Labelled
) -> None:
    predictions, before = found.right(0.7, seed=11), asked(gateway)
    together = threading.Barrier(8)

    def one(_: int) -> Any:
        together.wait(timeout=30)
        return send_score(gateway, predictions, 0.7).json

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(one, range(8)))
    assert sorted(each["replayed"] for each in said) == [False] + [True] * 7
    assert len({each["value"] for each in said}) == 1
    assert asked(gateway) == before + 1


def test_many_at_once_spend_the_budget_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    small = labelled(tmp_path / "small", rows=400, seed=3)
    with running(tmp_path, holdout(small, questions=10)) as gateway:

        def some(client: int) -> list[int]:
            seeds = [100 * client + number for number in range(3)]
            return [send_score(gateway, small.right(0.5, seed=each)).status for each in seeds]

        with ThreadPoolExecutor(8) as pool:
            statuses = [each for found in pool.map(some, range(8)) for each in found]
        assert statuses.count(200) == 10
        assert set(statuses) == {200, 409}
        budget = gateway.send("GET", "/v1/datasets/labels/budget").json
        assert (budget["asked"], budget["remaining"]) == (10, 0)
        replayed = gateway.send("POST", "/v1/datasets/labels/verify", token=gateway.custodian)
        assert replayed.json["kinds"]["answer"] == 10


def test_shares_keep_scores_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    small = labelled(tmp_path / "small", rows=400, seed=4)
    with running(tmp_path, holdout(small, questions=8, shares={"ann": "1/4"})) as gateway:
        statuses = [send_score(gateway, small.right(0.5, seed=each)).status for each in range(3)]
        assert statuses == [200, 200, 409]
        other = send_score(gateway, small.right(0.5, seed=9), token=token(gateway))
        assert other.status == 200


# Settings ------------------------------------------------------------------------------------


def test_a_file_of_settings_serves_a_holdout(
    found: Labelled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    (tmp_path / "labels.csv").write_bytes(found.path.read_bytes())
    config = tmp_path / "gateway.toml"
    config.write_text(
        '[gateway.limits]\nscores = 5\n[datasets.labels]\nsource = "labels.csv"\nlabel = "y"\n'
        'id = "id"\ngroups = ["region"]\nmetric = "accuracy"\n'
    )
    settings = from_file(config, {})
    assert settings.limits.scores == 5
    served = open_all(settings)["labels"]
    assert served.session.plan.target.questions == 10_000
    assert served.session.plan.mechanism.kind == "checking"
    served.close()
    again = open_all(settings)["labels"]  # with the promise of its ledger
    again.close()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"label": None}, "given together with label"),
        ({"label": None, "groups": (), "metric": "accuracy"}, "labels: id"),
        ({"rounds": 3}, "labels: rounds"),
        ({"failures": 3}, "labels: failures"),
        ({"tolerance": 0.1}, "labels: tolerance"),
        ({"mechanism": "gaussian"}, "checking, or left out"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'?"),
        ({"label": "z"}, "has no column 'z'"),
        ({"id": "z"}, "has no column 'z'"),
        ({"id": "region", "groups": ()}, "some that are there twice"),
        ({"groups": ("y",)}, "other columns than label and id"),
        (
            {"source": "postgresql://ann@db.example/lake#labels", "ledger": "x"},
            "one CSV or Parquet",
        ),
    ],
)
def test_settings_that_make_no_holdout_are_refused_before_a_ledger_is_made(
    given: dict[str, Any], told: str, tmp_path: Path
) -> None:
    own = labelled(tmp_path / "own", rows=50)
    dataset = holdout(own, **given)
    with pytest.raises(peekproof.PeekproofError, match=re.escape(told)):
        open_all(Settings(datasets=(dataset,), store=tmp_path / "store"))
    assert not Path(f"{own.path}.peekproof").exists()


def test_predictions_for_rows_in_another_order_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Predictions are in the order of rows: those of before would mean something else."""
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    own = labelled(tmp_path / "own", rows=50)
    settings = Settings(datasets=(holdout(own),), store=tmp_path / "store")
    orders = []
    for _ in range(2):
        served = open_all(settings)["labels"]
        found = scored_on(served)
        served.close()
        assert found is not None
        orders.append(found.order)
        pl.read_csv(own.path).reverse().write_csv(own.path)
    assert orders[0] != orders[1]


def test_rows_without_ids_in_another_order_are_other_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    own = labelled(tmp_path / "own", rows=50)
    settings = Settings(datasets=(holdout(own, id=None),), store=tmp_path / "store")
    open_all(settings)["labels"].close()
    pl.read_csv(own.path).reverse().write_csv(own.path)
    with pytest.raises(peekproof.LedgerMismatch):
        open_all(settings)
