"""One data set of a gateway: what it promises, and what can be asked of it, as messages."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from http.client import HTTPException
from typing import final
from urllib.parse import quote

from peekproof import __version__
from peekproof.client.http import Calls, Json, error_of
from peekproof.core.certificate import Certificate
from peekproof.core.errors import (
    CertificateMismatch,
    GatewayUnavailable,
    LedgerDamaged,
    MechanismMissing,
)
from peekproof.ledger.entry import PublicOpening
from peekproof.mechanisms.base import Draw, recorded_draw
from peekproof.mechanisms.plan import certificate_of, recorded_plan
from peekproof.query.schema import Kind, Schema
from peekproof.session.custody import in_custody

UNKNOWN = "of an unknown version"


@final
class Promise:
    """The promise of a data set: its plan, its columns, and who we are to it."""

    def __init__(self, said: Json, *, place: str) -> None:
        version = said.get("version", UNKNOWN) if isinstance(said, dict) else UNKNOWN
        with understood(place, version=version):
            body = said["opening"]
            self.opening = opening = PublicOpening.from_body(body)
            self.overrides = tuple(dict(each) for each in said["overrides"])
            self._recorded = recorded_plan(opening, ledger=place)
            self.plan = in_custody(self._recorded, opening, self.overrides)
            self.schema = _schema(said["columns"])
            self.mark, self.version = str(said["promise"]), str(said["version"])
            self.holdout: Json = said.get("holdout")  # what is public of labels, if it has some
            self.analyst, self.custodian = str(said["analyst"]), bool(said["custodian"])
        self.place = place
        self._certificates: dict[tuple[int, Draw, bool], Certificate] = {}

    @property
    def session(self) -> Hashable:
        """Whose promise it is: all who ask the same ledger agree, whatever they call its place."""
        opening = self.opening
        name = opening.name or self.place
        return ("gateway", opening.data, opening.confidence, opening.questions, name)

    def drawn(self, terms: Mapping[str, str]) -> Draw:
        """How an answer was drawn, by its record."""
        said = {str(key): str(value) for key, value in terms.items()}
        return recorded_draw(said, rows=self.plan.rows)

    def certificate(self, draw: Draw, *, failed: bool, overrides: int) -> Certificate:
        """What an answer that was drawn like this is certified to, after so many overrides."""
        key = overrides, draw, failed
        if key not in self._certificates:
            plan = in_custody(self._recorded, self.opening, self.overrides[:overrides])
            self._certificates[key] = certificate_of(plan, draw, failed=failed)
        return self._certificates[key]


def _schema(columns: Json) -> Schema:
    return Schema(
        columns={str(each["name"]): Kind(each["kind"]) for each in columns},
        categories={
            str(each["name"]): tuple(str(value) for value in each["categories"])
            for each in columns
            if each.get("categories") is not None
        },
        complete=frozenset(str(each["name"]) for each in columns if each.get("complete")),
    )


@contextmanager
def understood(place: str, *, version: str = UNKNOWN) -> Iterator[None]:
    """Whatever cannot be read or cannot be is the gateway's: altered, or of another version."""
    try:
        yield
    except CertificateMismatch:
        raise
    except LedgerDamaged as error:
        raise _misunderstood(place, version, error.problem) from None
    except MechanismMissing as error:
        raise _misunderstood(
            place, version, f"names {error.mechanism!r:.80}, which is not installed here"
        ) from None
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise _misunderstood(place, version, f"says what cannot be read ({error!r:.80})") from None


def _misunderstood(place: str, version: str, problem: str) -> GatewayUnavailable:
    return GatewayUnavailable(
        problem=f"{place} {problem}",
        hint=f"it runs peekproof {version} and this is {__version__}: use the same, or do not "
        "believe it",
    )


Progress = Callable[[int, int], None]
_PAGE = 1000


@final
@dataclass(frozen=True, slots=True)
class Budget:
    """What is spent and left, for whoever asks."""

    asked: int
    remaining: int
    remaining_for_all: int
    remaining_rounds: int | None
    failures: int
    values: int  # among how many things what was told chose
    spent: Fraction
    used: float  # of the budget, as a part of the whole


