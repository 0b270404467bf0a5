"""Where scores are asked for if the labels are behind a gateway."""

from base64 import b64encode
from collections.abc import Sequence
from itertools import islice
from typing import NoReturn, cast, final

from peekproof.client.conversation import Conversation
from peekproof.client.dataset import RemoteData
from peekproof.client.history import history
from peekproof.client.http import Json, Reach
from peekproof.client.promise import understood
from peekproof.core.answer import Answer, Choice
from peekproof.core.errors import GatewayUnavailable, NotAllowed, NotServed
from peekproof.learn.column import Labels, Predictions, blank_labels
from peekproof.learn.desk import ANY, Guessed, Standing, condition, guess_reaches, probes
from peekproof.learn.score import LargestScore, MeanScore, Score
from peekproof.mechanisms.base import Ask, Past
from peekproof.query.question import Question, parse_question
from peekproof.session.history import History

_MOST_PROBES = 1_000  # of which a gateway may have answered some
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
            self._asking = Conversation(data)
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

    def ask(self, score: Score, guess: Guessed) -> Answer:
        """A mean over all rows, or over all pairs of rows."""
        if len(score.predictions) > len(_NAMES):
            raise NotAllowed(problem="a gateway compares two predictions at a time")
        said = self._asking.data.score(_message(score, guess))
        return cast(Answer, self._asking.rebuilding([said]).answer(score, said))

    def share(self, where: str, guess: Guessed) -> Answer:
        """The share of rows for which a condition about groups or labels holds."""
        asked = parse_question(where, self._asking.promise.schema)
        trained_on = guess.trained_on if guess.tolerance is None else None
        reply = self._asking.data.ask(
            asked.text, trained_on=trained_on, guess=guess.share, tolerance=guess.tolerance
        )
        (found,) = self._asking.answers([asked], [reply])
        return cast(Answer, found)

    def best(self, scores: Sequence[MeanScore]) -> Choice:
        """Which score is the largest: all predictions travel in one request."""
        asked = LargestScore(tuple(scores))
        self._asking.offer(Ask(what=asked))
        if any(len(each.predictions) != 1 for each in scores):
            raise NotAllowed(problem="a gateway chooses among the predictions of single models")
        message = {
            "metric": scores[0].metric.text,
            "candidates": [_packed(each.predictions[0]) for each in scores],
        }
        said = self._asking.data.best_score(message)
        return cast(Choice, self._asking.rebuilding([said]).answer(asked, said))

    def condition(self, where: str) -> Question:
        """The question for the share of a condition, refused by what the promise says of it."""
        return condition(where, self._asking.promise.schema)

    def known(self, score: Score) -> Answer | None:
        """What was answered before, and so is free; None if it would be charged."""
        try:
            self._asking.data.receipt(score.digest)
        except NotServed:
            return None
        # Whatever is guessed: the same score again is told as it was, and free.
        return self.ask(score, ANY)

    def reaches(self, guesses: Sequence[Guessed], *, pairs: bool = False) -> list[float]:
        """How far the interval of each guess reaches from it if it is confirmed, as of now."""
        return guess_reaches(self._asking.promise.plan, self._past(), guesses, pairs=pairs)

    def _past(self) -> Past:
        """What the level of the next guess rests on, by the price of a question that is new."""
        data = self._asking.data
        for probe in islice(probes(text=self._labels.text), _MOST_PROBES):
            said = data.price(probe, guess=0.0)
            with understood(data.place):
                if not said["known"]:
                    seen, target = said["terms"], self._asking.promise.plan.target
                    return Past(
                        target=target,
                        draws=int(seen["questions"]),
                        failures=int(seen["failures"]),
                        values=int(seen["values"], 0),
                    )
        raise GatewayUnavailable(
            problem=f"{data.place} says that it has answered whatever it is asked",
            hint="ask its custodian, and trust none of its answers before",
        )

    def standing(self) -> Standing:
        now, plan = self._asking.look(), self._asking.promise.plan
        return Standing(
            rows=plan.rows,
            confidence=float(plan.target.confidence),
            questions=plan.target.questions,
            asked=now.asked,
            left=now.remaining,
            failures=now.failures,
        )

    def ids(self) -> list[str] | None:
        """The ids of the rows in their order, if they have ids."""
        return self._asking.data.ids() if self._ids else None

    def answers(self) -> History:
        """All scores so far, certified here."""
        return history(self._asking.data, self._asking.refreshed(), analyst=None)

    def as_analyst(self, name: str) -> NoReturn:  # noqa: ARG002 (the token's is the only one)
        """Refused: the token says who asks."""
        raise NotAllowed(problem="a gateway knows by the token who asks, so others need their own")

    def close(self) -> None:
        """Let go of the connections. Certificates can still be verified."""
        self._asking.close()

    def __reduce__(self) -> tuple[object, ...]:
        return RemoteDesk, (self._reach, self._name)


def _message(score: Score, guess: Guessed) -> dict[str, object]:
    """A metric of predictions, and what it is expected to be."""
    message: dict[str, object] = {
        "metric": score.metric.text,
        "guess": float(guess.share),
        **{name: _packed(each) for name, each in zip(_NAMES, score.predictions, strict=False)},
    }
    if score.where is not None:
        message["where"] = score.where.text
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
