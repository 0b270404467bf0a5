"""Questions read again without their schema: ledgers record words and a digest, and no columns.

Columns are taken to be of such kinds that the words make sense and, as the digest is of the normal
form, have the recorded digest. Kinds that were found so are tried first in the next question.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar, final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.candidates import Candidates, listed_in_text, parse_candidates
from peekproof.query.form import Mean, Share
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Kind, Schema

# Whatever most columns are comes first. Dates are last: quoted, they may be texts.
_KINDS = (Kind.NUMBER, Kind.TEXT, Kind.FLAG, Kind.DATE, Kind.MOMENT)

# How many readings of one text are tried, and more for each column in it. Wrong kinds hardly ever
# fit the words but for quoted dates, so as many are for six new columns of dates in one question.
_MOST_TRIES = 1_000
_MOST_EACH = 2 * len(_KINDS)


class Read(Protocol):
    """What a text is read as."""

    @property
    def digest(self) -> str: ...


R = TypeVar("R", bound=Read)


@final
class Inference:
    """Reads the questions of one ledger, and learns from them of which kinds its columns are."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}
        self._complete: frozenset[str] = frozenset()

    def question(self, text: str, digest: str, *, cells: int) -> Question | None:
        """The question that a text is; None if it is none, or has another digest.

        Cells that the text leaves to the custodian's categories are `cells` in number, and what
        they are is not known. Then, and where there are too many readings, its digest is empty.
        """
        sizes = [cells, cells // 2] if cells % 2 == 0 else [cells]  # `by` has two numbers a cell
        for size in sizes:
            declared = _Categories(size)
            found = self._reading(
                lambda schema: parse_question(text, schema), digest, declared, named=text
            )
            if found is None or found.digest == digest:
                return found
            if found.form.dimension == cells:
                return replace(found, digest="")
        return None

    def candidates(self, text: str, digest: str) -> Candidates | None:
        """The candidates that a text lists; likewise, but None also if their digest is unknown."""
        listed = listed_in_text(text)
        for each in listed:  # one after the other: together they may have thousands of columns
            self._reading(partial(_scalar, each), None, _Categories(0), named=each)
        found = self._reading(
            lambda schema: parse_candidates(listed, schema), digest, _Categories(0), named=text
        )
        return found if found is not None and found.digest == digest else None

    def _reading(
        self,
        read: Callable[[Schema], R],
        digest: str | None,
        categories: "_Categories",
        *,
        named: str,
    ) -> R | None:
        """What is read with this digest, whatever it is if None; else what the text leaves open.

        Depth first: a kind that does not fit the words fails before the next column is read.
        """
        undeclared: R | None = None
        any_: R | None = None
        # Which kinds are settled, which columns are complete, and whether both can change yet.
        pending: list[tuple[dict[str, Kind | None], frozenset[str] | None]] = [({}, None)]
        tried, names = 0, set[str]()
        while pending:
            chosen, complete = pending.pop()
            columns = _Columns(self._kinds, chosen)
            schema = Schema(columns, categories, self._complete if complete is None else complete)
            categories.asked = False
            found = _tried(read, schema)
            if found is not None and digest in (None, found.digest):
                self._learn(columns, schema.complete)
                return found
            any_ = any_ or found
            if categories.asked:
                undeclared = undeclared or found
            tried, names = tried + 1, names | columns.asked.keys()
            if tried > _MOST_TRIES + _MOST_EACH * len(names):
                return undeclared or any_
            if complete is not None:
                continue
            pending += [(other, None) for other in columns.others()]
            if "mean" in named.lower():
                every = frozenset(columns.asked)
                pending += [(columns.asked, each) for each in (frozenset[str](), every)]
        return undeclared

    def _learn(self, columns: "_Columns", complete: frozenset[str]) -> None:
        found = {name: kind for name, kind in columns.asked.items() if kind is not None}
        self._kinds.update(found)
        missing = found.keys() - complete if complete != self._complete else set()
        self._complete = (self._complete | (found.keys() & complete)) - missing


def _tried(read: Callable[[Schema], R], schema: Schema) -> R | None:
    try:
        return read(schema)
    except (QuestionError, InvalidInput):
        return None


def _scalar(text: str, schema: Schema) -> Question:
    asked = parse_question(text, schema)
    if not isinstance(asked.form, Share | Mean):
        raise InvalidInput(argument="candidates", accepted="shares or means", given=text[:80])
    return asked


@final
class _Columns(Mapping[str, Kind]):
    """Columns that are of a kind as soon as somebody asks: as chosen, as before, or numbers."""

    def __init__(self, likely: Mapping[str, Kind], chosen: Mapping[str, Kind | None]) -> None:
        self._likely, self._chosen = likely, chosen
        self.asked: dict[str, Kind | None] = {}
        self.new: list[tuple[str, bool]] = []  # not chosen yet, and whether it need be a column

    def _kind(self, name: str, *, certain: bool) -> Kind | None:
        if name not in self.asked:
            if name not in self._chosen:
                self.new.append((name, certain))
            likely = self._likely.get(name, Kind.NUMBER)
            self.asked[name] = self._chosen.get(name, likely)
        return self.asked[name]

    def __getitem__(self, name: str) -> Kind:
        kind = self._kind(name, certain=True)
        if kind is None:
            raise KeyError(name)
        return kind

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._kind(name, certain=False) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)

    def others(self) -> Iterator[dict[str, Kind | None]]:
        """What else could be chosen, the last column's other kinds last."""
        settled = dict(self._chosen)
        for name, certain in self.new:
            kinds: tuple[Kind | None, ...] = _KINDS if certain else (*_KINDS, None)
            for kind in reversed(kinds):
                if kind is not self.asked[name]:
                    yield {**settled, name: kind}
            settled[name] = self.asked[name]


@final
class _Categories(Mapping[str, tuple[str, ...]]):
    """Categories that somebody declared of any column; all that is known is how many."""

    def __init__(self, size: int) -> None:
        self._values = tuple(map(str, range(size)))
        self.asked = False

    def __getitem__(self, name: str) -> tuple[str, ...]:
        self.asked = True
        return self._values

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
