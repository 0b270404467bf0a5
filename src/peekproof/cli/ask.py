"""`peekproof ask`: questions about a file, answered, recorded and shown on a terminal."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import click

from peekproof.cli import options, render
from peekproof.cli.options import RowBar
from peekproof.cli.sessions import Consent, opened, place_of
from peekproof.core.answer import Answer, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import UNIT
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up, level_down, level_up
from peekproof.data.load import load
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.derive.derived import Derived
from peekproof.mechanisms.base import Ask, every_mechanism
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.question import Question, parse_question
from peekproof.session.opening import limit_of
from peekproof.session.pricing import cost_of, drawn_prices, new_among
from peekproof.session.queries import AnyAnswer, InWords, declared, drawn_within, guessable
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
            f"{text}: {price.width}; costs as much as {render.planned(level_up(price.questions))}; "
            f"{left:,} are left, enough for {price.affordable(left):,} like it"
        )


# Not what ends with a process: each command would open a round of its own. A ledger can be asked.
_MECHANISMS = {name: kind for name, kind in every_mechanism().items() if not kind.volatile}


@click.command()
@click.argument("file")
@click.argument("question", nargs=-1, required=True)
@click.option("--questions", type=int, help="How many a new ledger allows. [default: 1000]")
@click.option(
    "--rounds",
    type=int,
    help="In how many commands they will come, if a new ledger may count on it.",
)
@options.confidence
@click.option("--ledger", metavar="PATH", help="Ledger file. [default: FILE.peekproof]")
@options.analyst
@options.categories
@options.complete
@click.option("--guess", type=float, help="Check this guess, in a ledger that checks them.")
@click.option(
    "--tolerance",
    type=float,
    help="How far the guess may be off; with --failures, every guess of the ledger.",
)
@click.option(
    "--failures",
    type=int,
    help="After how many failed guesses a new limited-checking ledger ends.",
)
@click.option(
    "--radius",
    type=float,
    help="How far these intervals may reach, at a price. Of 'given', and of a mean with missing "
    "values, that is how far the two parts may; --price says how far the interval can reach.",
)
@click.option("--price", "price_wanted", is_flag=True, help="Only say what it would cost.")
@options.yes
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
    rounds: int | None,
    confidence: float | None,
    ledger: str | None,
    analyst: str,
    categories: dict[str, list[str]],
    complete: list[str],
    guess: float | None,
    tolerance: float | None,
    failures: int | None,
    radius: float | None,
    price_wanted: bool,
    yes: bool,
    mechanism: str | None,
    explain: bool,
    json_wanted: bool,
) -> None:
    """Ask questions about the population behind a FILE, several, or a table in a database.

    \b
    peekproof ask people.csv "age > 50 and income < 30000"
    peekproof ask people.csv "mean(income, 0, 200000) given age > 50"
    peekproof ask people.csv "income > 30000 by city" --categories city=Ulm,Bonn
    peekproof ask "flights-*.parquet" "delay > 30" --ledger flights.peekproof
    peekproof ask "postgresql://host/db#flights" "delay > 30" --ledger flights.peekproof
    peekproof ask people.csv "age > 50" --radius 0.02 --price
    peekproof ask people.csv "mean(income, 0, 200000)"
    peekproof ask people.csv "histogram(age, (18, 30, 50, 65))"
    peekproof ask people.csv "quantile(income, 0.5, 0, 200000)"
    """
    bar = RowBar()
    with bar.shown():
        table = load(file, progress=bar)
    limit = None
    if failures is not None:  # the tolerance is then the ledger's
        limit, tolerance = limit_of(failures, tolerance), None
    guessed = guess is not None or tolerance is not None
    if guessed and len(question) > 1:
        raise InvalidInput(
            argument="--guess",
            accepted="with a single question",
            given=f"{len(question)} questions",
        )
    schema = declared(table.schema, categories, complete)
    parsed = [parse_question(text, schema) for text in question]
    consent = Consent(given=yes or price_wanted)

    def requested(plan: Plan) -> int:
        mechanism, past = plan.mechanism, plan.nothing_asked
        if guessed or mechanism.guesses:
            for each in parsed:
                _check_guess(plan, each, radius, guess, tolerance)
            return len(parsed)
        drawn = drawn_within(plan, parsed, radius)
        made = {
            each.digest: mechanism.offer(Ask(what=InWords(each), radius=own), past)
            for each, own in drawn
        }
        worth = {digest: mechanism.worth(each, plan.target) for digest, each in made.items()}
        cost = sum(worth.values(), Fraction(0))
        consent.to(cost, draws=len(worth), left=plan.target.questions)
        return sum(max(1, ceil(worth[each.digest])) for each, _ in drawn)

    with opened(
        table,
        ledger=place_of(file, ledger, table, price_wanted=price_wanted),
        requested=requested,
        confidence=confidence,
        questions=questions,
        mechanisms=[_MECHANISMS[mechanism]] if mechanism else None,
        rounds=rounds,
        limit=limit,
        analyst=analyst,
        categories=categories,
        complete=complete,
    ) as session:
        if price_wanted:
            show_prices(
                session,
                _prices(session, question, radius, guess, tolerance),
                json_wanted=json_wanted,
            )
            return
        if not guessed and not session.plan.mechanism.guesses:
            drawn = _drawn_prices(session, parsed, radius)
            consent.to(cost_of(drawn), draws=new_among(drawn), left=session.remaining)
        with bar.shown():
            answers = (
                [session.ask(question[0], radius=radius, guess=guess, tolerance=tolerance)]
                if guessed
                else session.respond(question, radius=radius)
            )
        if json_wanted:
            certificate = session.plan.certificate.to_dict()
            render.as_json(
                {
                    "answers": [each.to_dict() for each in answers],
                    "remaining": session.remaining,
                    "remaining_rounds": session.remaining_rounds,
                    "certificate": certificate,
                }
            )
            return
        show_answers(answers)
        render.line(_promise(session, answers))
        if explain:
            for each in dict.fromkeys(answer.certificate.explain() for answer in answers):
                render.line()
                render.line(each)


def _check_guess(
    plan: Plan,
    asked: Question,
    radius: float | None,
    guess: float | None,
    tolerance: float | None,
) -> None:
    if radius is not None:
        accepted = "left out where guesses are checked"
        raise InvalidInput(argument="--radius", accepted=accepted, given=repr(radius))
    what = guessable(asked, plan.mechanism, guess=guess)
    plan.mechanism.offer(Ask(what=what, guess=guess, tolerance=tolerance), plan.nothing_asked)


def _prices(
    session: Session,
    texts: Sequence[str],
    radius: float | None,
    guess: float | None,
    tolerance: float | None,
) -> list[tuple[str, Price]]:
    size = session.new_draws(texts)
    return [
        (
            text,
            session.price_of(text, radius=radius, guess=guess, tolerance=tolerance, together=size),
        )
        for text in texts
    ]


def _drawn_prices(
    session: Session, asked: Sequence[Question], radius: float | None
) -> dict[str, Price]:
    """The price of each draw that is made for the questions together."""
    size = session.new_draws(asked)

    def price_of(each: Question, own: float | None) -> Price:
        return session.price_of(each, radius=own, together=size)

    found = [(each, price_of(each, radius)) for each in asked]
    return drawn_prices(session.plan, found, radius=radius, price_of=price_of)


def _promise(session: Session, answers: Sequence[AnyAnswer]) -> str:
    """What holds for the answers above, and what is left."""
    level = level_down(session.plan.target.confidence)
    mechanism = session.plan.mechanism
    if mechanism.open_ended:
        return (
            f"all together with confidence {level}; open-ended, {session.next_width} for the next "
            "share"
        )
    if counted := mechanism.counted(session.past):
        return (
            f"all together with confidence {level}; {counted} so far, {session.remaining:,} new "
            "questions left"
        )
    rounds = session.remaining_rounds
    in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
    size = f"all {session.plan.target.questions:,} questions together"
    return (
        f"{_reach(session.plan, answers)}{size}, with confidence {level}; "
        f"{session.remaining:,} new questions left{in_rounds}"
    )


def _reach(plan: Plan, answers: Sequence[AnyAnswer]) -> str:
    """The radius of the plan, if it is that of the answers above: shares, asked as planned."""
    shares = [each for each in answers if isinstance(each, Answer) and each.span == UNIT]
    if any(each.certificate.radius != plan.radius for each in shares) or len(shares) < len(answers):
        return "for "
    whole = all(each.low > 0 and each.high < 1 and each.radius == plan.radius for each in shares)
    return f"{'' if whole else 'at most '}±{decimal_up(plan.radius)} for "
