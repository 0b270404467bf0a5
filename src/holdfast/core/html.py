"""Answers and certificates for notebooks: plain tables, and a bar for the interval."""

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from holdfast.core.numerics import decimal_down, decimal_up, level_down

if TYPE_CHECKING:
    from holdfast.core.answer import Answer
    from holdfast.core.certificate import Certificate
    from holdfast.core.histogram_answer import HistogramAnswer

_WIDTH, _HEIGHT = 220, 18


def _bar(low: float, value: float, high: float) -> str:
    """The interval on the line of all possible values, with the answer marked."""
    left, right, mark = (4 + share * (_WIDTH - 8) for share in (low, high, value))
    middle = _HEIGHT / 2
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="{decimal_down(low)} to {decimal_up(high)}">'
        f'<line x1="4" x2="{_WIDTH - 4}" y1="{middle}" y2="{middle}" stroke="#cbd2d9"/>'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{middle}" y2="{middle}" stroke="#15305b" '
        f'stroke-width="5" stroke-linecap="round"/>'
        f'<circle cx="{mark:.1f}" cy="{middle}" r="4.5" fill="#b4451f"/></svg>'
    )


def answer_bar(answer: "Answer") -> str:
    """The interval of an answer as a picture."""
    low, value, high = (
        float(answer.span.share(Fraction(each)))
        for each in (answer.low, answer.released, answer.high)
    )
    return _bar(low, value, high)


def answer_html(answer: "Answer") -> str:
    """One answer: the value, its interval as numbers and as a bar, and what it cost."""
    span, interval = answer.span, answer.interval
    price = "free" if answer.replayed else "one draw"
    return (
        f"<div><code>{escape(answer.question)}</code><br>"
        f"<b>{answer.value:.{span.places}f}</b> {span.shown(interval)} {answer_bar(answer)}<br>"
        f"<small>with confidence {answer.confidence} for all answers together; {price}, "
        f"{answer.remaining:,} left</small></div>"
    )


def histogram_html(histogram: "HistogramAnswer") -> str:
    """All cells, one below the other on one axis."""
    rows = "".join(
        f"<tr><td><code>{escape(label)}</code></td>"
        f"<td><b>{cell.value:.{cell.span.places}f}</b></td>"
        f"<td>{cell.span.shown(cell.interval)}</td><td>{answer_bar(cell)}</td></tr>"
        for label, cell in zip(histogram.labels, histogram, strict=True)
    )
    price = "free" if histogram.replayed else "one draw"
    return (
        f"<div><code>{escape(histogram.question)}</code><table>{rows}</table>"
        f"<small>with confidence {histogram.cells[0].confidence} for all answers together; "
        f"{price}, {histogram.remaining:,} left</small></div>"
    )


def derived_html(
    *, label: str, value: float, interval: str, ends: tuple[float, float], confidence: float
) -> str:
    """What follows from answers: the value and its interval, with a bar if it is a share."""
    low, high = ends
    bar = f" {_bar(low, value, high)}" if low >= 0 and high <= 1 else ""
    return (
        f"<div><code>{escape(label)}</code><br><b>{value:.4f}</b> {escape(interval)}{bar}<br>"
        f"<small>with confidence {confidence}, together with the answers it follows from; free"
        f"</small></div>"
    )


def certificate_html(certificate: "Certificate") -> str:
    """The terms of the radius, what is assumed, and where the theorems come from."""
    rows = "".join(
        f"<tr><td>{decimal_up(part.radius)}</td><td>{escape(part.covers)}</td>"
        f"<td>{escape(part.theorem)}</td><td>"
        + escape(", ".join(f"{name} = {value:.6g}" for name, value in part.numbers))
        + "</td></tr>"
        for part in certificate.parts
    )
    target = certificate.target
    sources = "".join(f"<li>{escape(line)}</li>" for line in certificate.citations())
    return (
        f"<div><b>±{decimal_up(certificate.radius)}</b> for at most {target.questions:,} answers "
        f"from {certificate.rows:,} rows, all together with confidence "
        f"{level_down(target.confidence)} ({escape(certificate.joins)})"
        f"<table><tr><th>radius</th><th>covers</th><th>theorem</th><th>numbers</th></tr>{rows}"
        f"</table><small>Assumed: {escape('; '.join(certificate.assumptions))}.</small>"
        f"<ul>{sources}</ul></div>"
    )
