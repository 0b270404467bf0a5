"""Where scores are asked for if the labels are behind a gateway."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import NoReturn, cast, final

from peekproof.client.dataset import RemoteData
from peekproof.client.http import Json, Reach
from peekproof.client.http_backend import HttpBackend
from peekproof.client.promise import understood
from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import NotAllowed, NotServed
from peekproof.data.statistic import PairStatistic
from peekproof.learn.blank import blank_labels
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.desk import ANY, Guessed, Standing, condition, guess_reaches
from peekproof.learn.ranking import Ranking
from peekproof.learn.scoring import Scoring
from peekproof.mechanisms.base import Ask, Past, Query
from peekproof.query.candidates import parse_candidates
from peekproof.query.question import Question, parse_question
from peekproof.session.history import History
from peekproof.session.queries import Best, InWords, Paired

_NAMES = ("predictions", "against")  # as messages call one and two of them


@final
class RemoteDesk:
    """Sends predictions, and certifies here what comes back. Threads may share it.

    A pickle of it is opened again where it is unpickled, with the token that is in it, or else in
    the environment; the budget is the gateway's, whoever asks.
    """

    def __init__(self, reach: Reach, name: str) -> None:
        self._reach, self._name = reach, name
        data = RemoteData(reach.calls(), name, progress=None)
        try:
            self._asking = HttpBackend(data)
            said = self._asking.promise.holdout
            with understood(data.place):
                self.metric = str(said["metric"])
                self._ids = bool(said["ids"])
                order = str(said["order"])
                text = {"text": True, "number": False}[said["label"]]
                if int(said["rows"]) != self._asking.promise.plan.rows:
                    raise ValueError("rows that are not those of its promise")
        except BaseException:
            data.close()
            raise
        rows = self._asking.promise.plan.rows
        self._labels = blank_labels(rows=rows, text=text, order=order)

    @property
    def labels(self) -> Labels:
        """Zeros or empty texts: the real ones never leave the gateway."""
        return self._labels

    def ask(self, scoring: Scoring, guess: Guessed, *, where: str = "") -> Answer:
        """The mean of a scoring over all rows, counting 0 where the condition does not hold."""
        asked = scoring.question(self._asking.promise.schema, where)
        if len(scoring.predictions) > len(_NAMES):
            raise NotAllowed(problem="a gateway compares two predictions at a time")
        message = _message(scoring.metric.text, guess, scoring.predictions)
        if where:
            message["where"] = where
        return self._scored(InWords(asked), message)

    def share(self, where: str, guess: Guessed) -> Answer:
        """The share of rows for which a condition about groups or labels holds."""
        asked = parse_question(where, self._asking.promise.schema)
        trained_on = guess.trained_on if guess.tolerance is None else None
        said = Ask(
            what=InWords(asked),
            guess=guess.share,
            tolerance=guess.tolerance,
            trained_on=trained_on,
        )
        (found,) = self._asking.answer([said])
        return cast(Answer, found)

    def pairs(self, ranking: Ranking, guess: Guessed) -> Answer:
        """The share of all pairs of rows that are in the order of a ranking."""
        message = _message(ranking.metric.text, guess, [ranking.predicted])
        return self._scored(Paired(ranking.statistic(self._labels), self._labels.rows), message)

    def _scored(self, what: Query, message: Mapping[str, object]) -> Answer:
        said = self._asking.data.ask("score", message)
        return cast(Answer, self._asking.rebuilding([said]).answer(Ask(what=what), said))

    def best(self, scorings: Sequence[Scoring]) -> Choice:
        """Which scoring has the largest mean: all predictions travel in one request."""
        schema = self._asking.promise.schema
        asked = parse_candidates([each.question(schema) for each in scorings], schema)
        choice = Ask(what=Best(asked))
        self._asking.offer(choice)
        if any(len(each.predictions) != 1 for each in scorings):
            raise NotAllowed(problem="a gateway chooses among the predictions of single models")
        message = {
            "metric": scorings[0].metric.text,
            "candidates": [_packed(each.predictions[0]) for each in scorings],
        }
        said = self._asking.data.ask("best-score", message)
        return cast(Choice, self._asking.rebuilding([said]).answer(choice, said))

    def condition(self, where: str) -> Question:
        """The question for the share of a condition, refused by what the promise says of it."""
        return condition(where, self._asking.promise.schema)

    def known(self, asked: Scoring | Ranking, *, where: str = "") -> Answer | None:
        """What was answered before, and so is free; None if it would be charged."""
        # Whatever is guessed: the same question again is told as it was, and free.
        if isinstance(asked, Ranking):
            paid = self._paid(asked.statistic(self._labels))
            return self.pairs(asked, ANY) if paid else None
        paid = self._paid(asked.question(self._asking.promise.schema, where))
        return self.ask(asked, ANY, where=where) if paid else None

    def _paid(self, asked: Question | PairStatistic) -> bool:
        try:
            self._asking.data.receipt(asked.digest)
        except NotServed:
            return False
        return True

    def reaches(self, guesses: Sequence[Guessed], *, pairs: bool = False) -> list[float]:
        """How far the interval of each guess reaches from it if it is confirmed, as of now."""
        return guess_reaches(self._asking.promise.plan, self._past(), guesses, pairs=pairs)

    def _past(self) -> Past:
        """What the level of the next guess rests on; refused if there is none to come."""
        now, plan = self._asking.look(), self._asking.plan
        if now.past.draws >= plan.target.questions:
            raise plan.mechanism.refusal(1, now.past, remaining=0)
        return now.past

    def standing(self) -> Standing:
        now, plan = self._asking.look(), self._asking.promise.plan
        return Standing(
            rows=plan.rows,
            confidence=float(plan.target.confidence),
            questions=plan.target.questions,
            asked=now.past.draws,
            left=now.remaining,
            failures=now.past.failures,
        )

    def ids(self) -> list[str] | None:
        """The ids of the rows in their order, if they have ids."""
        return self._asking.data.ids() if self._ids else None

    def answers(self) -> History:
        """All scores so far, certified here."""
        return self._asking.history(None)

    def as_analyst(self, name: str) -> NoReturn:  # noqa: ARG002 (the token's is the only one)
        """Refused: the token says who asks."""
        raise NotAllowed(problem="a gateway knows by the token who asks, so others need their own")

    def close(self) -> None:
        """Let go of the connections. Certificates can still be verified."""
        self._asking.close()

    def __reduce__(self) -> tuple[object, ...]:
        return RemoteDesk, (self._reach, self._name)


def _message(metric: str, guess: Guessed, predictions: Sequence[Predictions]) -> dict[str, object]:
    """A metric of predictions, and what it is expected to be."""
    message: dict[str, object] = {
        "metric": metric,
        "guess": float(guess.share),
        **{name: _packed(each) for name, each in zip(_NAMES, predictions, strict=False)},
    }
    if guess.tolerance is not None:
        message["tolerance"] = float(guess.tolerance)
    elif guess.trained_on is not None:
        message["trained_on"] = int(guess.trained_on)
    return message


def _packed(predictions: Predictions) -> Json:
    """Texts as they are; numbers bit by bit, so that both sides read the same."""
    values = predictions.values
    if predictions.text:
        return values.tolist()
    columns = values.shape[1] if values.ndim > 1 else 1
    doubles = b64encode(values.astype("<f8").tobytes()).decode()
    return {"doubles": doubles, "columns": columns}
