"""Totals of questions over rows in memory: exact integers, batches, threads, a cache of bitmaps.

A record contributes a number of [0, 1] after scaling; a real one is fixed point, with FINE + 1
levels. For a value x clipped to [low, high] and the scale [a, b] around it,

    contribution(x) = ⌊(x − a)/(b − a)·FINE + ½⌋,        in doubles, in this order,

is an integer of 0 … FINE with |contribution(x)/FINE − (x − a)/(b − a)| ≤ 1/FINE.

Proof. Subtraction, division by b − a > 0, and multiplication by a power of two round
monotonically, so x = a gives 0, x = b gives the quotient 1, and everything between lies between.
Each of the two differences and the quotient has a relative error of at most u = 2⁻⁵³ (a
difference of doubles never underflows; a quotient that does is below 2⁻¹⁰²² and rounds to 0),
so the quotient of at most 1 is off by less than 4u, times FINE less than 2⁻²⁷. Adding ½ errs by
at most 2⁻²⁹, and ⌊y + ½⌋ is within ½ of y: together less than 1. ∎

The contributions are whole doubles; those of one piece add up to at most 2⁴¹ < 2⁵³, in any order
and without rounding. No rows are filtered: every row passes through the same operations.

Pieces of rows are shared out among the processors, and the one who is asked tells how far all
workers are. `Plan` answers many questions in one pass over the rows. `Remembering` answers from
`Bitmaps`, the bits of atoms that past questions have left, where it can.
"""

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, TypeVar, final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.secret import Exact
from peekproof.data.evaluate import (
    Bools,
    Columns,
    Doubles,
    Evaluation,
    Ladder,
    Piece,
    Shared,
    Truth,
    below,
    ladders,
    up_to,
)
from peekproof.data.source import Progress, sealed
from peekproof.query.canonical import to_text
from peekproof.query.form import (
    FINE,
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
    contribution,
)
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

Codes = npt.NDArray[np.intp]
Wholes = npt.NDArray[np.int64]
Total = int | Wholes
Numbers = Callable[[Piece], Doubles]
Cells = Callable[[Piece], Codes]
# Rows of a piece: they stay in a processor's cache, their sums stay far below 2⁵³, and eight of
# them share a byte in packed bits.
CHUNK = 1 << 17

# What the rows of a piece add; the totals of pieces are added up.
Adds = Callable[[Piece], Total]


def contributions(values: Doubles, *, low: float, high: float) -> Doubles:
    """The contribution of each value of [low, high] on the scale [low, high]."""
    return np.floor((values - low) / (high - low) * FINE + 0.5)


def as_exact(total: Total) -> Exact[int] | Exact[tuple[int, ...]]:
    """A total as it is handed on to mechanisms."""
    return sealed(tuple(total.tolist()) if isinstance(total, np.ndarray) else total)


def adding(form: Form, by: Evaluation) -> Adds:
    """What each piece of rows adds to the total of a form."""
    match form:
        case Share(predicate):
            found = by.truth(predicate)
            return lambda piece: int(np.count_nonzero(found(piece)))
        case Mean(missing=None) | Given():
            raise TypeError("a quotient is drawn as its parts")
        case Mean():
            return partial(_mean, form, by.doubles(form.operand))
        case Quantile():
            ends = np.array(form.values[:-1])
            return partial(_quantile, form.steps, ends, by.doubles(form.operand))
        case Histogram():
            return _histogram(form, by)
        case Grouped():
            return _grouped(form, by)


def _mean(mean: Mean, column: Numbers, piece: Piece) -> int:
    return int(_placed(mean, column(piece), mean.span).sum())


def _quantile(steps: int, ends: Doubles, column: Numbers, piece: Piece) -> Wholes:
    """The number of rows in each cell of the grid; a missing value is in the last one."""
    values = column(piece)
    return np.bincount(_numbered(below(ends, values), values, steps - 1), minlength=steps)


def _histogram(form: Histogram, by: Evaluation) -> Adds:
    """For each cell the number of rows, or with a mean as weight the sum of contributions."""
    codes, cells = _codes(form.by, by), form.dimension
    match form.weight:
        case Mean() as mean:
            return partial(_weighted, form, mean, codes, by.doubles(mean.operand))
        case None:
            return lambda piece: _counted(codes(piece), cells)
        case predicate:
            held = by.truth(predicate)
            return lambda piece: _counted(np.where(held(piece), codes(piece), cells), cells)


def _weighted(form: Histogram, mean: Mean, codes: Cells, column: Numbers, piece: Piece) -> Wholes:
    """A row adds its value to its own cell and 0 to all others; 0 has a contribution too."""
    low, high = form.extent
    values = column(piece)
    cells = _having_part(mean, values, codes(piece), form.dimension)
    inside = _summed(cells, _placed(mean, values, (low, high)), form.dimension)
    nothing = contribution(0.0, low=low, high=high)
    return inside + nothing * (piece.rows - _counted(cells, form.dimension))


