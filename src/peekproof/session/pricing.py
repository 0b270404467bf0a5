"""What questions of any form would cost, and how far their intervals would reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from peekproof.core.answer import Answer
from peekproof.core.certificate import Width, plus_minus
from peekproof.core.numerics import decimal_up, float_up
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.mechanisms.base import Ask, Past, Reply, says_nothing
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.form import Form, Given, Grouped
from peekproof.query.question import Question
from peekproof.session.queries import InWords, drawn_for, drawn_within, told

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
    if plan.mechanism.guesses:  # one by one, and without a radius
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
    past: Past,
    batch: int = 1,
    radius: float | None = None,
    loss: float | None = None,
    before: Callable[[Question], Price | None],
    group_of: Callable[[Question], Answer | None] = _unknown,
) -> Price:
    """The price of a question in a batch of so many that comes after this past.

    `before` has that of a question that was answered before, which nobody can have otherwise. The
    price of a quotient is what its two parts cost; `group_of` has the answer to a condition that
    was asked about before.
    """
    if isinstance(asked.form, Given):
        over, under = (
            priced(plan, each, past=past, batch=batch, radius=own, loss=loss, before=before)
            for each, own in drawn_within(plan, [asked], radius)
        )
        group = group_of(drawn_for([asked])[1])
        return quotient_price(asked.form, over, under, group=group)
    ask = Ask(what=InWords(asked), radius=radius, loss=loss)
    draw = plan.mechanism.offer(ask, past, batch=batch)  # refused as when asked
    return in_units(before(asked) or Price.of(draw, plan), plan, asked.form)


def in_units(price: Price, plan: Plan, form: Form) -> Price:
    """The price of a question of this form, with the width of its answer."""
    low, high = (Fraction(end) for end in form.span)
    if isinstance(form, Grouped):
        low, high = (Fraction(end) for end in form.bounds)
        # Of released shares a and b of the rows in a cell that count and that do not, the
        # first is a/(a + b) of both, and [a − r, a + r] and [b − r, b + r] move that by at
        # most r/(a + b), less where 0 cuts them off.
        reach = Fraction(price.certificate.radius) * (high - low)
        width = Width.within_group(joint=reach, whole=high - low)
    else:
        outcome = price.failed if price.known else None
        width = price.draw.width(plan.mechanism, plan.target, high - low, failed=outcome)
    return replace(price, told=width)


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
        width = Width.within(float_up(joint / share if joint < share * whole else whole))
    else:
        width = Width.within_group(joint=joint, whole=high - low)
    wider = max(over, under, key=lambda each: each.certificate.radius)
    return replace(
        wider,
        cost=over.cost + under.cost,
        draws=over.draws + under.draws,
        questions=over.questions + under.questions,
        told=width,
    )


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


def told_as(price: Price, plan: Plan, *, scale: Fraction) -> Price:
    """The price of a guess or of a choice, with the width of its answer on so wide a scale.

    A guess has two: what became of it is told with the answer, and not known before.
    """
    outcome = price.failed if price.known else None
    width = price.draw.width(plan.mechanism, plan.target, scale, failed=outcome)
    return replace(price, told=width)


def within_known(
    price: Price, asked: Question, known: Callable[[Sequence[Question]], Sequence[Reply] | None]
) -> Price:
    """The price of a question within groups: its width is that of the answer, if there is one."""
    form = asked.form
    if not isinstance(form, Given | Grouped):
        return price
    parts = drawn_for([asked])
    if replies := known(parts):
        (found,) = told([asked], replies)
        if isinstance(found, GroupedAnswer):
            return replace(price, told=Width.of_cells([cell.radius for cell in found.cells]))
        if isinstance(found, ConditionalAnswer):
            return replace(price, told=Width.within(found.radius))
    return price
