"""`peekproof ledger`: what was asked and what is left, whether the record is intact, and custody.

A path means a database, the ledger beside a data file, or an export. What a ledger gives out goes
to a new file, which never replaces another.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TextIO, final

import click

from peekproof.cli import options, render
from peekproof.core.certificate import Interval, Span
from peekproof.core.errors import InvalidInput, LedgerMissing
from peekproof.core.finding import Chosen, Finding, Level, Numbers
from peekproof.core.numerics import decimal_up, level_down
from peekproof.ledger.entry import Body, Entry, Settled, checked, without_keys
from peekproof.ledger.export import (
    Difference,
    ExportStore,
    FirstContinues,
    Identical,
    Parted,
    SecondContinues,
    difference,
    is_export,
    only_read,
)
from peekproof.ledger.export import export as export_to
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.move import move as moved
from peekproof.ledger.restoration import Restored
from peekproof.ledger.restoration import restore as restored
from peekproof.ledger.sqlite import is_database
from peekproof.ledger.witness import NONE
from peekproof.mechanisms.plan import recorded_plan
from peekproof.noise.entropy import SystemEntropy
from peekproof.session.custody import check_reason, witness_of
from peekproof.session.opening import open as open_data
from peekproof.session.queries import analyst_name
from peekproof.session.receipt import Receipt, receipts
from peekproof.session.records import Certifier, Pasts, check_paid
from peekproof.session.replay import Replay
from peekproof.session.replay import replay as replayed


@click.command()
@click.argument("path")
@click.option("--reason", required=True, help="Why you answer for it; certificates will say it.")
@click.option("--ledger", "place", metavar="PATH", help="The ledger, if it is not FILE.peekproof.")
@click.option("--questions", type=int, help="How many a new ledger allows. [default: as the last]")
@options.confidence
@options.as_json
def adopt(
    path: str,
    reason: str,
    place: str | None,
    questions: int | None,
    confidence: float | None,
    json_wanted: bool,
) -> None:
    """Go on with a ledger that was refused; PATH is the ledger or its data file.

    A data file whose ledger is lost gets a new one. The reason is recorded in the ledger.
    """
    check_reason(**{"--reason": reason})
    with closing(_adopted(path, reason, place, questions, confidence)) as book:
        against = str(book.overrides[-1]["against"])
        if json_wanted:
            said = {"ledger": book.place, "reason": reason, "against": against}
            render.as_json(said)
        else:
            render.line(f"{book.place}: adopted ({reason}), overriding {against}")


def _adopted(
    path: str, reason: str, place: str | None, questions: int | None, confidence: float | None
) -> Ledger:
    if "://" not in path and is_export(Path(path)):
        raise only_read(path, hint="name the ledger that it was made from, or its data file")
    data = not (path.endswith(".peekproof") or "://" in path or is_database(Path(path)))
    promised = place is not None or questions is not None or confidence is not None
    if promised and not data:
        raise InvalidInput(
            argument="PATH",
            accepted="a data file, if --ledger, --questions or --confidence is given",
            given="a ledger",
        )
    if data:
        session = open_data(
            path, ledger=place, questions=questions, confidence=confidence, override=reason
        )
        return session.ledger
    book = Ledger.open(path)
    try:
        witness = witness_of(path)
        if witness is None:
            raise nothing_to_override(reason)
        book.attend(witness, override=reason)
    except BaseException:
        book.close()
        raise
    return book


@contextmanager
def new_file(path: str) -> Iterator[TextIO]:
    """A file for the owner's eyes, complete or not at all."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidInput(
            argument="--out", accepted="a new file", given=f"{path} ({reason})"
        ) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise


@click.command()
@click.argument("source")
@click.argument("target")
@options.as_json
def move(source: str, target: str, json_wanted: bool) -> None:
    """Carry a ledger over from a file to PostgreSQL, or back.

    SOURCE is the ledger or its data file, TARGET postgresql://…; or the reverse. The old place is
    retired and says where the ledger went. After an interruption, run it again.
    """
    if "://" not in source:
        beside = Path(f"{source}.peekproof")
        source = str(beside) if beside.exists() else source
        if is_export(Path(source)):
            raise only_read(source)
    found = moved(source, target, witness=witness_of(source))
    if json_wanted:
        render.as_json(asdict(found))
    else:
        render.line(f"{found.source}: moved to {found.ledger}, {found.entries:,} entries")