def _grouped(form: Grouped, by: Evaluation) -> Adds:
    """For each cell what counts, then for each cell what does not (see `Grouped`)."""
    codes = _codes(form.by, by)
    match form.weight:
        case Mean() as mean:
            return partial(_shared_out, len(form.by), mean, codes, by.doubles(mean.operand))
        case predicate:
            return partial(_divided_up, len(form.by), codes, by.truth(predicate))


def _shared_out(cells: int, mean: Mean, codes: Cells, column: Numbers, piece: Piece) -> Wholes:
    values = column(piece)
    numbered = _having_part(mean, values, codes(piece), cells)
    counted = _summed(numbered, _placed(mean, values, mean.span), cells)
    return np.concatenate([counted, FINE * _counted(numbered, cells) - counted])


def _divided_up(cells: int, codes: Cells, satisfied: Truth, piece: Piece) -> Wholes:
    numbered, held = codes(piece), satisfied(piece)
    counted = _counted(np.where(held, numbered, cells), cells)
    return np.concatenate([counted, _counted(np.where(held, cells, numbered), cells)])


def _counted(codes: Codes, cells: int) -> Wholes:
    return np.bincount(codes, minlength=cells + 1)[:-1]


def _summed(codes: Codes, added: Doubles, cells: int) -> Wholes:
    return np.bincount(codes, weights=added, minlength=cells + 1)[:-1].astype(np.int64)


def _having_part(mean: Mean, values: Doubles, codes: Codes, none: int) -> Codes:
    """The cells of rows; a row without a value lies in none, unless it counts as something."""
    return codes if mean.missing is not None else np.where(np.isnan(values), none, codes)


def _placed(mean: Mean, values: Doubles, bounds: tuple[float, float]) -> Doubles:
    clipped = np.where(np.isnan(values), mean.filled, np.clip(values, mean.low, mean.high))
    return contributions(clipped, low=bounds[0], high=bounds[1])


def _codes(by: Edges | Values, evaluation: Evaluation) -> Cells:
    """The number of each row's cell; the number of cells for a row that lies in none."""
    if isinstance(by, Edges):
        return evaluation.shared(by, _between(by, evaluation.doubles(by.operand)))
    return evaluation.shared(by, partial(_among, by))


def _between(by: Edges, column: Numbers) -> Cells:
    edges = np.array(by.edges)

    def codes(piece: Piece) -> Codes:
        values = column(piece)
        return _numbered(up_to(edges, values), values, len(by))

    return codes


def _among(by: Values, piece: Piece) -> Codes:
    numbered = piece.series(by.column.name).replace_strict(
        list(by.values), range(len(by)), default=len(by), return_dtype=pl.Int64
    )
    return numbered.fill_null(len(by)).to_numpy()


def _numbered(places: Codes, values: Doubles, missing: int) -> Codes:
    return np.where(np.isnan(values), missing, places)


Bits = npt.NDArray[np.uint8]

_AT_ONCE = 4  # of all room, what a single call may fill


