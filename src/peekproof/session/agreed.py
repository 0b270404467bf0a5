"""What a ledger promises already, and whether it is what the caller counts on."""

from collections.abc import Collection
from fractions import Fraction

from peekproof.core.errors import InvalidInput, LedgerMismatch
from peekproof.data.source import Source
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Limit, Mechanism
from peekproof.mechanisms.plan import Plan, recorded_plan
from peekproof.noise.entropy import Entropy
from peekproof.session.records import check_paid, check_record


def continued(
    book: Ledger,
    table: Source,
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
    about = str(getattr(table, "about", ""))
    same("what the rows are", opening.about, about, "give the same groups, by the same names")
    kept = "the promise was fixed when the ledger was opened; leave the argument out to continue it"
    same("confidence", opening.confidence, confidence or opening.confidence, kept)
    same("questions", opening.questions, questions or opening.questions, kept)
    source = "noise from two kinds of sources cannot share a promise"
    same("entropy", opening.entropy, rng.description, source)
    plan = recorded_plan(opening, ledger=book.place)
    check_paid(plan, book.seen.offers.values(), ledger=book.place)
    if plan.mechanism.rechecked:
        check_record(plan, book)
    if plan.mechanism.ordered and not table.ordered:
        raise unordered(table)
    return plan


def check_chosen(
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
    promised = agreed.mechanism.again().rounds
    if rounds and promised and promised != rounds:
        raise LedgerMismatch(
            ledger=book.place,
            what="rounds",
            recorded=str(promised),
            given=str(rounds),
            hint=hint,
        )


def check_limited(
    agreed: Plan,
    mechanisms: Collection[type[Mechanism]] | None,
    limit: Limit | None,
    book: Ledger,
) -> None:
    """Refuse a limit to failures if the ledger has another, or none and none was to be chosen."""
    if limit is None:
        return
    recorded, promised = agreed.mechanism.limited(agreed.target)
    if promised is None:
        same = any("failures" in kind.options for kind in mechanisms or ())
    else:
        fewest = min(limit.failures, agreed.target.questions)
        same = promised.failures in (limit.failures, fewest)
        same = same and limit.tolerance in (None, promised.tolerance)
    if not same:
        off = "" if limit.tolerance is None else f" of tolerance {float(limit.tolerance):.6g}"
        raise LedgerMismatch(
            ledger=book.place,
            what="failures",
            recorded=recorded,
            given=f"{limit.failures:,}{off}",
            hint="the promise was fixed when the ledger was opened; leave the argument out",
        )


def no_statistic(source: Source) -> InvalidInput:
    """Why a source cannot be handed to a function."""
    return InvalidInput(
        argument="source",
        accepted="rows in memory, for a function of all of them",
        given=f"a {type(source).__name__}",
        hint="load the rows, or ask for means, histograms and quantiles",
    )


def unordered(source: Source) -> InvalidInput:
    """Why a source cannot promise by fresh rows."""
    return InvalidInput(
        argument="source",
        accepted="rows in memory, which can be numbered, for a promise by fresh rows",
        given=f"a {type(source).__name__}",
        hint="name another mechanism, such as peekproof.Gaussian, or load the rows",
    )
