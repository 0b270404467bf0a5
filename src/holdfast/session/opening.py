"""Opening data: a new promise, or the one its ledger already holds."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from secrets import token_hex

from holdfast.core import check
from holdfast.core.errors import InvalidInput, LedgerMismatch
from holdfast.core.target import Target
from holdfast.data.load import load
from holdfast.data.statistic import exact_number
from holdfast.data.table import Table
from holdfast.guess.guesser import Guesser
from holdfast.ledger.file import MEMORY
from holdfast.ledger.ledger import Ledger, nothing_to_override
from holdfast.ledger.opening import Opening
from holdfast.ledger.places import named
from holdfast.ledger.witness import NONE, Witness
from holdfast.mechanisms.limited_checking import LimitedChecking
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.rounds import Rounds
from holdfast.mechanisms.splitting import Splitting
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.noise.entropy import Entropy, SystemEntropy
from holdfast.planner.limited import Limit
from holdfast.planner.open_ended import open_ended_plan
from holdfast.planner.paid import check_paid
from holdfast.planner.plan import Mechanism, Plan
from holdfast.planner.recorded import recorded_plan
from holdfast.planner.useful import CONFIDENCE, QUESTIONS, useful_plan
from holdfast.session.custody import check_new, check_reason, in_custody, witness_of
from holdfast.session.held_rounds import check_rounds
from holdfast.session.parsing import analyst_name
from holdfast.session.session import Session


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
    override: str | None = None,
    entropy: Entropy | None = None,
) -> Session:
    """Hold `source` and answer adaptively chosen questions about its population.

    source      a CSV or Parquet file, a pandas, Polars or Arrow table, a dict of arrays
    confidence  that all intervals of the session hold together; 0.95 for a new ledger
    questions   how many new questions can be asked in all; 1000 for a new ledger
    rounds      in how many batches the questions will come, if that is known for a new ledger:
                every `ask` or `ask_many` with a new question is one, and its questions can share
                fresh rows. If that is the narrowest, there are no more rounds than these
    failures    for a new ledger by LimitedChecking: with the last of so many failed guesses the
                session ends, and only repeats are answered
    tolerance   with failures: how far the sample may be from a guess that passes, the same for
                all; by default what guesses from as many training rows need
    ledger      a file, or ":memory:"; by default beside a data file (FILE.holdfast), and in
                memory for data that has no file
    mechanisms  which to choose from, for a new ledger: Gaussian (which also protects records),
                Truncation, Splitting; by default whichever has the narrowest intervals. Rounds
                come into it with `rounds`; Laplace, Votes, Checking (of guesses), LimitedChecking
                (with `failures`) and Thresholdout (of guesses, protecting records) only if named.
                OpenEnded, alone and without `questions`, promises for as many as will come
    guesser     where guesses come from if none is given, in a session that checks them:
                holdfast.Training(rows), holdfast.learned_weights(domain), or your own
    analyst     who asks: charges are recorded under the name, and kept within its share
    override    the custodian's reason to go on although the data's budget seems to lie in another
                ledger, or this one to be out of date; the ledger and all certificates name it
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
    if failures is not None:
        check.positive_integer(failures=failures)
    if mechanisms is not None and (isinstance(mechanisms, type) or not list(mechanisms)):
        raise InvalidInput(
            argument="mechanisms", accepted="a list of mechanisms", given=repr(mechanisms)
        )
    if guesser is not None and not callable(getattr(guesser, "guess", None)):
        raise InvalidInput(argument="guesser", accepted="a guesser", given=repr(guesser)[:80])
    limit = limit_of(failures, tolerance)
    analyst_name(analyst)
    check_reason(override=override)
    table = load(source)
    place = named(_place(source, ledger), table.fingerprint)
    witness = witness_of(place)
    rng = entropy or SystemEntropy()
    if Ledger.exists(place):
        book = Ledger.open(place)
    else:
        check_new(witness, table.fingerprint, place=place, override=override)
        best = new_plan(
            table.rows,
            confidence=confidence,
            questions=questions,
            mechanisms=mechanisms,
            rounds=rounds,
            limit=limit,
        )
        book = Ledger.create(place, _opening(table, best, rng, place, witness))
    try:
        agreed = _continued(book, table, confidence=confidence, questions=questions, rng=rng)
        _chosen(agreed, mechanisms, rounds, book)
        _limited(agreed, mechanisms, limit, book)
        if witness:
            book.attend(witness, override=override)
        elif override is not None:
            raise nothing_to_override(override)
    except BaseException:
        book.close()
        raise
    plan = in_custody(agreed, book.opening, book.overrides)
    return Session(table=table, plan=plan, ledger=book, rng=rng, guesser=guesser, analyst=analyst)


