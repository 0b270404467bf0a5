"""Opening data: a new promise, or the one its ledger already holds."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from holdfast.core import check
from holdfast.core.errors import InvalidInput, LedgerMismatch
from holdfast.core.target import Target
from holdfast.data.load import load
from holdfast.data.table import Table
from holdfast.guess.guesser import Guesser
from holdfast.ledger.file import MEMORY
from holdfast.ledger.sqlite import Ledger
from holdfast.ledger.state import Opening
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.rounds import Rounds
from holdfast.mechanisms.splitting import Splitting
from holdfast.noise.entropy import Entropy, SystemEntropy
from holdfast.planner.open_ended import open_ended_plan
from holdfast.planner.paid import check_paid
from holdfast.planner.plan import Mechanism, Plan
from holdfast.planner.recorded import recorded_plan
from holdfast.planner.useful import CONFIDENCE, QUESTIONS, useful_plan
from holdfast.session.session import Session


def open(
    source: object,
    *,
    confidence: float | Fraction | None = None,
    questions: int | None = None,
    rounds: int | None = None,
    ledger: str | Path | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    guesser: Guesser | None = None,
    entropy: Entropy | None = None,
) -> Session:
    """Hold `source` and answer adaptively chosen questions about its population.

    source      a CSV or Parquet file, a pandas, Polars or Arrow table, a dict of arrays
    confidence  that all intervals of the session hold together; 0.95 for a new ledger
    questions   how many new questions can be asked in all; 1000 for a new ledger
    rounds      in how many batches the questions will come, if that is known for a new ledger:
                every `ask` or `ask_many` with a new question is one, and its questions can share
                fresh rows. If that is the narrowest, there are no more rounds than these
    ledger      a file, or ":memory:"; by default beside a data file (FILE.holdfast), and in
                memory for data that has no file
    mechanisms  which to choose from, for a new ledger: Gaussian (which also protects records),
                Truncation, Splitting; by default whichever has the narrowest intervals. Rounds
                come into it with `rounds`, Laplace, Votes and Checking (of guesses) only if
                named. OpenEnded, alone and without `questions`, promises for as many as will come
    guesser     where guesses come from if none is given, in a session that checks them:
                holdfast.Training(rows), holdfast.learned_weights(domain), or your own
    entropy     for tests only: seeded noise, which promises nothing

    Data that its ledger already knows continues with the promise and the budget recorded
    there; asking for another confidence or number of questions then is an error.
    """
    if confidence is not None:
        confidence = check.probability(confidence=confidence)
    if questions is not None:
        check.positive_integer(questions=questions)
    if rounds is not None:
        check.positive_integer(rounds=rounds)
    if mechanisms is not None and (isinstance(mechanisms, type) or not list(mechanisms)):
        raise InvalidInput(
            argument="mechanisms", accepted="a list of mechanisms", given=repr(mechanisms)
        )
    if guesser is not None and not callable(getattr(guesser, "guess", None)):
        raise InvalidInput(argument="guesser", accepted="a guesser", given=repr(guesser)[:80])
    table = load(source)
    place = _place(source, ledger)
    rng = entropy or SystemEntropy()
    if Ledger.exists(place):
        book = Ledger.open(place)
    else:
        best = new_plan(
            table.rows,
            confidence=confidence,
            questions=questions,
            mechanisms=mechanisms,
            rounds=rounds,
        )
        book = Ledger.create(place, _opening(table, best, rng))
    try:
        agreed = _continued(book, table, confidence=confidence, questions=questions, rng=rng)
        _chosen(agreed, mechanisms, rounds, book)
    except BaseException:
        book.close()
        raise
    return Session(table=table, plan=agreed, ledger=book, rng=rng, guesser=guesser)


def new_plan(
    rows: int,
    *,
    confidence: Fraction | None = None,
    questions: int | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
) -> Plan:
    """What a new ledger for so many rows would promise."""
    confidence = confidence or CONFIDENCE
    if mechanisms and OpenEnded in mechanisms:
        if len(mechanisms) > 1 or questions is not None or rounds is not None:
            raise InvalidInput(
                argument="mechanisms",
                accepted="OpenEnded alone, and no number of questions or rounds with it",
                given=f"{len(mechanisms)} mechanisms, questions={questions}, rounds={rounds}",
            )
        return open_ended_plan(rows=rows, confidence=confidence)
    target = Target(confidence=confidence, questions=questions or QUESTIONS)
    return useful_plan(rows, target, mechanisms, rounds)


def _place(source: object, ledger: str | Path | None) -> str:
    if isinstance(ledger, str | Path):
        return str(ledger)
    if ledger is not None:
        raise InvalidInput(argument="ledger", accepted='a path, or ":memory:"', given=repr(ledger))
    return f"{source}.holdfast" if isinstance(source, str | Path) else MEMORY


def _opening(table: Table, best: Plan, rng: Entropy) -> Opening:
    return Opening(
        fingerprint=table.fingerprint,
        rows=table.rows,
        confidence=best.target.confidence,
        questions=best.target.questions,
        mechanism=_keyed(best.mechanism, rng).describe(),
        budget=best.budget,
        entropy=rng.description,
    )


def _chosen(
    agreed: Plan,
    mechanisms: Collection[type[Mechanism]] | None,
    rounds: int | None,
    book: Ledger,
) -> None:
    """Refuse what was named if the ledger promises by something else.

    Only a promise by rounds limits their number; any other holds for as many as come.
    """
    hint = "it was chosen when the ledger was opened; leave the argument out to continue"
    if mechanisms and type(agreed.mechanism) not in mechanisms:
        raise LedgerMismatch(
            ledger=book.place,
            what="the mechanism",
            recorded=type(agreed.mechanism).__name__,
            given=" or ".join(kind.__name__ for kind in mechanisms),
            hint=hint,
        )
    if rounds and isinstance(agreed.mechanism, Rounds) and agreed.mechanism.rounds != rounds:
        raise LedgerMismatch(
            ledger=book.place,
            what="rounds",
            recorded=str(agreed.mechanism.rounds),
            given=str(rounds),
            hint=hint,
        )


def _keyed(mechanism: Mechanism, rng: Entropy) -> Mechanism:
    """The mechanism to run: if it splits rows, with a key that nobody has seen."""
    if isinstance(mechanism, Splitting | Rounds):
        return replace(mechanism, key=f"{rng.bits(128):032x}")
    return mechanism


def _continued(
    book: Ledger,
    table: Table,
    *,
    confidence: Fraction | None,
    questions: int | None,
    rng: Entropy,
) -> Plan:
    """The plan in the ledger, once it is clear that it is about this session."""
    opening = book.opening

    def same(what: str, recorded: object, given: object, hint: str) -> None:
        if given != recorded:
            raise LedgerMismatch(
                ledger=book.place, what=what, recorded=str(recorded), given=str(given), hint=hint
            )

    other = "name another ledger for other data; a budget belongs to the data it was opened for"
    same("the fingerprint", opening.fingerprint, table.fingerprint, other)
    kept = "the promise was fixed when the ledger was opened; leave the argument out to continue it"
    same("confidence", opening.confidence, confidence or opening.confidence, kept)
    same("questions", opening.questions, questions or opening.questions, kept)
    source = "noise from two kinds of sources cannot share a promise"
    same("entropy", opening.entropy, rng.description, source)
    plan = recorded_plan(opening, ledger=book.place)
    check_paid(plan, book.seen.offers.values(), ledger=book.place)
    return plan
