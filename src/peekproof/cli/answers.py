"""Answers and prices on a terminal."""

from collections.abc import Sequence

from peekproof.cli import render
from peekproof.core.answer import Answer
from peekproof.core.histogram_answer import HistogramAnswer
from peekproof.core.numerics import decimal_down, decimal_up, level_up
from peekproof.core.quantile_answer import QuantileAnswer
from peekproof.core.span import UNIT
from peekproof.derive.derived import Derived
from peekproof.derive.within import ConditionalAnswer, GroupedAnswer
from peekproof.planner.own import Price
from peekproof.query.form import Quantile
from peekproof.query.question import parse_question
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
    radii = [_radius(session, text, price) for text, price in prices]
    if json_wanted:
        render.as_json(
            {
                "remaining": left,
                "prices": [
                    {
                        "question": text,
                        "radius": radius,
                        "questions": level_up(price.questions),
                        "affordable": price.affordable(left),
                        "known": price.known,
                    }
                    for (text, price), radius in zip(prices, radii, strict=True)
                ],
            }
        )
        return
    for (text, price), radius in zip(prices, radii, strict=True):
        if price.known:
            render.line(f"±{decimal_up(radius)} was answered before, and is free: {text}")
            continue
        render.line(
            f"±{decimal_up(radius)} costs as much as "
            f"{render.upper(level_up(price.questions))} planned questions; {left:,} are left, "
            f"enough for {price.affordable(left):,} such ones: {text}"
        )


def _radius(session: Session, text: str, price: Price) -> float:
    """How far the intervals would reach, in the units of the answer; a quantile's in its level."""
    form = parse_question(text, session.schema).form
    low, high = (0.0, 1.0) if isinstance(form, Quantile) else form.span
    return price.reach(high - low)
