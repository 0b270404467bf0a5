"""Answers for notebooks: the value, its interval as numbers and as a bar, and what it cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from peekproof.core.html.bars import Axis
from peekproof.core.html.certificate import folded_certificate
from peekproof.core.html.look import (
    Html,
    bold,
    box,
    code,
    faint,
    joined,
    lines,
    number,
    table,
    text,
)
from peekproof.core.numerics import decimal_down, decimal_up, digits_up
from peekproof.core.shown import shown

if TYPE_CHECKING:
    from peekproof.core.answer import Answer
    from peekproof.core.certificate import Certificate
    from peekproof.core.choice import Choice
    from peekproof.core.histogram_answer import HistogramAnswer
    from peekproof.core.quantile_answer import QuantileAnswer

# A longer table is cut; data frames hold all of it.
MOST_ROWS = 200


def paid(*, confidence: float, replayed: bool, remaining: int) -> Html:
    """The line below an answer."""
    price = "free" if replayed else "one draw"
    together = f"with confidence {confidence} for all answers together"
    return faint(text(f"{together}; {price}, {remaining:,} left"))


def left_out(shown: int, all_of_them: int) -> Html:
    """A line that says so, if a table was cut."""
    if shown >= all_of_them:
        return Html("")
    said = f"the first {shown:,} of {all_of_them:,} rows; to_pandas() and to_dicts() give all"
    return faint(text(said))


def answer_html(answer: "Answer") -> str:
    span, interval = answer.span, answer.interval
    bar = Axis(span.low, span.high).bar(interval.low, answer.value, interval.high)
    found = (bold(f"{answer.value:.{span.places}f}"), text(span.shown(interval)), bar)
    foot = paid(confidence=answer.confidence, replayed=answer.replayed, remaining=answer.remaining)
    return box(
        lines(code(shown(answer.question)), joined(found, " "), foot),
        folded_certificate(answer.certificate),
    )


def histogram_html(histogram: "HistogramAnswer") -> str:
    """All cells, one below the other on one axis."""
    span = histogram.cells[0].span
    axis = Axis(span.low, span.high)
    cells = list(zip(histogram.labels, histogram.cells, strict=True))[:MOST_ROWS]
    rows = [
        (
            code(label),
            bold(f"{cell.value:.{span.places}f}"),
            number(span.shown(cell.interval)),
            axis.bar(cell.low, cell.value, cell.high),
        )
        for label, cell in cells
    ]
    first = histogram.cells[0]
    foot = paid(
        confidence=first.confidence, replayed=histogram.replayed, remaining=histogram.remaining
    )
    return box(
        code(histogram.question),
        table(("cell", "value", "interval", axis.name), rows),
        lines(left_out(len(rows), len(histogram)), foot),
        folded_certificate(histogram.certificate),
    )


def quantile_html(answer: "QuantileAnswer") -> str:
    """The value, and of which levels it can be the quantile."""
    levels = answer.levels
    bar = Axis().bar(levels.low, float(answer.level), levels.high)
    said = f"is a quantile of some level in [{decimal_down(levels.low)}, {decimal_up(levels.high)}]"
    foot = paid(confidence=answer.confidence, replayed=answer.replayed, remaining=answer.remaining)
    return box(
        lines(
            code(shown(answer.question)),
            joined((bold(repr(answer.value)), text(said), bar), " "),
            foot,
        ),
        folded_certificate(answer.certificate),
    )


def choice_html(choice: "Choice") -> str:
    """What was chosen, and how far from the best it can be."""
    said = (
        f"no. {choice.index + 1:,} of {choice.candidates:,} candidates; in the population none is "
        f"better by more than {digits_up(choice.gap)}"
    )
    foot = paid(confidence=choice.confidence, replayed=choice.replayed, remaining=choice.remaining)
    if choice.winner:
        said = f"{choice.winner.value:.{choice.span.places}f} " + (
            f"{choice.span.shown(choice.winner.interval)}; {said}"
        )
    return box(lines(code(choice.chosen), text(said), foot), folded_certificate(choice.certificate))


def derived_html(
    *,
    label: str,
    value: float,
    interval: str,
    ends: tuple[float, float],
    confidence: float,
    price: str = "free",
) -> str:
    """What follows from answers: the value and its interval, with a bar if it is a share."""
    low, high = ends
    bar = Axis().bar(low, value, high) if low >= 0 and high <= 1 else Html("")
    said = f"with confidence {confidence}, together with the answers it follows from; {price}"
    found = (bold(f"{value:.4f}"), text(interval), bar)
    return box(lines(code(label), joined(found, " "), faint(text(said))))


def cells_html(
    *,
    question: str,
    cells: Sequence[tuple[str, float, str, tuple[float, float], str]],
    certificate: "Certificate",
    foot: Html,
) -> str:
    """What holds within cells: label, value, interval, its ends, and how large the cell is."""
    axis = Axis.of(ends for *_, ends, _ in cells)
    rows = [
        (
            code(label),
            bold(f"{value:.4f}"),
            number(interval),
            axis.bar(low, value, high) if axis else Html(""),
            number(size),
        )
        for label, value, interval, (low, high), size in cells[:MOST_ROWS]
    ]
    head = ("cell", "value", "interval", axis.name if axis else "", "of all rows")
    return box(
        code(shown(question)),
        table(head, rows),
        lines(left_out(len(rows), len(cells)), foot),
        folded_certificate(certificate),
    )