@final
class Bitmaps:
    """The bits of the atoms used last, in at most `room` bytes. Threads may share it.

    Adaptive questions put the same atoms together in new ways. With their bits at hand, one a row,
    an answer is a few passes over 1/64 of a column each. What is kept depends on the questions
    alone.
    """

    def __init__(self, *, rows: int, room: int) -> None:
        # A whole number of words, so that counting runs eight bytes at a time.
        self._size = -(-rows // 64) * 8
        self._most = room // self._size
        self._held: OrderedDict[str, Bits] = OrderedDict()
        self._lock = Lock()

    def known(self, atoms: Iterable[str]) -> dict[str, Bits]:
        """The bits of those atoms that are held."""
        with self._lock:
            found = {atom: self._held[atom] for atom in atoms if atom in self._held}
            for atom in found:
                self._held.move_to_end(atom)
        return found

    def blank(self, atoms: Iterable[str]) -> dict[str, Bits]:
        """Bits to be filled and kept for the first of these atoms: a call drives out few."""
        chosen = list(atoms)[: max(1, self._most // _AT_ONCE) if self._most else 0]
        return {atom: np.zeros(self._size, np.uint8) for atom in chosen}

    def keep(self, filled: Mapping[str, Bits]) -> None:
        """Hold these bits, in the place of those that were not used for longest."""
        with self._lock:
            self._held.update(filled)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._held.clear()


def fill(bits: Bits, start: int, found: Bools) -> None:
    """Write what was found for the rows from `start` on, a multiple of 8."""
    packed = np.packbits(found)
    bits[start // 8 : start // 8 + len(packed)] = packed


def unpacked(bits: Bits, start: int, rows: int) -> Bools:
    """The truth of `rows` rows from `start` on, a multiple of 8."""
    return np.unpackbits(bits[start // 8 : -(-(start + rows) // 8)], count=rows).view(np.bool_)


def ones(bits: Bits) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(bits.view(np.uint64)).sum(dtype=np.uint64))


@final
class Told:
    """Adds up what workers are done with: so many rows, for some of so many questions.

    `progress` is called in the thread that began the pass alone: who listens is known by it. It
    hears of rows as if all questions about one came before the next, which depends on no value.
    """

    def __init__(self, rows: int, progress: Progress) -> None:
        self._rows, self._progress = rows, progress
        self._thread = threading.get_ident()
        self._turn = threading.Lock()
        self._done = 0

    def done(self, rows: int, *, of: int) -> None:
        """So many more were read for one question each, where there are questions `of` them."""
        with self._turn:
            self._done += rows
            done = self._done
        if threading.get_ident() == self._thread:
            self._progress(done // of, self._rows)


T = TypeVar("T")

_WORKERS = min(8, os.cpu_count() or 1)
_WORTH_A_THREAD = 64  # functions of a piece: some milliseconds; less is done before help comes

_pool: ThreadPoolExecutor | None = None


def spread(work: Callable[[Iterator[int]], T], starts: range, *, each: int) -> list[T]:
    """What each of several workers makes of the starts that it takes, each taken by one.

    `each` is how many functions are to be computed for a start.
    """
    taken = iter(starts)  # one step of it is not interrupted
    others = min(_WORKERS, len(starts)) - 1
    if others < 1 or len(starts) * each < _WORTH_A_THREAD:
        return [work(taken)]
    futures = [_threads().submit(work, taken) for _ in range(others)]
    own = work(taken)
    # One that has not begun by now has nothing left to take.
    return [own, *(future.result() for future in futures if not future.cancel())]


def _threads() -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603 (threads are for the whole process)
    if _pool is None:
        _pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="peekproof-rows")
    return _pool


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global _pool  # noqa: PLW0603
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


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

    Three things make a batch faster than its questions one by one. A piece of rows stays in the
    processor's cache for all of them. Atoms, numbers and cells that occur several times are
    computed once a piece. And a column that is compared with many numbers is first replaced by its
    place among them: small whole numbers, which compare four times as fast.
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


@final
class Remembering:
    """Answers from bits where all of them are there, and else from the columns."""

    def __init__(
        self, columns: Columns, rows: int, bitmaps: Bitmaps, progress: Progress | None = None
    ) -> None:
        self._columns = columns
        self._rows = rows
        self._bitmaps = bitmaps
        self._progress = progress

    def counts(self, predicates: Sequence[Predicate]) -> list[int]:
        """For each predicate the number of rows for which it is true."""
        parts = [list(atoms(each)) for each in predicates]
        keys = {id(atom): to_text(atom) for each in parts for atom in each}
        names = [[keys[id(atom)] for atom in each] for each in parts]
        occurring = Counter(name for each in names for name in set(each))
        known = self._bitmaps.known(occurring)
        held = [all(name in known for name in each) for each in names]
        fresh = [each for each, there in zip(predicates, held, strict=True) if not there]
        counted = iter(self._counted(fresh, occurring, known, keys))
        return [
            ones(_bits(each, known, keys)) if there else next(counted)
            for each, there in zip(predicates, held, strict=True)
        ]

    def holds(self, predicate: Predicate) -> Bools:
        """For which rows a predicate is true."""
        with np.errstate(all="ignore"):
            return Evaluation().truth(predicate)(Piece(self._columns, 0, self._rows))

    def totals(self, forms: Sequence[Form]) -> list[Total]:
        """What all rows add up to under each form."""
        return self._passed(Plan(forms)) if forms else []

    def _passed(self, plan: Plan) -> list[Total]:
        return plan.totals(self._columns, self._rows, progress=self._progress)

    def _counted(
        self,
        predicates: Sequence[Predicate],
        occurring: Counter[str],
        known: Mapping[str, Bits],
        keys: Mapping[int, str],
    ) -> list[int]:
        if not predicates:
            return []
        # A batch leaves what its own questions share; else a thousand literals that nobody
        # comes back to would drive out what a conversation is about.
        least = 1 if len(predicates) == 1 else 2
        worth = [name for name, count in occurring.most_common() if count >= least]
        wanted = self._bitmaps.blank(name for name in worth if name not in known)
        forms = [Share(each) for each in predicates]
        plan = Plan(forms, known=known, wanted=wanted, keys=keys)
        totals = self._passed(plan)
        self._bitmaps.keep(wanted)
        return [int(total) for total in totals]


def _bits(predicate: Predicate, known: Mapping[str, Bits], keys: Mapping[int, str]) -> Bits:
    """The bits of a predicate; nothing is cut short where few rows are left."""
    if not isinstance(predicate, And | Or):
        return known[keys[id(predicate)]]
    operation = np.bitwise_and if isinstance(predicate, And) else np.bitwise_or
    first, second, *rest = (_bits(term, known, keys) for term in predicate.terms)
    found: Bits = operation(first, second)
    for each in rest:
        operation(found, each, out=found)
    return found