def open_ledger(path: str) -> Ledger:
    """The ledger at `path` or beside the data file `path`, or the export `path`, only to read."""
    if "://" in path:
        return Ledger.open(path)
    beside = Path(f"{path}.peekproof")
    if beside.exists():
        return Ledger.open(str(beside))
    if is_export(Path(path)):
        return Ledger(ExportStore(Path(path)))
    if not path.endswith(".peekproof") and not is_database(Path(path)):
        raise LedgerMissing(ledger=path)
    return Ledger.open(path)


def open_to_write(path: str) -> Ledger:
    """The ledger that `path` means, under the eyes of the witness; an export is refused."""
    book = open_ledger(path)
    try:
        if "://" not in book.place and is_export(Path(book.place)):
            raise only_read(path)
        witness = witness_of(book.place)
        if witness:
            book.attend(witness)
    except BaseException:
        book.close()
        raise
    return book


NAMELESS = "(no name)"


@click.command()
@click.argument("path")
@click.argument("shares", nargs=-1, metavar="NAME=SHARE…")
@options.as_json
def share(path: str, shares: tuple[str, ...], json_wanted: bool) -> None:
    """Set aside shares of the budget: ann=1/4 bob=0.5; those not named keep theirs.

    A share is part of the budget and of the questions, for this analyst alone; those without one
    have the rest together. NAME= takes a share back. What was asked before counts.
    """
    with closing(open_to_write(path) if shares else open_ledger(path)) as book:
        kept = dict(book.look().accounts.shares)
        for text in shares:
            name, amount = _read(text)
            kept.pop(name, None)
            if amount is not None:
                kept[name] = amount
        if shares:
            book.set_aside(kept)
        _show_shares(book, json_wanted=json_wanted)


@click.command()
@click.argument("path")
@options.as_json
def analysts(path: str, json_wanted: bool) -> None:
    """Who asked how much, and how much they may."""
    with closing(open_ledger(path)) as book:
        _show_shares(book, json_wanted=json_wanted)


@click.command()
@click.argument("path")
@click.confirmation_option(
    prompt="No new question will ever be answered from this ledger. Close it?"
)
def close(path: str) -> None:
    """Close a ledger for good; what was answered stays free."""
    with closing(open_to_write(path)) as book:
        book.retire()
        render.line(f"{book.place} is closed; questions asked: {book.draws():,}")


def _read(text: str) -> tuple[str, Fraction | None]:
    name, equals, amount = text.rpartition("=")
    if not name or not equals:
        raise InvalidInput(
            argument="NAME=SHARE", accepted="such as ann=1/4, or ann= to take it back", given=text
        )
    if not amount:
        return analyst_name(name), None
    try:
        share = Fraction(amount)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(
            argument="NAME=SHARE", accepted="a share from 0 to 1, such as 1/4 or 0.25", given=text
        ) from None
    return analyst_name(name), share


def _show_shares(book: Ledger, *, json_wanted: bool) -> None:
    accounts = book.look().accounts
    lines = []
    for name in accounts.names:
        used, (_, left) = accounts.of(name), accounts.left(name)
        share = accounts.shares.get(name)
        lines.append(
            {
                "analyst": name,
                "share": None if share is None else str(share),
                "asked": used.draws,
                "spent": str(used.spent),
                "questions_left": left,
            }
        )
    if json_wanted:
        unnamed = str(accounts.share_of("")) if accounts.shares else None
        render.as_json({"ledger": book.place, "rest": unnamed, "analysts": lines})
        return
    render.table(
        ["analyst", "share", "asked", "of the budget", "questions left"],
        [
            [
                str(each["analyst"]) or NAMELESS,
                str(each["share"] or "of the rest" if accounts.shares else "of all"),
                f"{each['asked']:,}",
                f"{accounts.part(str(each['analyst'])):.1%}",
                f"{each['questions_left']:,}",
            ]
            for each in lines
        ],
    )
    if accounts.shares:
        rest = accounts.share_of("")
        render.line(f"{float(rest):.1%} of the budget is for all who have no share of their own")


DIFFERENT = 1


@click.command()
@click.argument("first")
@click.argument("second")
@options.as_json
@click.pass_context
def diff(context: click.Context, first: str, second: str, json_wanted: bool) -> None:
    """Compare two ledgers or exports, FIRST and SECOND.

    Exit code 0 if they are identical, 1 if one continues the other or they part.
    """
    with closing(open_ledger(first)) as one, closing(open_ledger(second)) as other:
        found = difference(
            *(checked(book.stream(), after=None, ledger=book.place) for book in (one, other))
        )
        if json_wanted:
            render.as_json({"first": one.place, "second": other.place, **_to_dict(found)})
        else:
            _show_difference(found, one, other)
    if not isinstance(found, Identical):
        context.exit(DIFFERENT)


