"""Answers and prices on a terminal."""

from collections.abc import Sequence

from peekproof.cli import render
from peekproof.core.answer import Answer, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import UNIT
from peekproof.core.numerics import decimal_down, decimal_up, level_up
from peekproof.derive.derived import Derived
from peekproof.derive.within import ConditionalAnswer, GroupedAnswer
from peekproof.planner.own import Price
from peekproof.session.quotients import AnyAnswer
from peekproof.session.session import Session


def show_answers(answers: Sequence[AnyAnswer]) -> None:
    """Numbers in one table, and a table for each histogram; quantiles say which level they have."""
    numbers = [each for each in answers if isinstance(each, Answer | ConditionalAnswer)]
    if numbers:
        plain = all(isinstance(each, Answer) and each.span == UNIT for each in numbers)
        head = "share" if plain else "value"
        rows = [[*_numbers(each), _cost(each), each.question] for each in numbers]
        render.table([head, "low", "high", "cost", "question"], rows)
        for among in numbers:
            if isinstance(among, ConditionalAnswer) and among.missing is not None:
                render.line(f"{among.missing_text} of the rows, left out of {among.question}")
            elif isinstance(among, ConditionalAnswer) and among.leaves_out:
                render.line(f"{among.missing_text} of {among.question}")
    for each in answers:
        if isinstance(each, HistogramAnswer):
            render.line(f"{each.question}  ({_cost(each)})")
            render.table(
                ["value", "low", "high", "cell"],
                [[*_numbers(cell), label] for label, cell in zip(each.labels, each, strict=True)],
            )
        elif isinstance(each, GroupedAnswer):
            render.line(f"{each.question}  ({_cost(each)})")
            cells = zip(each.labels, each.cells, each.sizes, strict=True)
            render.table(
                ["value", "low", "high", "of all rows", "cell"],
                [[*_numbers(cell), f"{size.value:.4f}", label] for label, cell, size in cells],
            )
        elif isinstance(each, QuantileAnswer):
            levels = each.levels
            render.line(
                f"{each.value!r} is the quantile of some level from {decimal_down(levels.low)} to "
                f"{decimal_up(levels.high)}: {each.question}  ({_cost(each)})"
            )


def _numbers(answer: Answer | ConditionalAnswer | Derived) -> list[str]:
    places = answer.span.places if isinstance(answer, Answer) else 4
    return [
        f"{answer.value:.{places}f}",
        decimal_down(answer.low, places=places),
        decimal_up(answer.high, places=places),
    ]


def _cost(answer: AnyAnswer) -> str:
    return "free" if answer.replayed else "new"


def show_prices(
    session: Session, prices: Sequence[tuple[str, Price]], *, json_wanted: bool
) -> None:
    """What each question would cost, in planned questions; nothing is spent."""
    left = session.remaining
    if json_wanted:
        render.as_json(
            {
                "remaining": left,
                "prices": [
                    {
                        "question": text,
                        "radius": price.width.most,
                        "least": price.width.least,
                        "width": price.width.words,
                        "questions": level_up(price.questions),
                        "affordable": price.affordable(left),
                        "known": price.known,
                    }
                    for text, price in prices
                ],
            }
        )
        return
    for text, price in prices:
        if price.known:
            render.line(f"{text}: answered before, and free; {price.width}")
            continue
        render.line(
            f"{text}: {price.width}; costs as much as "
            f"{render.upper(level_up(price.questions))} planned questions; {left:,} are left, "
            f"enough for {price.affordable(left):,} such ones"
        )
