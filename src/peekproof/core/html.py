"""HTML for notebooks: answers and certificates as tables and small pictures, without scripts.

Everything that notebooks show has one look, which is defined here. Colours are those of the page,
or show on light and on dark ones. Whatever is not `Html` is escaped on its way in, and type
checkers see to it that nothing goes around that.

Pictures show an interval on its axis, or how much of a budget is used. The numbers always stand
beside them as text, so screen readers skip the pictures. A certificate shows the terms of its
radius, what is assumed, and the sources. An answer shows its value, its interval as numbers and as
a bar, and what it cost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape as _escape
from math import isfinite
from typing import TYPE_CHECKING, NewType, final

from peekproof.core.numerics import decimal_down, decimal_up, digits_up, level_down
from peekproof.core.shown import visible, visible_lines

if TYPE_CHECKING:
    from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
    from peekproof.core.certificate import Certificate


# Text that is safe to show.
Html = NewType("Html", str)

_LONGEST = 300  # a question may list thousands of candidates
_CELL = "text-align:left;vertical-align:middle;padding:2px 14px 2px 0"
_RULE = "border-bottom:1px solid rgba(128,128,128,.25)"


def escape(said: str) -> str:
    """What HTML shows as this text; codes that would turn or hide parts of it are spelled out."""
    return _escape(visible_lines(said))


def text(said: str) -> Html:
    return Html(escape(said))


def code(said: str) -> Html:
    """A question, a name or a place, as it was written; a very long one is cut."""
    shown = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    return Html(f'<code style="background:none;color:inherit">{escape(shown)}</code>')


def bold(said: str) -> Html:
    return Html(f"<b>{escape(said)}</b>")


def number(said: str) -> Html:
    """What is not to be broken into two lines."""
    return Html(f'<span style="white-space:nowrap">{escape(said)}</span>')


def faint(*parts: Html) -> Html:
    return Html(f'<small style="opacity:.75">{"".join(parts)}</small>')


def joined(parts: Iterable[Html], between: str = "") -> Html:
    return Html(escape(between).join(parts))


def indented(part: Html) -> Html:
    return Html(f'<span style="padding-left:1.5em">{part}</span>')


def lines(*parts: Html) -> Html:
    """One below the other; what is empty takes no line."""
    return Html("<br>".join(part for part in parts if part))


def box(*parts: Html) -> Html:
    """The whole of what one object shows."""
    return Html(f"<div>{''.join(parts)}</div>")


def table(head: Sequence[str], rows: Iterable[Sequence[Html]]) -> Html:
    """Columns with names, some of which may be empty."""
    names = "".join(
        f'<th style="{_CELL};{_RULE};font-weight:normal;opacity:.75">{escape(name)}</th>'
        for name in head
    )
    body = "".join(
        "<tr style='background:none'>"
        + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    first = f"<tr style='background:none'>{names}</tr>" if any(head) else ""
    look = "border-collapse:collapse;border:none;margin:4px 0;color:inherit;font-size:inherit"
    return Html(f'<table style="{look}">{first}{body}</table>')


def listed(items: Iterable[str]) -> Html:
    found = "".join(f"<li>{escape(item)}</li>" for item in items)
    look = "margin:2px 0;padding-left:1.5em;font-size:smaller;opacity:.75"
    return Html(f'<ul style="{look}">{found}</ul>')


def folded(title: str, inside: Html) -> Html:
    """What is there for whoever wants to see it."""
    summary = f'<summary style="cursor:pointer">{escape(title)}</summary>'
    return Html(f'<details style="margin-top:4px">{summary}{inside}</details>')


_WIDTH, _HEIGHT, _MARGIN = 220, 18, 5

# A blue that shows on white and on black; marks have the colour of the page's text.
_BLUE = "rgb(76,139,245)"
_LINE = 'stroke="currentColor" stroke-opacity=".25"'


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """The numbers from `low` to `high`, on which intervals are drawn below one another."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)

    @classmethod
    def of(cls, ends: Iterable[tuple[float, float]]) -> "Axis | None":
        """The axis on which all these intervals lie: that of shares if they can be; or none."""
        found = tuple(ends)
        low, high = min(end for end, _ in found), max(end for _, end in found)
        if low >= 0 and high <= 1:
            return cls()
        if not (isfinite(low) and isfinite(high)) or low == high:
            return None
        return cls(Fraction(low), Fraction(high))

    @property
    def name(self) -> str:
        return f"{float(self.low):.4g} to {float(self.high):.4g}"

    def bar(self, low: float, value: float, high: float) -> Html:
        """The interval, with the answer marked."""
        left, mark, right = (
            _MARGIN + self._place(each) * (_WIDTH - 2 * _MARGIN) for each in (low, value, high)
        )
        middle = _HEIGHT / 2
        return Html(
            f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="vertical-align:middle" '
            f'aria-hidden="true">'
            f'<path d="M{_MARGIN} {middle}H{_WIDTH - _MARGIN}M{_MARGIN} {middle - 4}v8'
            f'M{_WIDTH - _MARGIN} {middle - 4}v8" {_LINE}/>'
            f'<path d="M{left:.1f} {middle}H{max(right, left + 0.1):.1f}" stroke="{_BLUE}" '
            f'stroke-width="6" stroke-linecap="round" stroke-opacity=".8"/>'
            f'<path d="M{mark:.1f} {middle - 6}v12" stroke="currentColor" stroke-width="2"/></svg>'
        )

    def _place(self, number: float) -> float:
        """Where a number lies, from 0 to 1."""
        share = (Fraction(number) - self.low) / (self.high - self.low)
        return float(min(Fraction(1), max(Fraction(0), share)))


