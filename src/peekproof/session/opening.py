"""Opening data: a new promise, or the one its ledger already holds."""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import cast, final

from peekproof.core import check
from peekproof.core.certificate import Target
from peekproof.core.errors import InDoubt, InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.frame import Framed
from peekproof.data.load import is_address, is_pattern, load
from peekproof.data.source import Source, marked
from peekproof.guess.guesser import Guesser
from peekproof.ledger.entry import Opening, Promise
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.places import named
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.witness import NONE, Witness
from peekproof.mechanisms.base import (
    Limit,
    Mechanism,
    every_mechanism,
    is_foreign,
    recorded_mechanism,
)
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.plan import CONFIDENCE, QUESTIONS, Plan, open_ended_plan, useful_plan
from peekproof.noise.entropy import Entropy, SystemEntropy
from peekproof.query.form import Share
from peekproof.query.question import question_of
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Column, Compare, IsNull, Number, Or, Predicate
from peekproof.session.agreed import check_chosen, check_limited, continued, unordered
from peekproof.session.custody import (
    check_new,
    check_reason,
    has_ledger,
    in_custody,
    others_checked,
    promised,
    register,
    rows_of,
    unheard,
    witness_of,
)
from peekproof.session.forks import note_threads, refuse_forked
from peekproof.session.local_backend import LocalBackend
from peekproof.session.queries import analyst_name, declared
from peekproof.session.session import Session

_LARGEST = sys.float_info.max
_SHOWN = 5


def check_complete(source: Source, schema: Schema) -> None:
    """Refuse columns that are declared complete where a row has no value.

    The custodian is told, before anything is answered or a ledger is made. An analyst never is:
    means of a column have one form for all rows that can be held under the declaration.
    """
    names = sorted(schema.complete - source.schema.complete)
    if not names:
        return
    asked = [
        question_of(Share(_gap(name, schema)), text=f"column {number}")
        for number, name in enumerate(names)
    ]
    whole = UnsafeEmpirical(rows=1)
    counts = [cast(Exact[int], total) for total in source.totals(asked)]
    gaps = [
        name for name, count in zip(names, counts, strict=True) if whole.release_unsafely(count) > 0
    ]
    if gaps:
        listed = ", ".join(gaps[:_SHOWN]) + (", …" if len(gaps) > _SHOWN else "")
        raise InvalidInput(
            argument="complete",
            accepted="columns with a value in every row, and a finite one if it is a number",
            given=f"{listed} of which some rows have none"[:200],
            hint="leave them out: means are then among the rows with a value",
        )


def _gap(name: str, schema: Schema) -> Predicate:
    column = Column(name)
    missing = IsNull(column, negated=False)
    if schema.columns[name] is not Kind.NUMBER:
        return missing
    above, below = (
        Compare(sign, column, Number(end)) for sign, end in ((">", _LARGEST), ("<", -_LARGEST))
    )
    return Or((missing, above, below))


def place_of(source: object, ledger: str | Path | None) -> str:
    """The ledger that was named, or the file beside a file; memory for what has no file.

    A database or a set of files may not be where this process may write, so theirs is named.
    """
    if isinstance(ledger, str | Path):
        return str(ledger)
    if ledger is not None:
        raise InvalidInput(argument="ledger", accepted='a path, or ":memory:"', given=repr(ledger))
    if not isinstance(source, str | Path):
        return MEMORY
    if is_address(source) or is_pattern(source):
        raise InvalidInput(
            argument="ledger",
            accepted="named for data in a database or in several files",
            given="none",
            hint="such as flights.peekproof, and the same one each time",
        )
    return f"{source}.peekproof"


