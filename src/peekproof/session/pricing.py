"""What questions of any form would cost, and how far their intervals would reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from peekproof.core.answer import Answer
from peekproof.core.charge import added
from peekproof.core.numerics import decimal_up, float_up
from peekproof.core.width import Width, plus_minus
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.ledger.file import MEMORY
from peekproof.mechanisms.checking import Selection
from peekproof.planner.own import Price
from peekproof.planner.plan import Guessed, Plan
from peekproof.planner.price import planned_price
from peekproof.planner.recorded import own_certificate_of, span_of
from peekproof.query.form import Form, Given, Grouped, Quantile
from peekproof.query.question import Question
from peekproof.session.quotients import drawn_for, drawn_within, found_in
from peekproof.session.reply import Replies
from peekproof.session.request import question_request, says_nothing

# Questions' worth that nobody needs to be asked about.
FEW = 5


def drawn_prices(
    plan: Plan,
    found: Sequence[tuple[Question, Price]],
    *,
    radius: float | None,
    price_of: Callable[[Question, float | None], Price],
) -> dict[str, Price]:
    """The prices of all that would be drawn for questions together, by digest.

    `found` has the price of each by itself. What several of them need, as means of a column need
    how many rows have a value, is drawn once; `price_of` has its price with a radius of its own.
    """
    if isinstance(plan.mechanism, Guessed):  # one by one, and without a radius
        parts: list[tuple[Question, float | None]]
        parts = [(each, None) for each in drawn_for(asked for asked, _ in found)]
    else:
        parts = drawn_within(plan, [asked for asked, _ in found], radius)
    alone = {asked.digest: price for asked, price in found if not isinstance(asked.form, Given)}
    prices: dict[str, Price] = {}
    for each, own in parts:
        if each.digest not in prices:
            whole = alone.get(each.digest) if own == radius else None
            prices[each.digest] = whole or price_of(each, own)
    return prices


def cost_of(prices: Mapping[str, Price]) -> Fraction:
    """What these cost together, in planned questions."""
    return sum((price.questions for price in prices.values()), Fraction(0))


def is_dear(cost: Fraction, *, draws: int) -> bool:
    """Whether it costs more than a few questions, and more than one for each new draw.

    Whoever asks for it should have seen the price, and agreed to it.
    """
    return cost > max(FEW, draws)


def new_among(prices: Mapping[str, Price]) -> int:
    """How many of these would be drawn: what was answered before is not."""
    return sum(not price.known for price in prices.values())


def _unknown(_: Question) -> None:
    """Nothing is known of a condition's share."""


def priced(
    plan: Plan,
    asked: Question,
    *,
    radius: float | None,
    loss: float | None,
    draw: int,
    before: Callable[[Question], Price | None],
    group_of: Callable[[Question], Answer | None] = _unknown,
) -> Price:
    """The price of a question that ends a batch with this draw of the ledger.

    `before` has that of a question that was answered before, which nobody can have otherwise. The
    price of a quotient is what its two parts cost; `group_of` has the answer to a condition that
    was asked about before.
    """
    if isinstance(asked.form, Given):
        over, under = (
            priced(plan, each, radius=own, loss=loss, draw=draw, before=before)
            for each, own in drawn_within(plan, [asked], radius)
        )
        group = group_of(drawn_for([asked])[1])
        return quotient_price(asked.form, over, under, group=group)
    request = question_request(plan, asked, radius=radius, loss=loss)  # refused as when asked
    if known := before(asked):
        return in_units(known, asked.form)
    found = request.price or planned_price(plan, draw=draw)
    if request.price is None and request.extra:
        # As its answer will be certified: numbers are read in fixed point, with a law of its own.
        terms = {**found.offer.terms, **dict(request.extra)}
        found = replace(found, certificate=own_certificate_of(plan, terms, ledger=MEMORY))
    return in_units(found, asked.form)


def in_units(price: Price, form: Form) -> Price:
    """The price of a question of this form, with the width of its answer."""
    radius = Fraction(price.certificate.radius)
    match form:
        case Quantile():
            told = Width.within(price.certificate.radius, of=" of its level")
        case Grouped():
            low, high = (Fraction(end) for end in form.bounds)
            # Of released shares a and b of the rows in a cell that count and that do not, the
            # first is a/(a + b) of both, and [a − r, a + r] and [b − r, b + r] move that by at
            # most r/(a + b), less where 0 cuts them off.
            reach = radius * (high - low)
            told = Width.within_group(joint=reach, whole=high - low)
        case _:
            low, high = (Fraction(end) for end in form.span)
            told = Width.within(float_up(radius * (high - low)))
    return replace(price, told=told)


