"""Every error Peekproof raises: a type, fields, and a message built from the fields.

PeekproofError
├── InvalidInput          a value the caller gave (also a ValueError)
├── QuestionError         a question, with the character it fails at (also a ValueError)
│   ├── UnknownColumn
│   └── TypeMismatch
├── DataError             a source that cannot be held (also a ValueError)
├── DataChanged           a source that no longer holds the rows of its session
├── Refusal               a promise that cannot be made (all of them: refusals)
│   ├── BudgetExhausted
│   ├── RoundsExhausted
│   ├── ShareExhausted
│   ├── FailuresExhausted
│   └── VacuousPlan
├── EvaluationFailed      deliberately says nothing: the data had been read
├── CertificateMismatch   a certificate that its ledger does not give again
├── GatewayError          between a client and a gateway (all of them: gateway_errors)
│   ├── Unauthenticated
│   ├── NotAllowed
│   ├── NotServed
│   ├── NotThisWay
│   ├── Malformed
│   ├── TooSlow
│   ├── TooLarge
│   ├── TooManyRequests
│   ├── KeyInUse
│   └── GatewayUnavailable
└── LedgerError
    ├── LedgerMissing     nothing at the path could be a ledger
    ├── LedgerMismatch    the ledger belongs to other data or another promise
    ├── LedgerDamaged     the file is not a ledger, or its chain is broken
    ├── LedgerClosed      closed for good, by the custodian or because entries were lost
    ├── LedgerMoved       it went on elsewhere, and says where
    ├── LedgerTooNew      a newer version wrote it
    ├── LedgerUnavailable read-only, missing folder, or locked by someone else
    ├── BudgetElsewhere   the data has another ledger (this and the next two: witness_errors)
    ├── LedgerRolledBack  the ledger lacks entries that were seen before
    └── WitnessDamaged    what was seen before cannot be read
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from peekproof.core.shown import visible_lines


def _rebuild(kind: Callable[..., "PeekproofError"], fields: dict[str, object]) -> "PeekproofError":
    return kind(**fields)


def _printable(worded: Callable[["PeekproofError"], str]) -> Callable[["PeekproofError"], str]:
    @wraps(worded)
    def printable(self: "PeekproofError") -> str:
        return visible_lines(worded(self))

    return printable


@dataclass(eq=False, kw_only=True)
class PeekproofError(Exception):
    """The root: catch it to catch everything Peekproof raises on purpose.

    Fields are as they were given. What the message quotes of them may come from a file, another
    analyst or a gateway: no code in it reaches a terminal.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        worded = cls.__dict__.get("__str__")
        if worded is not None:
            cls.__str__ = _printable(worded)  # type: ignore[assignment,method-assign]

    def fields(self) -> dict[str, object]:
        """What the message is made of, for programs."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are rebuilt from `args` by default, which keyword fields leave empty.
        return _rebuild, (type(self), self.fields())


@dataclass(eq=False, kw_only=True)
class InvalidInput(PeekproofError, ValueError):
    """An argument that is not accepted."""

    argument: str
    accepted: str
    given: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.argument} must be {self.accepted}, got {self.given}"
        return f"{text}; {self.hint}" if self.hint else text


@dataclass(eq=False, kw_only=True)
class QuestionError(PeekproofError, ValueError):
    """A question that cannot be read; `position` counts characters from 0."""

    problem: str
    text: str
    position: int
    length: int = 1
    hint: str = ""

    def __str__(self) -> str:
        # Long machine-made questions are cut to a window around the fault.
        start = max(0, self.position - 40)
        # What cannot be printed takes one place, so that the caret stays where it belongs.
        window = "".join(
            character if character.isprintable() else " "
            for character in self.text[start : self.position + 40]
        )
        caret = " " * (self.position - start) + "^" * max(1, min(self.length, 40))
        head = f"{self.problem} at character {self.position + 1}"
        lines = [f"{head}; {self.hint}" if self.hint else head, f"    {window}", f"    {caret}"]
        return "\n".join(lines)


@dataclass(eq=False, kw_only=True)
class UnknownColumn(QuestionError):
    """A name that is not a column of the data."""

    column: str = ""


@dataclass(eq=False, kw_only=True)
class TypeMismatch(QuestionError):
    """An operation on values of the wrong kind."""


@dataclass(eq=False, kw_only=True)
class DataError(PeekproofError, ValueError):
    """A source that Peekproof cannot hold."""

    source: str
    problem: str
    hint: str

    def __str__(self) -> str:
        return f"{self.source} {self.problem}; {self.hint}"


@dataclass(eq=False, kw_only=True)
class DataChanged(PeekproofError):
    """A source that no longer holds the rows its session was opened for."""

    source: str

    def __str__(self) -> str:
        return (
            f"{self.source} no longer holds the rows this session was opened for; restore them, "
            "or open the new data with a ledger of its own"
        )


@dataclass(eq=False, kw_only=True)
class Refusal(PeekproofError):
    """A promise that cannot be made. Nothing was read, charged or changed for what is refused."""


@dataclass(eq=False, kw_only=True)
class EvaluationFailed(PeekproofError):
    """The engine failed after the data had been read. Says no more on purpose."""

    def __str__(self) -> str:
        return (
            "the engine could not evaluate the question; it stays charged, and the reason is "
            "withheld because it may depend on the data"
        )


@dataclass(eq=False, kw_only=True)
class CertificateMismatch(PeekproofError):
    """A certificate that the ledger's record and the theorems do not give again."""

    claimed: float
    recomputed: float

    def __str__(self) -> str:
        return (
            f"the certificate claims a radius of {self.claimed:.6g}, but the ledger and the "
            f"theorems give {self.recomputed:.6g}; it was altered, or made by another version"
        )


