"""Every error Peekproof raises: a type, fields, and a message built from the fields.

PeekproofError
├── InvalidInput          a value the caller gave (also a ValueError)
├── QuestionError         a question, with the character it fails at (also a ValueError)
│   ├── UnknownColumn
│   └── TypeMismatch
├── DataError             a source that cannot be held (also a ValueError)
├── DataChanged           a source that no longer holds the rows of its session
├── Refusal               a promise that cannot be made
│   ├── BudgetExhausted
│   ├── RoundsExhausted
│   ├── ShareExhausted
│   ├── FailuresExhausted
│   └── VacuousPlan
├── EvaluationFailed      deliberately says nothing: the data had been read
├── CertificateMismatch   a certificate that its ledger does not give again
├── GatewayError          between a client and a gateway
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
    ├── MechanismMissing  it names a mechanism that is not installed here
    ├── LedgerUnavailable read-only, missing folder, or locked by someone else
    ├── BudgetElsewhere   the data has another ledger
    ├── LedgerRolledBack  the ledger lacks entries that were seen before
    └── WitnessDamaged    what was seen before cannot be read

Nothing was read or charged for what is refused. Errors of a budget in doubt, which the witness
knows better than the ledger that was opened, say how to go on, and how the custodian can answer
for going on all the same. `problem_name` is the name under which an error travels between
processes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, wraps

from peekproof.core.numerics import level_down
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
    hint: str = (
        "Restore the file from a backup, the newest, or make a ledger from an export or from what "
        "is intact (peekproof ledger restore)"
    )

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} {self.problem}; nothing was asked. {self.hint}; a new one would "
            "forget all that was spent"
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
class MechanismMissing(LedgerError):
    """A ledger promises by a mechanism of another package, which is not installed here."""

    ledger: str = ""
    mechanism: str
    package: str = ""

    def __str__(self) -> str:
        whose = f" of the package {self.package}" if self.package else ""
        which = f"ledger {self.ledger}" if self.ledger else "the record"
        return (
            f"{which} names the mechanism {self.mechanism!r}{whose}, which is not installed here; "
            "nothing was asked. Install it into this environment, and open the ledger again"
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


_NEW_DATA = "new ones need new data"


def _new(asked: int) -> str:
    return "1 new question" if asked == 1 else f"{asked:,} new questions"


def _ending(of_several: bool) -> str:
    untouched = "nothing was read or charged"
    if of_several:
        untouched += (
            " for it; what was answered before it for the same score is paid for, and free when "
            "the score is asked for again"
        )
    return f"{untouched}. Questions already answered can be asked again for free"


@dataclass(eq=False, kw_only=True)
class BudgetExhausted(Refusal):
    """More new questions than the session has left."""

    asked: int
    remaining: int
    questions: int
    of_several: bool = False

    def __str__(self) -> str:
        return (
            f"refused: {_new(self.asked)} asked, {self.remaining:,} of {self.questions:,} left for "
            f"this data; {_ending(self.of_several)}; {_NEW_DATA}"
        )


@dataclass(eq=False, kw_only=True)
class ShareExhausted(Refusal):
    """More new questions than are left of an analyst's share; others may have theirs."""

    analyst: str
    asked: int
    remaining: int
    of_several: bool = False

    def __str__(self) -> str:
        whose = f"{self.analyst}'s share" if self.analyst else "the share of all without a name"
        return (
            f"refused: {_new(self.asked)} asked, {self.remaining:,} left in {whose}; "
            f"{_ending(self.of_several)}; the custodian can move shares"
        )


@dataclass(eq=False, kw_only=True)
class RoundsExhausted(Refusal):
    """New questions, and no rows that no earlier round has seen."""

    asked: int
    rounds: int
    of_several: bool = False

    def __str__(self) -> str:
        used = "its only round is" if self.rounds == 1 else f"all of its {self.rounds:,} rounds are"
        return (
            f"refused: {_new(self.asked)} asked about this data, and {used} used up; "
            f"{_ending(self.of_several)}; {_NEW_DATA}"
        )


@dataclass(eq=False, kw_only=True)
class FailuresExhausted(Refusal):
    """New questions, after as many failed guesses as the data was opened for."""

    asked: int
    failures: int
    of_several: bool = False

    def __str__(self) -> str:
        used = "its only failed guess is"
        if self.failures > 1:
            used = f"all of its {self.failures:,} failed guesses are"
        return (
            f"refused: {_new(self.asked)} asked about this data, and {used} used up (one that was "
            f"never answered counts as failed); {_ending(self.of_several)}; {_NEW_DATA}"
        )


