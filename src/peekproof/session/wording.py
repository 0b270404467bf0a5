"""Recorded texts read again, so that audits see what each draw was made for.

A kind of query registers how its texts are read beside its class. What is read of a text is
proved if it has the recorded digest. Scores, and histograms by the categories that a custodian
declared, have digests that depend on more than their texts: of them, what a text tells is all that
can be compared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import final

from peekproof.core.certificate import Span
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import Demand
from peekproof.query.inference import Inference


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A recorded text, and what its ledger says beside it."""

    text: str
    digest: str
    span: Span
    numbers: int  # how many were answered
    rows: int
    about: str  # what the rows are, as its opening says
    questions: Inference


Reader = Callable[[Wording], Sequence[Demand]]

# Where readers are. By their names, for scores are in a layer above; they are imported when a text
# is none of the others.
_HOMES = ("peekproof.session.queries", "peekproof.learn.score")
_READERS: dict[str, list[Reader]] = {home: [] for home in _HOMES}


def reads_wording(reader: Reader) -> Reader:
    """Register what reads the texts of a kind of query; it returns nothing for those of others.

    If a text leaves open which of several was asked, it returns all of them.
    """
    _READERS[reader.__module__].append(reader)
    return reader


def asked_by(said: Wording) -> Sequence[Demand]:
    """What a text asks for, or may; nothing if nobody asks like that, or for something else."""
    open_: list[Demand] = []
    for home in _HOMES:
        import_module(home)
        for reader in _READERS[home]:
            for found in _read(reader, said):
                if found.digest == said.digest:
                    return (found,)
                if not found.digest:
                    open_.append(found)
    return open_


def _read(reader: Reader, said: Wording) -> Sequence[Demand]:
    try:
        return reader(said)
    except InvalidInput:  # in units that cannot be, say
        return ()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved:
    """What a text tells of a query whose digest it does not tell."""

    shape: str
    span: Span
    levels: int
    cells: int = 1
    digest: str = ""
    ball: Fraction = Fraction(1)
    level: Fraction = Fraction(1, 2)
    moved_by: Fraction | None = None