def new_plan(
    rows: int,
    *,
    confidence: Fraction | None = None,
    questions: int | None = None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> Plan:
    """What a new ledger for so many rows would promise."""
    confidence = confidence or CONFIDENCE
    if mechanisms and OpenEnded in mechanisms:
        if len(mechanisms) > 1 or questions is not None or rounds is not None or limit is not None:
            failures = None if limit is None else limit.failures
            raise InvalidInput(
                argument="mechanisms",
                accepted="OpenEnded alone, and no number of questions, rounds or failures with it",
                given=f"{len(mechanisms)} mechanisms, questions={questions}, rounds={rounds}, "
                f"failures={failures}",
            )
        return open_ended_plan(rows=rows, confidence=confidence)
    target = Target(confidence=confidence, questions=questions or QUESTIONS)
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
    exact = None if tolerance is None else exact_number(tolerance=tolerance)
    return Limit(failures=failures, tolerance=exact)


def _place(source: object, ledger: str | Path | None) -> str:
    if isinstance(ledger, str | Path):
        return str(ledger)
    if ledger is not None:
        raise InvalidInput(argument="ledger", accepted='a path, or ":memory:"', given=repr(ledger))
    return f"{source}.holdfast" if isinstance(source, str | Path) else MEMORY


def _opening(
    table: Table, best: Plan, rng: Entropy, place: str, witness: Witness | None
) -> Opening:
    unwatched = place != MEMORY and witness is None
    return Opening(
        fingerprint=table.fingerprint,
        rows=table.rows,
        confidence=best.target.confidence,
        questions=best.target.questions,
        mechanism=_keyed(best.mechanism, rng).describe(),
        budget=best.budget,
        entropy=rng.description,
        witness=NONE if unwatched else "",
        name=token_hex(16),
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


def _limited(
    agreed: Plan,
    mechanisms: Collection[type[Mechanism]] | None,
    limit: Limit | None,
    book: Ledger,
) -> None:
    """Refuse a limit to failures if the ledger has another, or none and none was to be chosen."""
    if limit is None:
        return
    promised = agreed.mechanism
    match promised:
        case LimitedChecking():
            recorded = f"{promised.failures:,} of tolerance {float(promised.tolerance):.6g}"
            same = limit.failures == promised.failures
            same = same and limit.tolerance in (None, promised.tolerance)
        case Thresholdout():
            recorded = f"{promised.budget:,}"
            same = min(limit.failures, agreed.target.questions) == promised.budget
            same = same and limit.tolerance is None
        case _:
            recorded = "without a limit"
            same = bool({LimitedChecking, Thresholdout} & set(mechanisms or ()))
    if not same:
        off = "" if limit.tolerance is None else f" of tolerance {float(limit.tolerance):.6g}"
        raise LedgerMismatch(
            ledger=book.place,
            what="failures",
            recorded=recorded,
            given=f"{limit.failures:,}{off}",
            hint="the promise was fixed when the ledger was opened; leave the argument out",
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
    check_rounds(plan, book)
    return plan
