"""`holdfast ask`: questions about a file, answered and recorded."""

import click

from holdfast.cli import options, render
from holdfast.core.answer import Answer
from holdfast.session.opening import open as open_data


@click.command()
@click.argument("file")
@click.argument("question", nargs=-1, required=True)
@click.option("--questions", type=int, help="Size of a new budget. [default: 1000]")
@options.confidence
@click.option("--ledger", help="Ledger file. [default: FILE.holdfast]")
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
    """Ask one or more QUESTIONs about the population behind FILE (CSV or Parquet).

    \b
    holdfast ask people.csv "age > 50 and income < 30000"
    """
    with open_data(file, confidence=confidence, questions=questions, ledger=ledger) as session:
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
        target = session.plan.target
        render.line(
            f"±{session.plan.radius:.4f} for all {target.questions:,} questions together, with "
            f"confidence {float(target.confidence):g}; {session.remaining:,} new questions left"
        )
        if explain:
            render.line()
            render.line(session.plan.certificate.explain())


def _show(answers: list[Answer]) -> None:
    rows = [
        [
            f"{answer.value:.4f}",
            f"{answer.low:.4f}",
            f"{answer.high:.4f}",
            "free" if answer.replayed else "new",
            answer.question,
        ]
        for answer in answers
    ]
    render.table(["share", "low", "high", "cost", "question"], rows)
