"""`peekproof plan --compare`: every route from these rows and questions to a radius."""

import shlex
from fractions import Fraction

from peekproof.cli import render
from peekproof.cli.drawing import drawable
from peekproof.core.certificate import Target
from peekproof.core.numerics import decimal_up, level_down
from peekproof.planner.quote import Quote
from peekproof.planner.quotes import quotes, taken

# Where the curves are evaluated; they are smooth in between.
COUNTS = (*(step * 10**power for power in range(5) for step in (1, 2, 3, 5)), 10**5)

_TAKEN, _RUNS, _WEAKER = "→", "·", "✗"


def compare(
    rows: int,
    target: Target,
    *,
    rounds: int | None,
    plot: str | None,
    explained: bool,
    json_wanted: bool,
) -> None:
    """Print the comparison, and draw it if a file is named."""
    picture = drawable(plot) if plot else None
    found = quotes(rows=rows, target=target, rounds=rounds)
    best = taken(found)
    if picture:
        from peekproof.audit.figures.routes import draw_routes  # noqa: PLC0415

        draw_routes(
            _curves(rows, target, rounds),
            picture,
            rows=rows,
            confidence=level_down(target.confidence),
            command=_command(rows, target, rounds),
        )
    if json_wanted:
        render.as_json(
            {
                "rows": rows,
                "questions": target.questions,
                "confidence": level_down(target.confidence),
                "rounds": rounds,
                "taken": best.route if best else None,
                "quotes": [quote.to_dict() for quote in found],
            }
        )
        return
    _show(rows, target, found, best)
    if explained:
        render.line()
        for quote in found:
            render.line(f"{decimal_up(quote.radius)}  {quote.route}: {quote.why}")
    if picture:
        render.line(f"Figure: {picture}")


def _show(rows: int, target: Target, found: tuple[Quote, ...], best: Quote | None) -> None:
    render.line(
        f"Radius for {target.questions:,} adaptively chosen questions on {rows:,} rows at "
        f"confidence {level_down(target.confidence)}, the narrowest first:"
    )
    cells = [
        [
            _mark(quote, best),
            f"{decimal_up(quote.radius)}",
            quote.route,
            ", ".join(quote.theorems),
            _parameters(quote),
        ]
        for quote in found
    ]
    render.table(["", "radius", "route", "theorems", "parameters"], cells)
    render.line()
    legend = [f"{_RUNS} a session can run it", f"{_WEAKER} holds for less than all answers"]
    if best:
        legend.insert(0, f"{_TAKEN} what a session takes")
    render.line(", ".join(legend))
    if not best:
        render.line("No route that a session can run says anything here: all are at 0.5 or wider.")


def _mark(quote: Quote, best: Quote | None) -> str:
    if quote == best:
        return _TAKEN
    if not quote.simultaneous:
        return _WEAKER
    return _RUNS if quote.runs else ""


def _parameters(quote: Quote) -> str:
    if not quote.parameters:
        return "does not apply"
    shown = ", ".join(f"{name} {_number(value)}" for name, value in quote.parameters)
    return shown if quote.simultaneous else f"{shown} ({quote.promises})"


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.4g}"


def _curves(rows: int, target: Target, rounds: int | None) -> dict[str, list[tuple[int, float]]]:
    curves: dict[str, list[tuple[int, float]]] = {}
    with render.progress() as progress:
        for done, questions in enumerate(COUNTS, 1):
            at = Target(confidence=target.confidence, questions=questions)
            batches = None if rounds is None else min(rounds, questions)
            for quote in quotes(rows=rows, target=at, rounds=batches):
                curves.setdefault(quote.route, []).append((questions, quote.radius))
            progress("comparing", done, len(COUNTS))
    return curves


def _command(rows: int, target: Target, rounds: int | None) -> str:
    words = ["peekproof", "plan", "--rows", str(rows), "--compare"]
    words += ["--confidence", str(level_down(target.confidence))]
    if rounds is not None:
        words += ["--rounds", str(rounds)]
    return shlex.join([*words, "--plot", "FILE"])
