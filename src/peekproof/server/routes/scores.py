"""Scoring: predictions for the rows of a holdout, charged as the questions that they are."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from msgspec import Struct
from starlette.responses import Response

from peekproof.core.errors import InvalidInput, NotServed
from peekproof.learn.column import Predictions, blank_labels
from peekproof.learn.desk import Guessed
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.named import metric_of, pairs_of
from peekproof.learn.metrics.ranked import Ranked
from peekproof.learn.opening import desk_of
from peekproof.learn.score import LargestScore, MeanScore, PairScore, Score
from peekproof.server import messages
from peekproof.server.dataset import Served
from peekproof.server.endpoint import DATASET, Call, Endpoint, as_json
from peekproof.server.holdouts import ServedHoldout, read_predictions
from peekproof.server.replies import Chosen, Number, Replying

_PAGE = 100_000


class Scored(Struct, kw_only=True, frozen=True):
    """What a holdout takes: labels of which kind for how many rows, by ids too, and its metric.

    `order` names the order of the rows: the same predictions in another are another question.
    """

    label: str
    rows: int
    order: str
    ids: bool
    metric: str


class Ids(Struct, kw_only=True, frozen=True):
    """A page of the ids of rows, in the order of rows, and how many there are in all."""

    ids: list[str]
    total: int


def scored_on(served: Served) -> Scored | None:
    """What is public of a holdout; nothing for other data."""
    found = served.holdout
    if found is None:
        return None
    return Scored(
        label="text" if found.blank.text else "number",
        rows=found.blank.rows,
        order=found.blank.order,
        ids=found.ids is not None,
        metric=found.metric.text,
    )


async def score(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_scored, call)))


async def best(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_best, call)))


async def ids(call: Call) -> Response:
    known = _holdout(call).ids
    if known is None:
        raise NotServed(what="a list of ids")
    after = call.number("after", default=0, most=10**10)
    most = call.number("limit", default=_PAGE, most=_PAGE)
    return as_json(Ids(ids=known.texts[after : after + most], total=len(known.texts)))


def _scored(call: Call) -> Number:
    """The answer to a score, refused by what is public alone: real labels take no part in that."""
    message, holdout = call.message, _holdout(call)
    desk = desk_of(call.session, holdout.held)
    score: Score
    if message.metric is not None and (ranked := pairs_of(message.metric)) is not None:
        score = _ranked(call, holdout, ranked)
    else:
        metric, given = _metric(call, holdout), [message.predictions, message.against]
        predictions, where = _read(call, holdout, given), message.where.strip()
        score = _checked(metric, holdout, predictions)
        if where:
            score = replace(score, where=desk.condition(where))
    guess = Guessed(share=message.guess, tolerance=message.tolerance, trained_on=message.trained_on)
    found = desk.ask(score, guess)
    call.noted.update(digests=[score.digest], new=0 if found.replayed else 1)
    return Replying(call.session.ledger).score(score, found)


def _ranked(call: Call, holdout: ServedHoldout, metric: Ranked) -> PairScore:
    """A share of all pairs of rows, by the order of the predictions."""
    for name in ("where", "against"):
        if getattr(call.message, name):
            accepted = f"left out for {metric.NAME}, which is about all pairs of rows"
            raise InvalidInput(argument=name, accepted=accepted, given="something")
    return PairScore.of(metric, holdout.blank, *_read(call, holdout, [call.message.predictions]))


def _best(call: Call) -> Chosen:
    """Which predictions score best; all that is wrong with any of them is told before."""
    session, message, holdout = call.session, call.message, _holdout(call)
    metric = _metric(call, holdout)
    given = _read(call, holdout, message.candidates)
    scores = [_checked(metric, holdout, [each]) for each in given]
    asked = LargestScore(tuple(scores))
    found = desk_of(session, holdout.held).best(scores)
    call.noted.update(digests=[asked.digest], new=0 if found.replayed else 1)
    return Replying(session.ledger).choice(asked, found)


def _metric(call: Call, holdout: ServedHoldout) -> Metric:
    named = call.message.metric
    return holdout.metric if named is None else metric_of(named)


def _read(
    call: Call, holdout: ServedHoldout, given: Sequence[messages.Predictions | None]
) -> list[Predictions]:
    most = call.gateway.settings.limits.scores
    return [read_predictions(each, holdout, most=most) for each in given if each is not None]


def _checked(metric: Metric, holdout: ServedHoldout, predictions: list[Predictions]) -> MeanScore:
    score = MeanScore.of(metric, holdout.blank, *predictions)
    _rehearse(metric, holdout, predictions)
    return score


def _rehearse(metric: Metric, holdout: ServedHoldout, predictions: list[Predictions]) -> None:
    """Work out the first row for a label that tells nothing: what fails now would fail when paid.

    This finds metrics of another number of predictions than were given.
    """
    first = [Predictions(each.values[:1], each.digest) for each in predictions]
    label = blank_labels(rows=1, text=holdout.blank.text)
    try:
        np.asarray(metric.values(label, *first), dtype=np.float64)
    except Exception:
        raise InvalidInput(
            argument="predictions",
            accepted=f"what {metric.text} can score, as many as it compares",
            given=", ".join(f"one of shape {each.values.shape}" for each in predictions) or "none",
        ) from None


def _holdout(call: Call) -> ServedHoldout:
    if call.dataset.holdout is None:
        raise NotServed(what=f"a holdout named {call.dataset.name!r}")
    return call.dataset.holdout


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=f"{DATASET}/score",
        handler=score,
        summary="Score predictions on a holdout. The same predictions again are free.",
        spends=True,
        takes=messages.Score,
        gives=Number,
        large=True,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/best-score",
        handler=best,
        summary="Choose the predictions that score best on a holdout, and tell about how much.",
        spends=True,
        takes=messages.BestScore,
        gives=Chosen,
        large=True,
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/ids",
        handler=ids,
        summary="The ids of the rows of a holdout, which predictions may be given by. Free.",
        gives=Ids,
        query=(("after", "skip so many"), ("limit", "at most so many")),
    ),
)
