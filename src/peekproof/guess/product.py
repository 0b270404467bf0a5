"""The values of a question in all cells of a product, found on the columns it mentions alone."""

from collections import OrderedDict
from collections.abc import Callable
from typing import cast, final

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput
from peekproof.guess.domain import Domain
from peekproof.guess.masses import Weighing
from peekproof.guess.weights import Values
from peekproof.query.form import Mean, Share
from peekproof.query.question import Question
from peekproof.query.walk import columns

Evaluator = Callable[[dict[str, npt.NDArray[np.generic]]], Values]

_KEPT = 16


@final
class ProductValues:
    """What a question says of each cell of a domain, for `MultiplicativeWeights`.

    `table` makes the evaluator of some columns, given as arrays. The question is evaluated once for
    each combination of values of the columns it mentions and then repeated over all others, so a
    question about two columns out of ten takes little more than writing its values down.
    """

    __slots__ = ("_domain", "_table", "_tables")

    def __init__(self, domain: Domain, table: Evaluator) -> None:
        self._domain, self._table = domain, table
        self._tables: OrderedDict[tuple[str, ...], Values] = OrderedDict()

    def __call__(self, question: Question) -> Weighing:
        named = mentioned(question)
        unknown = named - set(self._domain.columns)
        if unknown:
            raise InvalidInput(
                argument="question",
                accepted=f"about columns of the domain: {', '.join(self._domain.columns)}"[:200],
                given=f"about {min(unknown)}"[:80],
            )
        part = self._domain.only(named)
        values = self._evaluator(part)(question)
        own = [len(points) if name in named else 1 for name, points in self._domain.axes]
        whole = [len(points) for _, points in self._domain.axes]
        return cast(Weighing, np.broadcast_to(values.reshape(own), whole).reshape(-1))

    def _evaluator(self, part: Domain) -> Values:
        names = tuple(part.columns)
        if names not in self._tables:
            self._tables[names] = self._table(part.columns_as_arrays())
            if len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        self._tables.move_to_end(names)
        return self._tables[names]


def mentioned(question: Question) -> set[str]:
    """The names of all columns on which a share or a mean depends."""
    match question.form:
        case Share(root) | Mean(root):
            return columns(root)
        case form:
            raise InvalidInput(
                argument="question",
                accepted="a share or a mean, which have one number",
                given=f"a {type(form).__name__.lower()}",
            )
