"""Receipts: one answer of a ledger with all that a person needs to believe and to check it."""

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.certificate import UNIT, Certificate
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput
from peekproof.core.finding import Chosen, Finding, Level, Numbers
from peekproof.core.numerics import decimal_up, digits_up, float_up, level_down
from peekproof.core.secret import shown
from peekproof.core.shown import visible_lines
from peekproof.core.theorem import lookup
from peekproof.ledger.entry import Entry, Paid, PublicOpening, checked, paid_from_body
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.state import State
from peekproof.mechanisms.plan import recorded_plan
from peekproof.session.custody import in_custody
from peekproof.session.records import Certifier, Pasts, Reading

WIDTH = 80
_LABEL = 12
_DIGITS = 16  # of a digest: enough to tell any two apart that nobody forged
_LONGEST = 24  # of a number that is shown in full

_UNITS = {"mu_squared": "mu^2", "epsilon": "epsilon", "draws": "draws"}

# A question or a name may hold codes that a terminal would obey.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def receipt_text(receipt: "Receipt") -> str:
    """All of it, with a newline at the end; only a long path makes a line of over 80 columns."""
    certificate, opening = receipt.certificate, receipt.opening
    entry = receipt.entry
    lines = [
        f"Peekproof receipt: answer {receipt.number:,}",
        "",
        *_field("Question", receipt.question),
        *_field("Answer", *receipt.finding.lines()),
        *_field("Confidence", _confidence(receipt)),
        *(_field("Analyst", receipt.analyst) if receipt.analyst else ()),
        *_field("Time", _moment(receipt.at)),
        *_field("Cost", _cost(receipt), _left(receipt)),
        *_field("Mechanism", _mechanism(receipt)),
        *(_field("Guess", receipt.verdict) if receipt.verdict else ()),
        *_field("Data", f"{opening.rows:,} rows, {opening.data}"),
        f"{'Ledger':<{_LABEL}}{_literal(receipt.place)}",
        *_field("Entry", f"{entry.sequence:,}, digest {entry.digest.hex()[:_DIGITS]}…"),
        "",
        "Why it holds",
        *_wrapped(_reach(receipt)),
        *_parts(receipt),
        "",
        "Theorems",
        *(line for key in certificate.theorems for line in _theorem(key)),
        "",
        "Assumed",
        *(line for each in certificate.assumptions for line in _wrapped(f"- {each}", hang=2)),
        *_overridden(receipt),
        "",
        "How to check it",
        *_wrapped(
            "The digest above is in the ledger and in every export of it, and covers all entries "
            "before it."
        ),
        *_commands(receipt.place),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _field(label: str, *paragraphs: str) -> list[str]:
    """A label and what belongs to it, in a column of its own."""
    wrapped = [
        line
        for each in paragraphs
        for line in textwrap.wrap(_literal(each), WIDTH - _LABEL, break_on_hyphens=False)
    ]
    first, *rest = wrapped or ["(empty)"]
    return [f"{label:<{_LABEL}}{first}", *(f"{'':<{_LABEL}}{line}" for line in rest)]


def _wrapped(text: str, *, indent: int = 2, hang: int = 0) -> list[str]:
    return textwrap.wrap(
        _literal(text),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_on_hyphens=False,
    )


def _commands(place: str) -> list[str]:
    """What to run. A command stays on one line, also if that is long, to be copied."""
    if place == MEMORY:
        return _wrapped("This ledger is in memory and ends with its process: keep an export.")
    said = (
        "These commands recheck every link and every amount, and work out this certificate again:"
    )
    quoted = _literal(shlex.quote(place))
    return [
        *_wrapped(said),
        *(f"    peekproof ledger {name} {quoted}" for name in ("verify", "replay")),
    ]


def _confidence(receipt: "Receipt") -> str:
    target = receipt.certificate.target
    level = level_down(target.confidence)
    return (
        f"{level} that the intervals of all of at most {target.questions:,} answers hold together"
    )


def _moment(at: str) -> str:
    return at.replace("T", " ").replace("Z", " UTC")


def _cost(receipt: "Receipt") -> str:
    offer, opening = receipt.offer, receipt.opening
    unit, amount = offer.cost.unit, offer.cost.amount
    shown = str(amount) if len(str(amount)) <= _LONGEST else f"about {float(amount):.6g}"
    percent = digits_up(float_up(100 * amount / opening.budget.amount), digits=3)
    counted = f"counted as {offer.draws:,} of {opening.questions:,} questions"
    return f"{percent}% of the budget ({_UNITS[unit]} = {shown}), {counted}"


def _left(receipt: "Receipt") -> str:
    rounds = receipt.rounds_left
    in_rounds = "" if rounds is None else f", in {rounds:,} more rounds"
    return f"{receipt.left:,} more questions fitted afterwards{in_rounds}"


def _mechanism(receipt: "Receipt") -> str:
    draw = receipt.reading.draw
    shown = {
        name: value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
        for name, value in sorted(draw.on_receipt.items())
    }
    return draw.phrased(shown)


def _reach(receipt: "Receipt") -> str:
    certificate, span = receipt.certificate, receipt.reading.span
    share = decimal_up(certificate.radius)
    reach = float_up(Fraction(certificate.radius) * span.width)
    whole = f", {share} of the range from {float(span.low):g} to {float(span.high):g}"
    radius = share if span == UNIT else decimal_up(reach, places=span.places)
    ranged = "" if span == UNIT else whole
    match receipt.finding:
        case Level():
            said = f"The level is at most {share} from the one that was asked for"
        case Chosen(winner=Numbers()):
            said = f"The interval of the best reaches at most {radius} from its value{ranged}"
        case Chosen():
            said = f"The choice is at most {radius} below the best{ranged}"
        case Numbers():
            said = f"The interval reaches at most {radius} from the answer{ranged}"
    return f"{said} ({certificate.joins}):"


def _parts(receipt: "Receipt") -> Iterable[str]:
    for part in receipt.certificate.parts:
        numbers = ", ".join(f"{name} = {value:.6g}" for name, value in part.numbers)
        said = f"{part.theorem}: {numbers}" if numbers else part.theorem
        yield from _wrapped(f"{decimal_up(part.radius)}  {part.covers} ({said})", hang=8)


def _theorem(key: str) -> list[str]:
    found = lookup(key)
    lines = _wrapped(f"{key}: {found.citation}", hang=4)
    return [*lines, *_wrapped(found.function, indent=4)] if "docstring" in found.locator else lines


def _overridden(receipt: "Receipt") -> Iterable[str]:
    """What the custodian answers for, which the theorems cannot know."""
    for each in receipt.overrides:
        said = f"- the custodian's word against {each['against']}: {each['reason']}"
        yield from _wrapped(said, hang=2)


def _literal(text: str) -> str:
    return text.translate(_VISIBLE)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An answer, who asked and when, its entry, its price, and why its interval holds.

    `left` is how many planned questions fitted after it, none if its failure was the last;
    `rounds_left` how many rounds, where they are counted. `number` counts answers from 1, in
    the order of the ledger.
    `overrides` are the custodian's, earlier or later: one promise covers all answers.
    """

    place: str
    opening: PublicOpening
    number: int
    digest: str
    paid: Paid
    entry: Entry
    left: int
    rounds_left: int | None
    finding: Finding
    certificate: Certificate
    terms: Mapping[str, str]
    reading: Reading
    overrides: tuple[Mapping[str, str], ...] = ()

    @property
    def question(self) -> str:
        return self.paid.text

    @property
    def analyst(self) -> str:
        return self.paid.analyst

    @property
    def offer(self) -> Offer:
        return self.paid.offer

    @property
    def mechanism(self) -> dict[str, str]:
        """How the answer was drawn; a key is left out."""
        return dict(self.terms)

    @property
    def failed(self) -> bool:
        """Whether the answer corrects a guess."""
        return self.reading.failed

    @property
    def verdict(self) -> str:
        """What became of the guess that was checked; empty if none was."""
        return self.reading.draw.verdict(self.reading.value)

    @property
    def at(self) -> str:
        """When it was answered, in whole seconds."""
        return str(self.entry.body["at"])

    def text(self) -> str:
        """The receipt as plain text, at most 80 columns wide."""
        return visible_lines(receipt_text(self))

    def to_dict(self) -> dict[str, object]:
        return {
            "ledger": self.place,
            "data": self.opening.data,
            "rows": self.opening.rows,
            "number": self.number,
            "question": self.question,
            "digest": self.digest,
            "analyst": self.analyst,
            "answer": self.finding.to_dict(),
            "confidence": level_down(self.certificate.target.confidence),
            "entry": self.entry.sequence,
            "entry_digest": self.entry.digest.hex(),
            "at": self.at,
            "unit": self.offer.cost.unit,
            "cost": str(self.offer.cost.amount),
            "draws": self.offer.draws,
            "left": self.left,
            "rounds_left": self.rounds_left,
            "mechanism": self.mechanism,
            "certificate": self.certificate.to_dict(),
            "overrides": [dict(each) for each in self.overrides],
        }


def receipt(ledger: Ledger, digest: str) -> Receipt:
    """The receipt of the question with this digest."""
    for found in receipts(ledger):
        if found.digest == digest:
            return found
    raise InvalidInput(
        argument="digest", accepted="that of a question with an answer", given=repr(digest)[:80]
    )


def receipts(ledger: Ledger) -> Iterator[Receipt]:
    """The receipts of all answers, in the order in which they were given.

    The entries are replayed from the first, so nobody gets a receipt from a broken chain.
    """
    private, opening = ledger.opening, ledger.opening.public
    recorded = recorded_plan(private, ledger=ledger.place)
    plan = in_custody(recorded, opening, ())  # overrides have lines of their own
    certifier, state = Certifier(plan, ledger=ledger.place), State(ledger.place)
    overrides = tuple(
        {"reason": str(each["reason"]), "against": private.published(str(each["against"]))}
        for each in ledger.look().overrides
    )
    pasts, unit, number = Pasts(plan), plan.budget.unit, 0
    for entry in checked(ledger.stream(), after=None, ledger=ledger.place):
        state.apply(entry)
        if entry.kind != "answer":
            continue
        past = pasts.look(state)
        room = plan.budget.amount - past.spent
        for digest, each in paid_from_body(entry.body, unit=unit).items():
            number += 1
            settled = state.answers[digest]
            yield Receipt(
                place=ledger.public_place,
                opening=opening,
                number=number,
                digest=digest,
                paid=each,
                entry=entry,
                left=plan.mechanism.left(past),
                rounds_left=plan.mechanism.rounds_left(past, room=room),
                finding=certifier.finding(settled),
                certificate=certifier.certificate(settled),
                terms=shown(settled.terms),
                reading=Reading.of(settled, rows=plan.rows),
                overrides=overrides,
            )