def _show_difference(found: Difference, one: Ledger, other: Ledger) -> None:
    match found:
        case Identical(entries):
            render.line(f"identical: {entries:,} entries")
        case FirstContinues(shared, more):
            _show_continued(one.place, other.place, shared, more)
        case SecondContinues(shared, more):
            _show_continued(other.place, one.place, shared, more)
        case Parted(shared, first, second):
            render.line(f"they part at entry {shared + 1:,}, after {shared:,} that are the same")
            for place, entry in ((one.place, first), (other.place, second)):
                said = json.dumps(_body(entry), ensure_ascii=False)
                render.line(f"{place}: {entry.kind} {entry.digest.hex()[:16]}… {said}")


def _show_continued(longer: str, shorter: str, shared: int, more: int) -> None:
    entries = "1 more entry" if more == 1 else f"{more:,} more entries"
    render.line(f"{longer} continues {shorter}: {entries} after the same {shared:,}")


def _to_dict(found: Difference) -> dict[str, object]:
    match found:
        case Identical(entries):
            return {"difference": "identical", "shared": entries}
        case FirstContinues(shared, more):
            return {"difference": "first continues second", "shared": shared, "more": more}
        case SecondContinues(shared, more):
            return {"difference": "second continues first", "shared": shared, "more": more}
        case Parted(shared, first, second):
            parted = {"first_entry": _entry(first), "second_entry": _entry(second)}
            return {"difference": "parted", "shared": shared, **parted}


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "sequence": entry.sequence,
        "kind": entry.kind,
        "body": _body(entry),
        "digest": entry.digest.hex(),
    }


def _body(entry: Entry) -> Body:
    """What an entry says, without keys."""
    return without_keys(entry.body)


@click.command()
@click.argument("path")
@click.option("--out", metavar="FILE", help="A new file. [default: standard output]")
def export(path: str, out: str | None) -> None:
    """Write all entries as JSON Lines; PATH is the ledger or its data file.

    The chain can be rechecked with nothing but SHA-256; the page on the ledger's format shows how.
    """
    with closing(open_ledger(path)) as book:
        click.echo(
            "Warning: the export holds the fingerprint of the data and the keys of the ledger, "
            "because the chain covers them. It is for the custodian, not for analysts.",
            err=True,
        )
        if out is None:
            export_to(book, sys.stdout)
            return
        with new_file(out) as file:
            entries = export_to(book, file)
        render.line(f"{book.place}: {entries:,} entries written to {out}")


_RULE = "\n" + "-" * 80 + "\n\n"
_FEWEST_DIGITS = 8


@click.command()
@click.argument("path")
@click.argument("question", required=False)
@click.option("--out", metavar="FILE", help="A new file. [default: standard output]")
@options.as_json
def receipt(path: str, question: str | None, out: str | None, json_wanted: bool) -> None:
    """Print a receipt for one answer, or for all of them.

    PATH is the ledger, its data file or an export. QUESTION is a question as `ledger show` lists
    it, its number in that list, or the first digits of its digest.
    """
    with closing(open_ledger(path)) as book:
        found = list(receipts(book))
    if question is not None:
        found = [_chosen(found, question)]
    listed = [each.to_dict() for each in found]
    if json_wanted and out is None:
        render.as_json(listed)
        return
    text = _RULE.join(each.text() for each in found) if found else "No answers yet.\n"
    if json_wanted:
        text = f"{render.json_text(listed)}\n"
    if out is None:
        render.line(text.removesuffix("\n"))
        return
    with new_file(out) as file:
        file.write(text)
    render.line(f"{len(found):,} {'receipt' if len(found) == 1 else 'receipts'} written to {out}")


def _chosen(found: Sequence[Receipt], question: str) -> Receipt:
    """The receipt that is asked for: by text first, for a question may be a number."""
    asked = " ".join(question.split())
    for each in found:
        if " ".join(each.question.split()) == asked:
            return each
    if asked.isdecimal() and 1 <= int(asked) <= len(found):
        return found[int(asked) - 1]
    digested = [each for each in found if each.digest.startswith(asked)]
    if len(asked) >= _FEWEST_DIGITS and len(digested) == 1:
        return digested[0]
    raise InvalidInput(
        argument="QUESTION",
        accepted=f"a question with an answer, or its number from 1 to {len(found):,}",
        given=repr(question)[:80],
        hint="`peekproof ledger show` lists them",
    )


