"""What a gateway says that its ledger promises, as the plan that this process certifies itself."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import final

from peekproof import __version__
from peekproof.client.http import Json
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