@dataclass(eq=False, kw_only=True)
class LedgerError(PeekproofError):
    """Something is wrong with a ledger."""

    ledger: str


@dataclass(eq=False, kw_only=True)
class LedgerMissing(LedgerError):
    """Nothing that could be a ledger is at the path or beside it."""

    def __str__(self) -> str:
        return (
            f"{self.ledger} is not a ledger, and {self.ledger}.peekproof does not exist; the first "
            "question asked about a data file makes its ledger"
        )


@dataclass(eq=False, kw_only=True)
class LedgerMismatch(LedgerError):
    """The ledger was opened for something else."""

    what: str
    recorded: str
    given: str
    hint: str

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} records {self.what} {self.recorded}, but this session has "
            f"{self.given}; {self.hint}"
        )


@dataclass(eq=False, kw_only=True)
class LedgerDamaged(LedgerError):
    """The file is not a ledger, or what it holds contradicts itself."""

    problem: str

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} {self.problem}; nothing was asked. Restore the file from a "
            "backup, the newest, or make a ledger from an export or from what is intact (peekproof "
            "ledger restore); a new one would forget all that was spent"
        )


@dataclass(eq=False, kw_only=True)
class LedgerTooNew(LedgerError):
    """A newer Peekproof wrote the ledger."""

    found: int
    supported: int

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} has format {self.found}, this version reads up to "
            f"{self.supported}; upgrade peekproof"
        )


@dataclass(eq=False, kw_only=True)
class LedgerClosed(LedgerError):
    """The ledger was closed for good, by its custodian or, with a `reason`, as it was restored."""

    reason: str = ""

    def __str__(self) -> str:
        because = f" ({self.reason})" if self.reason else ""
        return (
            f"ledger {self.ledger} was closed{because}: what was answered stays free, and nothing "
            "new is answered"
        )


@dataclass(eq=False, kw_only=True)
class LedgerMoved(LedgerError):
    """The ledger was moved, and goes on elsewhere. Once `delivered`, it is not delivered again."""

    to: str
    delivered: bool = True

    def __str__(self) -> str:
        rest = (
            "If it is not there, look for where it was taken since: it is delivered only once"
            if self.delivered
            else "The move was interrupted: run peekproof ledger move again, with the same places"
        )
        return f'ledger {self.ledger} was moved: go on with ledger="{self.to}". {rest}'


@dataclass(eq=False, kw_only=True)
class LedgerUnavailable(LedgerError):
    """The ledger cannot be opened or written now."""

    problem: str
    hint: str = "name another place for the ledger, one that can be written and lasts"

    def __str__(self) -> str:
        return f"ledger {self.ledger} {self.problem}; {self.hint}"