@click.command()
@click.argument("path")
@options.as_json
def replay(path: str, json_wanted: bool) -> None:
    """Replay a ledger or an export from nothing, and certify every answer anew.

    PATH is the ledger, its data file or an export. Whatever does not fit ends with exit code 4.
    """
    with closing(open_ledger(path)) as book, render.progress() as advance:
        found = replayed(book, progress=lambda done, total: advance("entries", done, total))
    if json_wanted:
        render.as_json({"ledger": found.place, **found.to_dict()})
    else:
        _show_replay(found)


def _show_replay(found: Replay) -> None:
    opening, state = found.opening, found.state
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.items())
    render.line(
        f"{found.place}: {opening.rows:,} rows ({opening.fingerprint}), confidence "
        f"{level_down(opening.confidence)}"
    )
    render.line(f"analysts and receipts call the data {opening.public_name}")
    render.line(f"{found.entries:,} entries: {kinds}")
    render.line(f"{state.draws:,} of {opening.questions:,} questions asked, {_part(found)} spent")
    render.line(
        f"answers: {len(state.answers):,}; certificates given again: {found.certificates:,}"
    )
    for what, count in (
        ("paid for but never answered", found.unanswered),
        ("overrides by the custodian", len(state.overrides)),
    ):
        if count:
            render.line(f"{what}: {count:,}")
    if state.closed:
        render.line("closed: nothing new is answered")
    if any(state.accounts.by_name) or state.accounts.shares:
        _show_analysts(found)


def _show_analysts(found: Replay) -> None:
    accounts = found.state.accounts
    names = dict.fromkeys((*accounts.by_name, *accounts.shares))
    render.table(
        ["analyst", "questions", "spent", "share"],
        [
            [
                name or "(no name)",
                f"{accounts.of(name).draws:,}",
                _percent(found, name),
                f"{float(accounts.shares[name]):.2%}" if name in accounts.shares else "",
            ]
            for name in names
        ],
    )


def _part(found: Replay) -> str:
    return f"{float(found.state.spent.amount / found.opening.budget.amount):.2%}"


def _percent(found: Replay, name: str) -> str:
    spent = found.state.accounts.of(name).spent
    return f"{float(spent / found.opening.budget.amount):.2%}"


@click.command()
@click.argument("source")
@click.option("--to", metavar="PATH", help="The ledger to make. [default: SOURCE, if it is one]")
@click.option("--reason", help="How you know that nothing was asked since, if no witness tells.")
@options.as_json
def restore(source: str, to: str | None, reason: str | None, json_wanted: bool) -> None:
    """Make a ledger from an export, or from what is intact of a damaged one.

    SOURCE is the damaged ledger, its data file or a complete export. A file that is in the way is
    kept under another name. What is lost counts as spent.
    """
    check_reason(**{"--reason": reason})
    path = _source(source)
    target = _target(path, to)
    found = restored(path, target, witness=witness_of(str(target)), reason=reason)
    if json_wanted:
        render.as_json({"ledger": found.place, **asdict(found)})
    else:
        _show_restored(found)


def _source(given: str) -> Path:
    if "://" in given:
        raise InvalidInput(
            argument="SOURCE",
            accepted="a file",
            given="a database",
            hint="restore an export or a backup of it to a file, and move that with peekproof "
            "ledger move",
        )
    path, beside = Path(given), Path(f"{given}.peekproof")
    return beside if beside.exists() and not is_export(path) else path


def _target(source: Path, to: str | None) -> Path:
    if to is None:
        if is_export(source):
            raise InvalidInput(
                argument="--to",
                accepted="given with an export: the ledger to make, such as FILE.peekproof",
                given="none",
            )
        return source
    if "://" in to:
        raise InvalidInput(
            argument="--to",
            accepted="a file",
            given="a database",
            hint="restore to a file, and move that with peekproof ledger move",
        )
    path = Path(to)
    data = path.is_file() and not to.endswith(".peekproof") and not is_database(path)
    return Path(f"{to}.peekproof") if data else path