def open(
    source: object,
    *,
    confidence: float | Fraction | None = None,
    questions: int | None = None,
    rounds: int | None = None,
    failures: int | None = None,
    tolerance: float | Fraction | None = None,
    ledger: str | Path | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    guesser: Guesser | None = None,
    analyst: str = "",
    categories: Mapping[str, Sequence[str]] | None = None,
    complete: Collection[str] = (),
    override: str | None = None,
    entropy: Entropy | None = None,
) -> Session:
    """Hold `source` and answer adaptively chosen questions about its population.

    source      a CSV or Parquet file, or several (a folder, or flights-*.parquet); a table as
                postgresql://host/db#table, duckdb:///file.duckdb#table or spark://…#table; a
                pandas, Polars, Arrow, Ibis or Spark frame; a dict of arrays; a part of a split
    confidence  that all intervals of the session hold together; 0.95 for a new ledger
    questions   how many new questions can be asked in all; 1000 for a new ledger
    rounds      in how many batches the questions will come, if that is known for a new ledger:
                every `ask` or `ask_many` with a new question is one, and its questions can share
                fresh rows. If that is the narrowest, there are no more rounds than these
    failures    for a new ledger by LimitedChecking: with the last of so many failed guesses the
                session ends, and only repeats are answered
    tolerance   with failures: how far the sample may be from a guess that passes, the same for
                all; by default what guesses from as many training rows need
    ledger      a file, or postgresql://…?ledger=NAME; by default beside a data file
                (FILE.peekproof), and in memory, ":memory:", for data that has no file. One in
                memory ends with the process, and what was asked counts as all that can be: the
                same data is refused a second budget, also later
    mechanisms  which to choose from, for a new ledger: Gaussian (which also protects records),
                Truncation, FreshRows; by default whichever has the narrowest intervals. Laplace,
                Checking (of guesses), LimitedChecking (with `failures`), Thresholdout (of guesses,
                protecting records) and those of other packages only if named. OpenEnded, alone
                and without `questions`, promises for as many as will come
    guesser     where guesses come from if none is given, in a session that checks them:
                peekproof.Training(rows), peekproof.learned_weights(domain), or your own
    categories  which values a text column has, by its name: what `histogram(carrier)` and `late by
                carrier` list. They must not come from the rows
    complete    which columns have a value in every row, a finite one if it is a number; ["*"] for
                all. Their means cost one question instead of two. Say what is known of how the
                data came about, and not what the rows show; data with a gap is refused
    analyst     who asks: charges are recorded under the name, and kept within its share
    override    the custodian's reason to go on although the data's budget seems to lie in another
                ledger, or this one to be out of date; the ledger and all certificates name it. A
                new ledger then promises what the other did, but for what is said here, or what
                any new one does if the data was only recognised by its columns
    entropy     for tests only: seeded noise, which promises nothing

    Data that its ledger already knows continues with the promise and the budget recorded
    there; asking for another confidence or number of questions then is an error.
    """
    return open_with(
        source,
        QUESTIONS,
        confidence=confidence,
        questions=questions,
        rounds=rounds,
        failures=failures,
        tolerance=tolerance,
        ledger=ledger,
        mechanisms=mechanisms,
        guesser=guesser,
        analyst=analyst,
        categories=categories,
        complete=complete,
        override=override,
        entropy=entropy,
    )


def open_with(
    source: object,
    usual: int,
    *,
    confidence: float | Fraction | None = None,
    questions: int | None = None,
    rounds: int | None = None,
    failures: int | None = None,
    tolerance: float | Fraction | None = None,
    ledger: str | Path | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    guesser: Guesser | None = None,
    analyst: str = "",
    categories: Mapping[str, Sequence[str]] | None = None,
    complete: Collection[str] = (),
    override: str | None = None,
    entropy: Entropy | None = None,
) -> Session:
    """As `open`, with `usual` questions where no number is said and no ledger's is inherited."""
    if confidence is not None:
        confidence = check.probability(confidence=confidence)
    for name, count in {"questions": questions, "rounds": rounds, "failures": failures}.items():
        if count is not None:
            check.positive_integer(**{name: count})
    if mechanisms is not None and (isinstance(mechanisms, type) or not list(mechanisms)):
        raise InvalidInput(
            argument="mechanisms", accepted="a list of mechanisms", given=repr(mechanisms)
        )
    if guesser is not None and not callable(getattr(guesser, "guess", None)):
        raise InvalidInput(argument="guesser", accepted="a guesser", given=repr(guesser)[:80])
    limit = limit_of(failures, tolerance)
    analyst_name(analyst)
    check_reason(override=override)
    wanted = place_of(source, ledger)
    refuse_forked(wanted.partition("://")[0] if "://" in wanted else wanted)  # no passwords
    note_threads()
    table = load(source)
    schema = declared(table.schema, categories or {}, complete)
    check_complete(table, schema)
    if guesser is not None and getattr(guesser, "fingerprint", None) == table.fingerprint:
        raise InvalidInput(
            argument="guesser",
            accepted="one that looks at other rows than those that are asked about",
            given="the same rows",
            hint="split the source, and let it look at one part only",
        )
    place = named(wanted, table.fingerprint)
    witness, rows = witness_of(place), rows_of(table)
    rng = entropy or SystemEntropy()
    overridden, new = None, not Ledger.exists(place)
    if not new:
        book = Ledger.open(place)
    else:
        overridden = check_new(witness, rows, columns=marked(table), place=place, override=override)
        wished = Wish(confidence, questions, mechanisms, rounds, limit)
        # Other data that shares columns may have promised what these rows cannot be asked for.
        if override is not None and has_ledger(witness, rows, place=place):
            wished = wished.after(promised(witness, rows, place=place))
        best = new_plan(
            table,
            confidence=wished.confidence,
            questions=wished.questions,
            mechanisms=wished.mechanisms,
            rounds=wished.rounds,
            limit=wished.limit,
            usual=usual,
        )
        book = Ledger.create(place, _opening(table, best, rng, witness))
    try:
        book.check_here()
        agreed = continued(book, table, confidence=confidence, questions=questions, rng=rng)
        check_chosen(agreed, mechanisms, rounds, book)
        check_limited(agreed, mechanisms, limit, book)
        _watch(book, table, witness, new=new, override=override, overridden=overridden)
    except BaseException:
        book.close()
        raise
    plan = in_custody(agreed, book.opening.public, book.overrides)
    return Session(
        LocalBackend(
            table=table,
            plan=plan,
            ledger=book,
            rng=rng,
            schema=schema,
            guesser=guesser,
            analyst=analyst,
        )
    )


