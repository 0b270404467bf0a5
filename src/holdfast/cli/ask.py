"""`holdfast ask`: questions about a file, answered and recorded."""

import click

from holdfast.cli import options, render
from holdfast.core.answer import Answer
from holdfast.core.numerics import decimal_down, decimal_up, level_down
from holdfast.data.load import load
from holdfast.query.question import parse_question
from holdfast.session.opening import open as open_data


@click.command()
@click.argument("file")
@click.argument("question", nargs=-1, required=True)
@click.option("--questions", type=int, help="How many a new ledger allows. [default: 1000]")
@options.confidence
@click.option("--ledger", metavar="PATH", help="Ledger file. [default: FILE.holdfast]")
@click.option("--explain", is_flag=True, help="Show the theorems behind the intervals.")
@options.as_json
def ask(
    file: str,
    question: tuple[str, ...],
    questions: int | None,
    confidence: float | None,
    ledger: str | None,
    explain: bool,
    json_wanted: bool,
) -> None:
    """Ask questions about the population behind a CSV or Parquet FILE.

    \b
    holdfast ask people.csv "age > 50 and income < 30000"
    """
    table = load(file)
    for text in question:  # before a ledger is made: a slip must not fix the promise
        parse_question(text, table.schema)
    place = ledger or f"{file}.holdfast"
    with open_data(table, confidence=confidence, questions=questions, ledger=place) as session:
        answers = session.ask_many(question)
        if json_wanted:
            certificate = session.plan.certificate.to_dict()
            render.as_json(
                {
                    "answers": [each.to_dict() for each in answers],
                    "remaining": session.remaining,
                    "certificate": certificate,
                }
            )
            return
        _show(answers)
        target, radius = session.plan.target, decimal_up(session.plan.radius)
        render.line(
            f"±{radius} for all {target.questions:,} questions together, with "
            f"confidence {level_down(target.confidence)}; {session.remaining:,} new questions left"
        )
        if explain:
            render.line()
            render.line(session.plan.certificate.explain())


def _show(answers: list[Answer]) -> None:
    rows = [
        [
            f"{answer.value:.4f}",
            decimal_down(answer.low),
            decimal_up(answer.high),
            "free" if answer.replayed else "new",
            answer.question,
        ]
        for answer in answers
    ]
    render.table(["share", "low", "high", "cost", "question"], rows)
