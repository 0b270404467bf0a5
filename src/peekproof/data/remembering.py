"""Totals over rows in memory, with the bits of atoms that past questions have left."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from peekproof.data.bitmaps import Bitmaps, Bits, ones
from peekproof.data.piece import Columns
from peekproof.data.plan import Plan, atoms
from peekproof.data.source import Progress
from peekproof.data.totals import Total
from peekproof.query.form import Form, Share
from peekproof.query.tree import And, Or, Predicate
from peekproof.query.wire import to_text


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