def _show_restored(found: Restored) -> None:
    render.line(
        f"{found.place}: restored from {found.source}, {found.entries:,} entries up to "
        f"{found.digest[:16]}…"
    )
    if found.kept:
        render.line(f"what was there is kept as {found.kept}")
    if found.mended:
        render.line(f"a flipped bit was undone in {found.mended:,} of them")
    if found.lost:
        render.line(
            f"{found.lost:,} or more are lost and may have spent all that was left: what was "
            "answered stays free, and nothing new is answered"
        )
    elif found.seen:
        render.line("nothing that was seen is lost")
    else:
        render.line(
            f"no witness tells whether anything was written after entry {found.entries:,}: that "
            "nothing was is your word, which the ledger and its certificates repeat"
        )


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A settled answer with what it says of the population."""

    settled: Settled
    found: Finding
    radius: float  # that is certified

    def lines(self) -> list[list[str]]:
        """value, low, high, text: one line a number."""
        text = self.settled.text
        match self.found:
            case Chosen(gap=gap, winner=winner) as chosen:
                ends = _ends(winner.span, winner.interval) if winner else ["", ""]
                return [[f"no. {chosen.index + 1}", *ends, f"{text} (up to {decimal_up(gap)})"]]
            case Level(value=value):
                return [[repr(value), "", "", f"{text} (up to {decimal_up(self.radius)})"]]
            case Numbers(cells, span):
                numbers = [
                    [f"{number:.{span.places}f}", *_ends(span, interval)]
                    for number, interval in cells
                ]
        if len(numbers) == 1:
            return [[*numbers[0], text]]
        return [[*each, f"{text} [{n}]"] for n, each in enumerate(numbers, 1)]

    def to_dict(self) -> dict[str, object]:
        said = self.found.to_dict()
        said.pop("candidates", None)
        return {"question": self.settled.text, **said}


def _ends(span: Span, interval: Interval) -> list[str]:
    return span.shown(interval).strip("[]").split(", ")


@click.group()
def ledger() -> None:
    """Look at the record of what was asked and spent."""


@ledger.command()
@click.argument("path")
@options.as_json
def show(path: str, json_wanted: bool) -> None:
    """List what was asked; PATH is the ledger, its data file or an export."""
    with closing(open_ledger(path)) as book:
        opening, answers, draws = book.opening, book.answers(), book.draws()
        plan = recorded_plan(opening, ledger=book.place)
        lost = sum(len(questions) for questions in book.seen.unanswered.values())
        check_paid(plan, book.seen.offers.values(), ledger=book.place)
        mechanism, past = plan.mechanism, Pasts(plan).look(book.seen)
        left = mechanism.left(past)
        certifier = Certifier(plan, ledger=book.place)  # of all, for most were drawn alike
        records = [
            Record(each, certifier.finding(each), certifier.certificate(each).radius)
            for each in answers.values()
        ]
        if json_wanted:
            summary = {
                "ledger": book.place,
                **without_keys(opening.to_body()),
                "data": opening.public_name,
                "confidence": level_down(opening.confidence),
                "spent": str(book.spent().amount),
                "draws": draws,
                "unanswered": lost,
                "remaining": left,
                "radius": plan.radius,
                "overrides": book.seen.overrides,
                "answers": [each.to_dict() for each in records],
            }
            render.as_json(summary)
            return
        render.line(
            f"{book.place}: {opening.rows:,} rows ({opening.fingerprint}), "
            f"{mechanism.summary(plan.radius)} at confidence {level_down(opening.confidence)}"
        )
        render.line(f"analysts and receipts call the data {opening.public_name}")
        if opening.entropy != SystemEntropy.description:
            render.line(f"noise from {opening.entropy}")
        if opening.witness == NONE:
            render.line("opened without a witness: nothing tells whether it is the only ledger")
        for each in book.seen.overrides:
            render.line(f"overridden ({each['reason']}): {each['against']}")
        room = plan.budget.amount - past.spent
        rounds = mechanism.rounds_left(past, room=room)
        in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
        render.line(
            f"{draws:,} of {opening.questions:,} questions asked, {left:,} more as planned"
            f"{in_rounds}"
        )
        if mechanism.limited(plan.target)[1] and (counted := mechanism.counted(past)):
            render.line(counted)
        if lost:
            render.line(f"{lost:,} paid for but never answered")
        if answers:
            rows = [line for each in records for line in each.lines()]
            render.table(["value", "low", "high", "question"], rows)


@ledger.command()
@click.argument("path")
@options.as_json
def verify(path: str, json_wanted: bool) -> None:
    """Recheck every entry; PATH is the ledger, its data file or an export."""
    with closing(open_ledger(path)) as book, render.progress() as advance:
        entries = book.verify(progress=lambda done, total: advance("entries", done, total))
    if json_wanted:
        render.as_json({"ledger": book.place, "entries": entries, "intact": True})
    else:
        render.line(f"{book.place}: {entries:,} entries, chain and amounts intact")


for command in (export, replay, diff, receipt, analysts, share, adopt, close, restore, move):
    ledger.add_command(command)