def budget_bar(part: float) -> Html:
    """How much of a budget is used."""
    used = _WIDTH * min(1.0, max(0.0, part))
    # However little was used, something shows.
    used = max(used, 2.0) if part > 0 else 0.0
    place = f'x="0" y="4" height="{_HEIGHT - 8}" rx="3"'
    return Html(
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="vertical-align:middle" '
        f'aria-hidden="true">'
        f'<rect {place} width="{_WIDTH}" fill="currentColor" fill-opacity=".15"/>'
        f'<rect {place} width="{used:.1f}" fill="{_BLUE}" fill-opacity=".8"/></svg>'
    )


def percent(part: float) -> str:
    """A part of a whole, to read; almost nothing does not look like nothing, nor most like all."""
    shown = f"{100 * part:.1f}".removesuffix(".0")
    if part > 0 and shown == "0":
        return "under 0.1%"
    return "over 99.9%" if part < 1 and shown == "100" else f"{shown}%"


def certificate_html(certificate: "Certificate") -> str:
    return box(_terms(certificate))


def folded_certificate(certificate: "Certificate") -> Html:
    """The same, for whoever asks why the interval holds."""
    return folded("why it holds", _terms(certificate))


def _terms(certificate: "Certificate") -> Html:
    target = certificate.target
    promise = (
        f" for at most {target.questions:,} answers from {certificate.rows:,} rows, all together "
        f"with confidence {level_down(target.confidence)} ({certificate.joins})"
    )
    rows = [
        (
            text(decimal_up(part.radius)),
            text(part.covers),
            text(part.theorem),
            text(", ".join(f"{name} = {value:.6g}" for name, value in part.numbers)),
        )
        for part in certificate.parts
    ]
    return joined(
        (
            bold(f"±{decimal_up(certificate.radius)}"),
            text(promise),
            table(("radius", "covers", "theorem", "numbers"), rows),
            faint(text(f"Assumed: {'; '.join(certificate.assumptions)}.")),
            listed(certificate.citations()),
        )
    )


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
        lines(code(visible(answer.question)), joined(found, " "), foot),
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
            code(visible(answer.question)),
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
    why: Html = Html(""),
) -> str:
    """What follows from answers: the value and its interval, with a bar if it is a share."""
    low, high = ends
    bar = Axis().bar(low, value, high) if low >= 0 and high <= 1 else Html("")
    said = f"with confidence {confidence}, together with the answers it follows from; {price}"
    found = (bold(f"{value:.4f}"), text(interval), bar)
    return box(lines(code(label), joined(found, " "), faint(text(said))), why)


def cells_html(
    *,
    question: str,
    cells: Sequence[tuple[str, float, str, tuple[float, float], str]],
    why: Html,
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
        code(visible(question)),
        table(head, rows),
        lines(left_out(len(rows), len(cells)), foot),
        why,
    )


__all__ = [
    "answer_html", "cells_html", "certificate_html", "choice_html", "derived_html",
    "histogram_html", "quantile_html",
]  # fmt: skip
