"""`holdfast ask`: questions about a file, answered and recorded."""

import click

from holdfast.cli import options, render
from holdfast.core.answer import Answer
from holdfast.core.errors import InvalidInput
from holdfast.core.numerics import decimal_down, decimal_up, level_down, level_up
from holdfast.data.load import load
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.splitting import Splitting
from holdfast.mechanisms.truncation import Truncation
from holdfast.planner.plan import Mechanism
from holdfast.planner.price import planned_price
from holdfast.query.question import parse_question
from holdfast.session.opening import open as open_data
from holdfast.session.session import Session

_MECHANISMS: dict[str, type[Mechanism]] = {
    kind.KIND: kind for kind in (Gaussian, Truncation, Splitting, OpenEnded)
}


@click.command()
@click.argument("file")
@click.argument("question", nargs=-1, required=True)
@click.option("--questions", type=int, help="How many a new ledger allows. [default: 1000]")
@options.confidence
@click.option("--ledger", metavar="PATH", help="Ledger file. [default: FILE.holdfast]")
@click.option("--radius", type=float, help="How far these intervals may reach, at a price.")
@click.option("--price", "price_wanted", is_flag=True, help="Only say what --radius would cost.")
@click.option(
    "--mechanism",
    type=click.Choice(list(_MECHANISMS)),
    help="What a new ledger promises by. [default: the narrowest]",
)
@click.option("--explain", is_flag=True, help="Show the theorems behind the intervals.")
@options.as_json
def ask(
    file: str,
    question: tuple[str, ...],
    questions: int | None,
    confidence: float | None,
    ledger: str | None,
    radius: float | None,
    price_wanted: bool,
    mechanism: str | None,
    explain: bool,
    json_wanted: bool,
) -> None:
    """Ask questions about the population behind a CSV or Parquet FILE.

    \b
    holdfast ask people.csv "age > 50 and income < 30000"
    holdfast ask people.csv "age > 50" --radius 0.02 --price
    """
    if price_wanted and radius is None:
        raise InvalidInput(argument="--price", accepted="used with --radius", given="no radius")
    table = load(file)
    for text in question:  # before a ledger is made: a slip must not fix the promise
        parse_question(text, table.schema)
    place = ledger or f"{file}.holdfast"
    with open_data(
        table,
        confidence=confidence,
        questions=questions,
        ledger=place,
        mechanisms=[_MECHANISMS[mechanism]] if mechanism else None,
    ) as session:
        if price_wanted and radius is not None:
            _show_price(session, radius, json_wanted=json_wanted)
            return
        answers = session.ask_many(question, radius=radius)
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
        render.line(_promise(session))
        if explain:
            for each in {id(answer.certificate): answer.certificate for answer in answers}.values():
                render.line()
                render.line(each.explain())


def _promise(session: Session) -> str:
    level = level_down(session.plan.target.confidence)
    if isinstance(session.plan.mechanism, OpenEnded):
        coming = planned_price(session.plan, draw=session.ledger.draws() + 1).certificate
        return (
            f"±{decimal_up(coming.radius)} for the next question, all together with confidence "
            f"{level}; open-ended"
        )
    return (
        f"±{decimal_up(session.plan.radius)} for all {session.plan.target.questions:,} questions "
        f"together, with confidence {level}; {session.remaining:,} new questions left"
    )


def _show_price(session: Session, radius: float, *, json_wanted: bool) -> None:
    found = session.price(radius)
    worth, left = level_up(found.questions), session.remaining
    if json_wanted:
        render.as_json(
            {
                "radius": found.certificate.radius,
                "questions": worth,
                "remaining": left,
                "affordable": int(left // found.questions),
            }
        )
        return
    render.line(
        f"±{decimal_up(found.certificate.radius)} costs as much as {render.upper(worth)} planned "
        f"questions; {left:,} are left, enough for {int(left // found.questions):,} such ones"
    )


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