# What a session says when it has nothing left. A score that is made of several questions may get
# this after the first of them: then `of_several` is true.
USED_UP = (BudgetExhausted, ShareExhausted, RoundsExhausted, FailuresExhausted)


@dataclass(eq=False, kw_only=True)
class VacuousPlan(Refusal):
    """The intervals would be wider than wanted, or so wide that they say nothing."""

    rows: int
    questions: int
    confidence: Fraction
    radius: float = 0.5
    rows_needed: int
    questions_affordable: int

    def __str__(self) -> str:
        fewer = (
            f" or at most {self.questions_affordable:,} questions"
            if self.questions_affordable
            else ""
        )
        wide = "0.5 or more, which say nothing" if self.radius >= 0.5 else f"above {self.radius:g}"
        return (
            f"refused: n = {self.rows:,} rows and {self.questions:,} questions at confidence "
            f"{level_down(self.confidence)} would give intervals of half-width {wide}; "
            f"you need n ≥ {self.rows_needed:,}{fewer}"
        )


@dataclass(eq=False, kw_only=True)
class GatewayError(PeekproofError):
    """Something stands between a client and a gateway. Nothing was read or charged."""


@dataclass(eq=False, kw_only=True)
class Unauthenticated(GatewayError):
    """A request without a token that is known and valid."""

    problem: str = "no valid token was given"

    def __str__(self) -> str:
        return f"{self.problem}; the custodian makes tokens with peekproof token create"


@dataclass(eq=False, kw_only=True)
class NotAllowed(GatewayError):
    """A valid token for something it is not for."""

    problem: str

    def __str__(self) -> str:
        return f"{self.problem}; ask the custodian"


@dataclass(eq=False, kw_only=True)
class NotServed(GatewayError):
    """An address or a thing that the gateway does not have."""

    what: str
    listed: str = "/v1/datasets"  # where it would be, if it were served

    def __str__(self) -> str:
        return f"{self.what} is not served here; GET {self.listed} lists what is"


@dataclass(eq=False, kw_only=True)
class NotThisWay(GatewayError):
    """An address that is served, but by other methods."""

    method: str
    accepted: str

    def __str__(self) -> str:
        return f"{self.method} is not served at this address, but {self.accepted}"


@dataclass(eq=False, kw_only=True)
class Malformed(GatewayError):
    """A request that is not HTTP as it should be, or that ended too soon."""

    problem: str

    def __str__(self) -> str:
        return f"the request {self.problem}; see /v1/openapi.json for what is served, and how"


@dataclass(eq=False, kw_only=True)
class TooSlow(GatewayError):
    """A request that took longer to arrive than the gateway waits."""

    patience: float

    def __str__(self) -> str:
        return f"the request did not arrive within {self.patience:g} seconds; send it again"


@dataclass(eq=False, kw_only=True)
class TooLarge(GatewayError):
    """A request that is longer than the gateway reads."""

    most: int

    def __str__(self) -> str:
        return f"the request is longer than {self.most:,} bytes; ask in several"


@dataclass(eq=False, kw_only=True)
class TooManyRequests(GatewayError):
    """Requests that come faster than the custodian allows."""

    retry_after: float

    def __str__(self) -> str:
        return f"too many requests; wait {self.retry_after:.3g} seconds and try again"


@dataclass(eq=False, kw_only=True)
class KeyInUse(GatewayError):
    """An idempotency key that stands for another request, or for one that is still at work."""

    problem: str

    def __str__(self) -> str:
        return f"the idempotency key {self.problem}"


@dataclass(eq=False, kw_only=True)
class GatewayUnavailable(GatewayError):
    """A gateway that cannot be reached, or cannot answer now."""

    problem: str
    hint: str = "try again"

    def __str__(self) -> str:
        return f"{self.problem}; {self.hint}"


_ANSWERED = 'if you answer for it, say why with override="…"'
_OVERRIDE = f'{_ANSWERED}, or with peekproof ledger adopt PATH --reason "…"'


_NAMED = 3  # of the columns by which data was recognised
IN_MEMORY = "memory of process "  # how the place of a ledger in memory begins; its number follows

# What a ledger is about that stands against another, if neither the same rows nor the whole.
PART = "a part"  # some of the rows
RESPLIT = "a part by another split"  # some of the rows that these were cut out of