def quotient_price(form: Given, over: Price, under: Price, *, group: Answer | None = None) -> Price:
    """The price of a quotient of two, of which each may be known, or a guess.

    `group` is what was answered about the condition, if anything was. A quotient that it leaves
    nothing of is refused, unless it is free.

    With released shares o of both and s of the condition, and radii p and q, the quotient's
    interval is [(o − p)/(s + q), (o + p)/(s − q)], cut off at 0 and 1. Above o/s it reaches
    furthest where the upper end is 1, at o = s − p − q, and below where o = s: in both cases no
    further than (p + q)/s.
    """
    low, high = (Fraction(end) for end in form.span)
    joint = Fraction(over.width.most) + Fraction(under.width.most) * (high - low)
    if group is not None:
        if not over.known:
            _check_worth(over, group, whole=high - low)
        share, whole = group.released, high - low
        told = Width.within(float_up(joint / share if joint < share * whole else whole))
    else:
        told = Width.within_group(joint=joint, whole=high - low)
    wider = max(over, under, key=lambda each: each.certificate.radius)
    offer = replace(
        wider.offer,
        cost=added(over.offer.cost, under.offer.cost),
        draws=over.offer.draws + under.offer.draws,
    )
    questions = over.questions + under.questions
    return replace(wider, offer=offer, questions=questions, told=told)


def _check_worth(over: Price, group: Answer, *, whole: Fraction) -> None:
    """Refuse a quotient whose interval would be all of its range, whatever share o of both comes.

    It is cut off at 0 if the interval of o is, and at 1 if that reaches as far as the lower end of
    the group's share. Both hold for every o up to the released share s of the group if the first
    holds for s and the second for 0; and no more rows are in both than in the group, so only noise
    puts o above s.
    """
    share, radius = group.released, Fraction(over.width.least) / whole
    from_0, to_1 = share <= radius, radius >= Fraction(group.low)
    if over.width.known:  # and no guess, so the interval may be narrower near 0
        certificate = over.certificate
        from_0 = certificate.interval(share).low <= 0
        to_1 = certificate.interval(Fraction(0)).high >= group.low
    if not (from_0 and to_1):
        return
    enough = f"it takes a group of more than {decimal_up(float_up(radius))} of all rows"
    if share:
        enough += (
            f", or an answer within less than {plus_minus(float_up(share * whole))}: a smaller "
            "radius, fewer questions or more rows"
        )
    raise says_nothing(
        f"one about a group of at most {decimal_up(group.high)} of all rows, where what is drawn "
        f"is within {plus_minus(over.width.least)}",
        hint=f"{enough}; nothing was charged",
    )


def checked(plan: Plan, price: Price) -> Price:
    """The price of a guess, or of a choice where guesses are checked, with the width of its answer.

    A guess has two: what became of it is told with the answer, and not known before.
    """
    terms = price.offer.terms
    scale = span_of(terms).width
    if isinstance(price.mechanism, Selection):
        # No candidate reaches beyond the interval of the best, on both sides of its value.
        gap = min(2 * Fraction(price.certificate.radius), Fraction(1))
        return replace(price, told=Width.within(float_up(gap * scale)))
    if price.known:
        radius = Fraction(price.certificate.radius) * scale
        return replace(price, told=Width.within(float_up(radius)))
    confirmed, failed = (
        own_certificate_of(plan, {**terms, "outcome": outcome}, ledger=MEMORY).radius
        for outcome in ("passed", "failed")
    )
    told = Width.checked(
        confirmed=float_up(Fraction(confirmed) * scale),
        failed=float_up(Fraction(failed) * scale),
    )
    return replace(price, told=told)


def choice_price(plan: Plan, price: Price, *, width: float) -> Price:
    """The price of a choice, with how much better the best can be."""
    if isinstance(price.mechanism, Selection):
        return checked(plan, price)
    return replace(price, told=Width.within(price.reach(width)))


def within_known(
    price: Price, asked: Question, known: Callable[[Sequence[Question]], Replies | None]
) -> Price:
    """The price of a question within groups: its width is that of the answer, if there is one."""
    form = asked.form
    if not isinstance(form, Given | Grouped):
        return price
    parts = drawn_for([asked])
    if replies := known(parts):
        found = found_in(replies, asked)
        if isinstance(found, GroupedAnswer):
            return replace(price, told=Width.of_cells([cell.radius for cell in found.cells]))
        if isinstance(found, ConditionalAnswer):
            return replace(price, told=Width.within(found.radius))
    return price
