"""Replies as answers: rebuilt from the records in them, certified here, and compared.

No number of a gateway is passed on as it came. What its ledger recorded is turned into an answer
as a session turns its own, and must say what the gateway says.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import cast, final

from peekproof.client.dataset import RemoteData
from peekproof.client.derivation import FromGateway
from peekproof.client.http import Json
from peekproof.client.promise import Promise, understood
from peekproof.core.certificate import Certificate
from peekproof.core.charge import UNITS, amount_of, unit_of
from peekproof.core.errors import CertificateMismatch
from peekproof.ledger.entry import Settled, settled_from_body
from peekproof.mechanisms.base import Query, Reply
from peekproof.query.question import Question
from peekproof.session.queries import AnyAnswer, InWords, drawn_for, told
from peekproof.session.records import RecordedReplies, numbers


@final
class Rebuilding:
    """Makes answers of replies, under the promise that they were given."""

    def __init__(self, data: RemoteData, promise: Promise) -> None:
        self._data = data
        self._promise = promise

    def answers(self, asked: Sequence[Question], replies: Sequence[Json]) -> list[AnyAnswer]:
        """The answers to questions, of replies to what is drawn for them."""
        with self._understood():
            drawn = zip(drawn_for(asked), replies, strict=True)
            return told(asked, [self._part(*each) for each in drawn])

    def answer(self, what: Query, reply: Json) -> Reply:
        """The answer to what is asked by itself."""
        with self._understood():
            found = what.answer(self._replies(what.digest, reply))
            _compare(found.to_dict(), reply)
            return found

    def certificate(self, settled: Settled, *, digest: str = "") -> Certificate:
        """What an answer is certified to, to be verified by its receipt."""
        promise, overrides = self._promise, len(self._promise.overrides)
        draw = promise.drawn(settled.terms)
        failed = draw.failed(numbers(settled.value))
        origin = FromGateway(
            data=self._data,
            digest=digest,
            draw=draw,
            failed=failed,
            overrides=overrides,
            session=promise.session,
        )
        found = promise.certificate(draw, failed=failed, overrides=overrides)
        return replace(found, derivation=origin)

    def _part(self, question: Question, reply: Json) -> Reply:
        part = InWords(question).answer(self._replies(question.digest, reply))
        (found,) = told([question], [part])
        _compare(found.to_dict(), reply)
        return part

    def _replies(self, digest: str, reply: Json) -> RecordedReplies:
        """What a session would say, of whose ledger only this record is known."""
        (record,) = reply["records"]
        if record["digest"] != digest:
            raise ValueError("the answer to another question")
        settled: Settled = settled_from_body({**record, "analyst": ""})
        plan = self._promise.plan
        cost = UNITS[unit_of(plan.budget)](Fraction(record["cost"]))
        if not record["drawn"] and amount_of(cost):
            raise ValueError("a cost for nothing new")
        return RecordedReplies(
            settled={digest: settled},
            paid={digest: cost} if record["drawn"] else {},
            certificate=lambda known: self.certificate(known, digest=digest),
            unit=plan.budget,
            remaining=int(reply["remaining"]),
            place=self._promise.place,
            rows=plan.rows,
        )

    def _understood(self) -> AbstractContextManager[None]:
        return understood(self._promise.place, version=self._promise.version)


def _compare(ours: Mapping[str, object], theirs: Json) -> None:
    """Refuse a reply that says anything else than the answer rebuilt from its record."""
    for name, value in ours.items():
        if not _same(value, theirs[name]):
            if name == "radius":
                raise CertificateMismatch(claimed=theirs[name], recomputed=cast(float, value))
            raise ValueError(f"its {name} does not follow from its record")


def _same(ours: object, theirs: Json) -> bool:
    match ours:
        case dict():
            return all(_same(value, theirs[name]) for name, value in ours.items())
        case list() | tuple():
            return len(ours) == len(theirs) and all(map(_same, ours, theirs))
        case float() if not isfinite(ours):
            return theirs is None
        case _:
            return bool(ours == theirs)