@dataclass(eq=False, kw_only=True)
class BudgetElsewhere(LedgerError):
    """The data already has a ledger, and it is another one.

    `columns` are those by which it was recognised, if it was renamed, re-typed or cut down. `met`
    is PART if the other ledger is about a part of the data, and RESPLIT if the data is a part
    itself and the other is about one that was cut otherwise.
    """

    place: str
    entries: int
    columns: tuple[str, ...] = ()
    met: str = ""

    def __str__(self) -> str:
        if self.met:
            return self._of_parts
        if self.place.startswith(IN_MEMORY):
            return (
                f"the budget of this data lies in the {self.place}, last seen with "
                f"{_entries(self.entries)}{self._recognised}; {self.ledger} would be a second "
                "budget, so nothing was asked. Keep using the session or holdout that was opened "
                "there first; once it is closed or that process ended, nobody knows what was "
                "spent, and all of it counts as spent. Name a file from the first time on, "
                f'ledger="…", and it can be continued; {_ANSWERED}'
            )
        first = "the data as it was then" if self.columns else "the first"
        return (
            f"the budget of this data lies in another ledger, last seen at {self.place} with "
            f"{_entries(self.entries)}{self._recognised}; {self.ledger} would be a second budget, "
            f'so nothing was asked. Continue {first} with ledger="{self.place}", or put it back '
            f"if it is gone; {_OVERRIDE}"
        )

    @property
    def _of_parts(self) -> str:
        if self.met == PART:
            what, whose = "a part of this data", "a second budget for the rows of that part"
            then = (
                "Go on with that part, and with the others of its split, drawn by the same key= "
                "and shares; the rows of all parts together are not asked about again"
            )
        else:
            what = "a part of the data that this part was cut from, by another split,"
            whose = "a second budget for rows that both may hold"
            then = (
                "Draw the parts by that split again, with the same key=, by= and shares: those "
                "that share no row have a budget each"
            )
        if self.place.startswith(IN_MEMORY):
            where, answered = f"in the {self.place}", _ANSWERED
        else:
            where, answered = f"in another ledger, last seen at {self.place}", _OVERRIDE
            then += " (the first entry of that ledger says how its part was drawn)"
        return (
            f"{what} has its budget {where} with {_entries(self.entries)}; {self.ledger} would be "
            f"{whose}, so nothing was asked. {then}; {answered}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        where = f"{self.place}, with {_entries(self.entries)}"
        whose = f"{self.met} of this data" if self.met == PART else self.met or "this data"
        return f"the budget of {whose} at {where}{self._recognised}"

    @property
    def _recognised(self) -> str:
        if not self.columns:
            return ""
        some, more = self.columns[:_NAMED], len(self.columns) - _NAMED
        named = ", ".join(repr(each[:80]) for each in some)
        return f" (recognised by the values of {named}{f' and {more} more' if more > 0 else ''})"


@dataclass(eq=False, kw_only=True)
class LedgerRolledBack(LedgerError):
    """The ledger lacks what it was last seen with: it is an older copy, or went on elsewhere."""

    place: str
    seen: int
    found: int

    @property
    def missing(self) -> int:
        """How many entries are missing at least."""
        return max(1, self.seen - self.found)

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} {self._lack}, so what it says of the budget is out of date, and "
            f"nothing was asked. Continue with the ledger that has them all, last seen at "
            f"{self.place} with {_entries(self.seen)}; {_OVERRIDE}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        return f"{_entries(self.seen)} at {self.place}: this ledger {self._lack}"

    @property
    def _lack(self) -> str:
        if self.found < self.seen:
            return f"has {_entries(self.found)} and lacks {_entries(self.missing)} seen since"
        return f"has another entry {self.seen} than was seen: it is a copy that went on by itself"


@dataclass(eq=False, kw_only=True)
class WitnessDamaged(LedgerError):
    """What was last seen of the data's ledger cannot be read."""

    file: str

    def __str__(self) -> str:
        return (
            f"{self.file}, which says where the budget of this data lies, is damaged; so nothing "
            f"tells whether {self.ledger} is its only ledger, and in its last state, and nothing "
            f"was asked. Make sure that it is; {_OVERRIDE}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        return f"a damaged witness, {self.file}"


InDoubt = BudgetElsewhere | LedgerRolledBack | WitnessDamaged
IN_DOUBT = (BudgetElsewhere, LedgerRolledBack, WitnessDamaged)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"


def problem_name(kind: type[PeekproofError]) -> str:
    """`BudgetExhausted` as `budget-exhausted`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


@cache
def problems() -> Mapping[str, type[PeekproofError]]:
    """Every error by the name under which it travels."""
    return {problem_name(kind): kind for kind in _below(PeekproofError)}


def _below(kind: type[PeekproofError]) -> Iterator[type[PeekproofError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)
