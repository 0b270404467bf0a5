"""A receipt on paper: plain text of at most 80 columns."""

import shlex
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from peekproof.core.certificate import UNIT
from peekproof.core.finding import Chosen, Level, Numbers
from peekproof.core.numerics import decimal_up, digits_up, float_up, level_down
from peekproof.core.theorem import lookup
from peekproof.ledger.sqlite import MEMORY

if TYPE_CHECKING:
    from peekproof.session.receipt import Receipt

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
