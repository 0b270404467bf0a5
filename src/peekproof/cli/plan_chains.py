"""`peekproof plan --chains`: how the rows needed grow with the number of questions."""

from peekproof.cli import render
from peekproof.cli.drawing import drawable
from peekproof.core.certificate import Target
from peekproof.core.numerics import level_down
from peekproof.planner.growth import RowsNeeded, growth

COUNTS = (1, 10, 100, 1_000, 10_000, 100_000)
RADIUS = 0.1

_COLUMNS = (
    "questions",
    "average, TV added",
    "average, private",
    "one question, TV added",
    "one question, private",
    "certified, all together",
)


def chains(
    confidence: object, *, radius: float | None, plot: str | None, json_wanted: bool
) -> None:
    """Print the rows needed for every number of questions, and draw them if a file is named."""
    level = Target.of(confidence=confidence, questions=1).confidence  # type: ignore[arg-type]
    wanted = RADIUS if radius is None else radius
    picture = drawable(plot) if plot else None
    found: list[RowsNeeded] = []
    with render.progress() as progress:
        for questions in COUNTS:
            target = Target(confidence=level, questions=questions)
            found.append(growth(target=target, radius=wanted))
            progress("planning", len(found), len(COUNTS))
    shown = level_down(level)
    if picture:
        from peekproof.audit.figures.chains import draw_chains  # noqa: PLC0415

        command = f"peekproof plan --chains --radius {wanted:g} --confidence {shown} --plot FILE"
        draw_chains(found, picture, radius=wanted, confidence=shown, command=command)
    if json_wanted:
        rows = [row.to_dict() for row in found]
        render.as_json({"radius": wanted, "confidence": shown, "rows_needed": rows})
        return
    render.line(f"Rows needed for ±{wanted:g}, by what the plan promises:")
    render.table(_COLUMNS, [_cells(row) for row in found])
    render.line()
    render.line(
        "Average and one question are not simultaneous: the first bounds the mean drift, the "
        f"second one question's\nmean over coins with confidence {shown}. They certify no answer. "
        f"For them half of ±{wanted:g} is drift and half\nthe standard deviation of the noise. "
        "Only the last column holds for all answers together."
    )
    if picture:
        render.line(f"Figure: {picture}")


def _cells(row: RowsNeeded) -> list[str]:
    counts = (
        row.average_by_variation,
        row.average_by_privacy,
        row.one_by_variation,
        row.one_by_privacy,
        row.certified,
    )
    return [f"{row.questions:,}", *("over 10^18" if n is None else f"{n:,}" for n in counts)]