@final
class RemoteData:
    """A data set behind a gateway."""

    def __init__(self, calls: Calls, name: str, *, progress: Progress | None) -> None:
        self.name = name
        self._calls = calls
        self._path = f"/v1/datasets/{quote(name, safe='')}"
        self._progress = progress

    @property
    def place(self) -> str:
        return f"{self._calls.link.address}/{self.name}"

    def promise(self) -> Promise:
        """What is promised, as of now."""
        return Promise(self._calls.look(self._path), place=self.place)

    def budget(self) -> Budget:
        said = self._calls.look(f"{self._path}/budget")
        with understood(self.place):
            rounds = said["remaining_rounds"]
            return Budget(
                asked=int(said["asked"]),
                remaining=int(said["remaining"]),
                remaining_for_all=int(said["remaining_for_all"]),
                remaining_rounds=None if rounds is None else int(rounds),
                failures=int(said["failures"] or 0),
                values=int(said["values"], 0),
                spent=Fraction(said["spent"]),
                used=float(said["spent_part"]),
            )

    def ask(self, route: str, message: Mapping[str, object]) -> Json:
        """The reply to what is asked by itself."""
        return self._calls.spend(f"{self._path}/{route}", message)

    def batch(self, questions: list[str], *, radii: list[float | None]) -> list[Json]:
        """The replies to questions that are charged together, each with its radius."""
        path, message = f"{self._path}/batch", _message({}, questions=questions)
        if len(different := set(radii)) > 1:
            message["radii"] = radii
        elif (radius := different.pop()) is not None:
            message["radius"] = radius
        if self._progress is not None:
            return self._calls.follow(path, message, self._followed)
        said = self._calls.spend(path, message)
        with understood(self.place):
            return list(said["answers"])

    def ids(self) -> list[str]:
        """The ids of all rows, in their order."""
        found: list[str] = []
        while True:
            said = self._calls.look(f"{self._path}/ids?after={len(found)}")
            with understood(self.place):
                page = [str(each) for each in said["ids"]]
                found += page
                if not page or len(found) >= int(said["total"]):
                    return found

    def price(self, question: str, **terms: float | None) -> Json:
        """What a question would cost now."""
        message = _message(terms, questions=[question])
        said = self._calls.inquire(f"{self._path}/price", message)
        with understood(self.place):
            return said["prices"][0]

    def price_of_best(self, message: Mapping[str, object]) -> Json:
        """What a choice would cost now, where that depends on what others asked."""
        said = self._calls.inquire(f"{self._path}/price", message)
        with understood(self.place):
            return said["prices"][0]

    def receipt(self, digest: str) -> Json:
        """The receipt of an answer, for which the gateway replays its ledger."""
        return self._calls.look(f"{self._path}/answers/{quote(digest, safe='')}")

    def answers(self) -> Iterator[Json]:
        """All answers so far, in the order of the ledger."""
        after = 0
        while True:
            said = self._calls.look(f"{self._path}/answers?after={after}&limit={_PAGE}")
            with understood(self.place):
                page = list(said["answers"])
            yield from page
            after += len(page)
            if len(page) < _PAGE:
                return

    def close(self) -> None:
        self._calls.link.close()

    def _followed(self, lines: Iterator[Json]) -> list[Json]:
        """The answers of a stream, once it has come to its end."""
        answers: list[Json] = []
        for line in lines:
            with understood(self.place):
                event = line["event"]
            match event:
                case "progress" if self._progress is not None:
                    self._progress(int(line["done"]), int(line["of"]))
                case "answer":
                    answers.append(line["answer"])
                case "problem":
                    raise error_of(line["problem"])
                case "end":
                    return answers
        raise HTTPException("the stream was cut short")  # so it is asked for again


def _message(terms: Mapping[str, float | None], **said: object) -> dict[str, object]:
    """A message without what was left out."""
    given = {name: float(value) for name, value in terms.items() if value is not None}
    return {**said, **given}
