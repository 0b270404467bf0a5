"""`holdfast plan`: what can be promised, before anything is spent."""

import click

from holdfast.cli import options, render
from holdfast.core.errors import InvalidInput, VacuousPlan
from holdfast.core.numerics import decimal_up, level_down
from holdfast.core.target import Target
from holdfast.planner.inverse import questions_affordable, rows_needed
from holdfast.planner.plan import Plan
from holdfast.planner.plan import plan as best_plan
from holdfast.planner.useful import CONFIDENCE, QUESTIONS, useful_plan


@click.command()
@click.option("--rows", type=int, help="Rows of the data.")
@click.option(
    "--questions",
    type=int,
    help="New questions to be asked in all. [default: 1000, if only rows are given]",
)
@click.option("--radius", type=float, help="Half-width that every interval must keep.")
@options.confidence
@options.as_json
def plan(
    rows: int | None,
    questions: int | None,
    radius: float | None,
    confidence: float | None,
    json_wanted: bool,
) -> None:
    """Work out rows, questions or radius from the other two.

    \b
    holdfast plan --rows 100000 --questions 1000    the radius of every interval
    holdfast plan --rows 100000 --radius 0.05       how many questions that allows
    holdfast plan --questions 1000 --radius 0.05    how many rows that needs
    """
    level = CONFIDENCE if confidence is None else confidence
    if rows is not None and radius is None:
        target = Target.of(
            confidence=level, questions=QUESTIONS if questions is None else questions
        )
        found = useful_plan(rows, target)
    elif rows is not None and radius is not None and questions is None:
        found = _most_questions(rows, radius, level)
    elif questions is not None and radius is not None and rows is None:
        target = Target.of(confidence=level, questions=questions)
        found = best_plan(rows=rows_needed(target=target, radius=radius), target=target)
    else:
        given = {"--rows": rows, "--questions": questions, "--radius": radius}
        raise InvalidInput(
            argument="the options",
            accepted="two of --rows, --questions and --radius",
            given=" and ".join(name for name, value in given.items() if value is not None)
            or "none of them",
        )
    if json_wanted:
        render.as_json(found.to_dict())
    else:
        _show(found)


def _most_questions(rows: int, radius: float, level: object) -> Plan:
    confidence = Target.of(confidence=level, questions=1).confidence  # type: ignore[arg-type]
    affordable = questions_affordable(rows=rows, confidence=confidence, radius=radius)
    if affordable == 0:
        one = Target(confidence=confidence, questions=1)
        raise VacuousPlan(
            rows=rows,
            questions=1,
            confidence=confidence,
            radius=radius,
            rows_needed=rows_needed(target=one, radius=radius),
            questions_affordable=0,
        )
    return best_plan(rows=rows, target=Target(confidence=confidence, questions=affordable))


def _show(found: Plan) -> None:
    target = found.target
    render.line(
        f"±{decimal_up(found.radius)} for all of {target.questions:,} adaptively chosen "
        f"questions on {found.rows:,} rows, together with confidence "
        f"{level_down(target.confidence)}"
    )
    rows = [
        [decimal_up(part.radius), part.covers, part.theorem] for part in found.certificate.parts
    ]
    render.table(["radius", "covers", "theorem"], rows)
