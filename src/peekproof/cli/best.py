"""`peekproof best`: which of many candidates is best in the population, or nearly so."""

from math import ceil
from typing import TextIO

import click

from peekproof.cli import options, render
from peekproof.cli.options import RowBar
from peekproof.cli.sessions import Consent, opened, place_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import digits_up, level_up
from peekproof.data.load import load
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.candidates import parse_candidates
from peekproof.session.queries import Best
from peekproof.session.session import Session


@click.command()
@click.argument("file")
@click.argument("candidate", nargs=-1)
@click.option("--from", "listed", type=click.File(), help="A file with one candidate a line.")
@click.option("--loss", type=float, help="How far below the sample's best it may be, at a price.")
@click.option("--price", "price_wanted", is_flag=True, help="Only say what it would cost.")
@click.option("--questions", type=int, help="How many a new ledger allows. [default: 1000]")
@options.confidence
@click.option("--ledger", metavar="PATH", help="Ledger file. [default: FILE.peekproof]")
@options.analyst
@options.yes
@options.as_json
def best(
    file: str,
    candidate: tuple[str, ...],
    listed: TextIO | None,
    loss: float | None,
    price_wanted: bool,
    questions: int | None,
    confidence: float | None,
    ledger: str | None,
    analyst: str,
    yes: bool,
    json_wanted: bool,
) -> None:
    """Choose the CANDIDATE with the largest share (or mean) in the population behind FILE.

    \b
    peekproof best scores.parquet "model_1 = label" "model_2 = label" "model_3 = label"
    peekproof best scores.parquet --from models.txt --loss 0.01 --price
    """
    asked = [*candidate, *(_candidates(listed) if listed else ())]
    bar = RowBar()
    with bar.shown():
        table = load(file, progress=bar)
    if len(asked) < 2:
        raise InvalidInput(
            argument="candidates", accepted="two or more", given=str(len(asked)), hint="see --help"
        )
    candidates = parse_candidates(asked, table.schema)
    consent = Consent(given=yes or price_wanted)

    def requested(plan: Plan) -> int:
        ask = Ask(what=Best(candidates), loss=loss)
        price = Price.of(plan.mechanism.offer(ask, plan.nothing_asked), plan)
        consent.to(price.questions, draws=1, left=plan.target.questions)
        return max(1, ceil(price.questions))

    with opened(
        table,
        ledger=place_of(file, ledger, table, price_wanted=price_wanted),
        requested=requested,
        confidence=confidence,
        questions=questions,
        mechanisms=[Gaussian],  # the one that can choose
        analyst=analyst,
    ) as session:
        price = session.price_of_best(asked, loss=loss)
        if price_wanted:
            _show_price(session, price, json_wanted)
            return
        consent.to(price.questions, draws=1, left=session.remaining)  # known ones cost nothing
        with bar.shown():
            choice = session.best(asked, loss=loss)
        if json_wanted:
            render.as_json(choice.to_dict())
            return
        render.line(choice.chosen)
        render.line(
            f"no other of {choice.candidates:,} is better by more than {digits_up(choice.gap)} in "
            f"the population, with confidence {choice.confidence} for all answers together; "
            f"{choice.remaining:,} new questions left"
        )


def _candidates(listed: TextIO) -> list[str]:
    try:
        return [line.strip() for line in listed if line.strip()]
    except UnicodeDecodeError:
        raise InvalidInput(
            argument="--from", accepted="a text file in UTF-8", given=repr(listed.name)
        ) from None


def _show_price(session: Session, price: Price, json_wanted: bool) -> None:
    left, gap = session.remaining, price.width.most
    if json_wanted:
        render.as_json(
            {
                "gap": gap,
                "questions": level_up(price.questions),
                "remaining": left,
            }
        )
        return
    render.line(
        f"a choice up to {digits_up(gap)} costs as much as "
        f"{render.planned(level_up(price.questions))}; {left:,} are left"
    )
