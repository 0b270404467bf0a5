"""Many questions in one pass over the rows: what they have in common is computed once.

Three things make a batch faster than its questions one by one. A piece of rows stays in the
processor's cache for all of them. Atoms, numbers and cells that occur several times are computed
once a piece. And a column that is compared with many numbers is first replaced by its place
among them: small whole numbers, which compare four times as fast.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, final

import numpy as np

from peekproof.data.bitmaps import Bits, fill, unpacked
from peekproof.data.evaluate import Evaluation, Shared
from peekproof.data.ladder import Ladder, ladders
from peekproof.data.piece import Columns, Piece
from peekproof.data.source import Progress
from peekproof.data.told import Told
from peekproof.data.totals import CHUNK, Adds, Total, adding
from peekproof.data.workers import spread
from peekproof.query.cells import Edges, Values
from peekproof.query.form import Form, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    If,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from peekproof.query.wire import to_text

# A worker holds so many arrays of a piece for later questions, a megabyte each at most.
_REMEMBERED = 64

_BLOCK = 256  # questions between two words about progress: some milliseconds for a piece

_NOTHING: Mapping[str, Bits] = {}
_NUMBERS = (Sum, Product, Quotient, Clip, If, Part)


def atoms(predicate: Predicate) -> Iterator[Predicate]:
    """The parts of a predicate that And and Or join."""
    if isinstance(predicate, And | Or):
        for term in predicate.terms:
            yield from atoms(term)
    else:
        yield predicate


@final
class Plan:
    """The functions of a piece that give the totals of several forms.

    `known` are bits of atoms that need not be computed, and `wanted` bits of others to be filled.
    `keys` are texts of atoms that have been written out already, by their identity.
    """

    def __init__(
        self,
        forms: Sequence[Form],
        *,
        known: Mapping[str, Bits] = _NOTHING,
        wanted: Mapping[str, Bits] = _NOTHING,
        keys: Mapping[int, str] | None = None,
    ) -> None:
        self._known, self._wanted = known, wanted
        self._shared: set[str] = set()
        self._ladders: Mapping[str, Ladder] = {}
        # By identity, for to hash a tree is as much work as to write it out.
        self._keys: dict[int, str] = dict(keys or {})
        if len(forms) > 1:
            parts = [part for form in forms for part in _parts(form)]
            names = [self._keys.setdefault(id(part), "") or _key(part) for part in parts]
            self._keys.update({id(part): name for part, name in zip(parts, names, strict=True)})
            common = Counter(names).most_common(_REMEMBERED)
            self._shared = {name for name, count in common if count > 1}
            fresh = (part for part, name in zip(parts, names, strict=True) if name not in known)
            self._ladders = ladders(part for part in fresh if isinstance(part, Compare))
        self._forms = forms  # as long as they are there, no other part has the same identity
        evaluation = Evaluation(self._kept)
        self._adds = [adding(form, evaluation) for form in forms]

    def totals(
        self, columns: Columns, rows: int, *, progress: Progress | None = None
    ) -> list[Total]:
        """What all rows add up to under each form; `progress` hears how far it is, in rows."""
        starts, told = range(0, rows, CHUNK), Told(rows, progress) if progress else None
        found = spread(partial(self._added, columns, rows, told), starts, each=len(self._adds))
        if told:
            told.done(0, of=len(self._adds))  # of what others did last
        return added_up(found)

    def _added(
        self, columns: Columns, rows: int, told: Told | None, starts: Iterable[int]
    ) -> list[Total]:
        totals: list[Total] = [0] * len(self._adds)
        with np.errstate(all="ignore"):
            for start in starts:
                piece = Piece(columns, start, min(start + CHUNK, rows))
                if told is None:
                    totals = _sums(totals, self._adds, piece)
                else:
                    totals = self._followed(totals, piece, told)
        return totals

    def _followed(self, totals: list[Total], piece: Piece, told: Told) -> list[Total]:
        """The same in blocks of questions, for a piece may take seconds for all of them."""
        found, size = list[Total](), len(totals)
        for first in range(0, size, _BLOCK):
            block = slice(first, first + _BLOCK)
            found += _sums(totals[block], self._adds[block], piece)
            told.done(piece.rows * (len(found) - first), of=size)
        return found

    def _kept(self, part: Shared, compute: Callable[[Piece], Any]) -> Callable[[Piece], Any]:
        if not self._shared and isinstance(part, _NUMBERS):
            return compute  # bits are of atoms alone, and to write a long sum out takes time
        if not (self._shared or self._known or self._wanted or self._ladders):
            return compute
        key = self._keys.get(id(part)) or _key(part)
        if key in self._known:
            return _looked_up(self._known[key])
        if isinstance(part, Compare) and isinstance(part.left, Column):
            ladder = self._ladders.get(part.left.name)
            compute = ladder.compared(part) or compute if ladder else compute
        if key in self._wanted:
            compute = _written(self._wanted[key], compute)
        return _remembered(key, compute) if key in self._shared else compute


def added_up(several: Sequence[list[Total]]) -> list[Total]:
    """The totals of disjoint rows together."""
    first, *others = several
    for other in others:
        first = [one + another for one, another in zip(first, other, strict=True)]
    return first


def _sums(totals: list[Total], adds: Sequence[Adds], piece: Piece) -> list[Total]:
    return [total + add(piece) for total, add in zip(totals, adds, strict=True)]


def _parts(form: Form) -> Iterator[Shared]:
    """What other questions may share with this one."""
    match form:
        case Share(predicate):
            yield from atoms(predicate)
        case Mean(operand) | Quantile(operand):
            yield operand
        case Histogram(by, weight) | Grouped(by, weight):
            yield by
            if isinstance(weight, Mean):
                yield weight.operand
            elif weight is not None:
                yield from atoms(weight)
        case _:
            return


def _key(part: Shared) -> str:
    if isinstance(part, Edges | Values):
        return repr(part)
    return to_text(part)


def _looked_up(bits: Bits) -> Callable[[Piece], Any]:
    return lambda piece: unpacked(bits, piece.start, piece.rows)


def _written(bits: Bits, compute: Callable[[Piece], Any]) -> Callable[[Piece], Any]:
    def written(piece: Piece) -> Any:
        found = compute(piece)
        fill(bits, piece.start, found)
        return found

    return written


def _remembered(key: str, compute: Callable[[Piece], Any]) -> Callable[[Piece], Any]:
    def remembered(piece: Piece) -> Any:
        if key not in piece.memo:
            piece.memo[key] = compute(piece)
        return piece.memo[key]

    return remembered