def _watch(
    book: Ledger,
    table: Source,
    witness: Witness | None,
    *,
    new: bool,
    override: str | None,
    overridden: InDoubt | None,
) -> None:
    """Have the witness watch over a ledger, if there is one, and this process know that it is open.

    `overridden` is what stood against making it.
    """
    doubt, rows = overridden, rows_of(table)
    if witness:
        others = None
        # Nor has it heard of a ledger that was made under another witness.
        if new or unheard(witness, table.fingerprint, place=book.place):
            others = partial(others_checked, witness, table, place=book.place)
        doubt = book.attend(
            witness,
            override=override,
            doubt=overridden,
            marked=partial(marked, table),
            cuts=rows.cuts,
            check_others=others,
        )
    elif override is not None:
        if overridden is None:
            raise nothing_to_override(override)
        book.override(reason=override, against=overridden.against)
    register(book, rows, overridden=doubt is not None)


@final
@dataclass(frozen=True, slots=True)
class Wish:
    """What is said of the promise of a new ledger; None is what is left open."""

    confidence: Fraction | None
    questions: int | None
    mechanisms: Collection[type[Mechanism]] | None
    rounds: int | None
    limit: Limit | None

    def after(self, before: Promise | None) -> "Wish":
        """The same, with what is left open as the ledger had it whose place the new one takes.

        Otherwise an override would also change the promise, which nobody answered for.
        """
        if before is None:
            if self.confidence is None or self.questions is None:
                raise InvalidInput(
                    argument="confidence and questions",
                    accepted="given for a new ledger where nothing tells what the last one had",
                    given=f"{self.confidence} and {self.questions}",
                )
            return self
        wish = replace(self, confidence=self.confidence or before.confidence)
        kind = recorded_mechanism(before.mechanism, rows=before.rows)
        if not kind.open_ended:
            wish = replace(wish, questions=self.questions or before.questions)
        chosen = (
            self.mechanisms or self.rounds or self.limit or (kind.open_ended and self.questions)
        )
        told = kind.again()
        if chosen:
            return wish
        return replace(wish, mechanisms=[type(kind)], rounds=told.rounds, limit=told.limit)


def new_plan(
    source: Source,
    *,
    confidence: Fraction | None = None,
    questions: int | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
    usual: int = QUESTIONS,
) -> Plan:
    """What a new ledger for these rows would promise; `usual` questions if no number is said."""
    confidence, rows = confidence or CONFIDENCE, source.rows
    if not source.ordered:
        if rounds is not None or any(kind.ordered for kind in mechanisms or ()):
            raise unordered(source)
        mechanisms = mechanisms or [
            kind
            for kind in every_mechanism().values()
            if kind.automatic and not kind.ordered and not is_foreign(kind)
        ]
    open_ended = next((kind for kind in mechanisms or () if kind.open_ended), None)
    if mechanisms and open_ended:
        if len(mechanisms) > 1 or questions is not None or rounds is not None or limit is not None:
            failures = None if limit is None else limit.failures
            raise InvalidInput(
                argument="mechanisms",
                accepted=f"{open_ended.__name__} alone, and no number of questions, rounds or "
                "failures with it",
                given=f"{len(mechanisms)} mechanisms, questions={questions}, rounds={rounds}, "
                f"failures={failures}",
            )
        return open_ended_plan(open_ended, rows=rows, confidence=confidence)
    target = Target(confidence=confidence, questions=questions or usual)
    return useful_plan(rows, target, mechanisms, rounds, limit)


def limit_of(failures: int | None, tolerance: float | Fraction | None) -> Limit | None:
    """How many guesses may fail and how far one may be off, if that is said."""
    if failures is None:
        if tolerance is not None:
            raise InvalidInput(
                argument="tolerance",
                accepted="given with failures, for a session that ends after so many",
                given=repr(tolerance)[:80],
            )
        return None
    exact = None if tolerance is None else check.exact_number(tolerance=tolerance)
    return Limit(failures=failures, tolerance=exact)


def _opening(table: Source, best: Plan, rng: Entropy, witness: Witness | None) -> Opening:
    frame = table.frame if isinstance(table, Framed) else None
    return Opening(
        fingerprint=table.fingerprint,
        rows=table.rows,
        confidence=best.target.confidence,
        questions=best.target.questions,
        mechanism=best.mechanism.keyed(rng).record(),
        budget=best.budget,
        entropy=rng.description,
        witness=NONE if witness is None else "",
        name=token_hex(16),
        frame=frame.describe() if frame else {},
        about=str(getattr(table, "about", "")),
    )
