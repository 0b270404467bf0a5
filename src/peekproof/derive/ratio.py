"""Quotients of answers, and shares within a part of the population."""

from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Fact, Source, bounded_fact
from peekproof.derive.joint import Joint
from peekproof.derive.knowledge import contradiction
from peekproof.derive.range import Range


def ratio(a: Source, b: Source) -> Derived:
    """a/b with its interval, for a population in which b is positive.

        [ a.low/b.high, a.high/b.low ]        for a.low ≥ 0 and b.low > 0

    Sound by T-joint-function: for b > 0 the quotient increases in a, and is monotone in b, so its
    extremes are at corners: a negative a.low is divided by b.low, a negative a.high by b.high.
    Where b may be as small as it likes, the end that divides by b.low is infinite.

    The value is the quotient of the released numbers, moved into the interval. If the released b
    is not positive, it is the middle of the interval, or its point nearest to 0 if it is unbounded.
    Rounds: outward, from exact quotients.
    """
    over, under = _terms(a, b)
    low, high = _quotients(over, under)
    return _derived(f"({over.label}) / ({under.label})", over, under, Range.outward(low, high))


def conditional(a: Source, *, given: Source) -> Derived:
    """The share of those for whom `given` holds for whom `a` holds too: a/given, within [0, 1].

    For an `a` whose condition implies that of `given`, such as "well and age > 50" given
    "age > 50", so that 0 ≤ a ≤ given in the population: sound by T-joint-function with `ratio`.
    Both ends are attained or approached, so nothing narrower follows.

    The value is that of `ratio`. Rounds: outward, from exact quotients.
    """
    over, under = _terms(a, given)
    low, high = _quotients(over, under)
    least = Fraction(0) if low is None else max(low, Fraction(0))
    most = Fraction(1) if high is None else min(high, Fraction(1))
    if least > most:
        raise contradiction(
            "a",
            accepted="a share of a part of given",
            given=f"{over.span} where given has {under.span}",
            joint=Joint.of((over.joint, under.joint)),
        )
    label = f"({over.label}) given ({under.label})"
    return _derived(label, over, under, Range.outward(least, most))


def portion(a: Source, *, rest: Source) -> Derived:
    """The part that `a` is of a + rest, for two quantities that are not negative: a/(a + rest).

        [ a.low/(a.low + rest.high), a.high/(a.high + rest.low) ]        within [0, 1]

    Sound by T-joint-function: the quotient increases in a and decreases in the rest, so its
    extremes are at these corners, of which negative ends are moved to 0. It is narrower than
    `conditional` with the sum as `given`, which forgets that the sum contains a.

    The value is the quotient of the released numbers, moved into the interval, or its middle if
    both are 0. Rounds: outward, from exact quotients.
    """
    one, other = bounded_fact(a), bounded_fact(rest)
    if one.high < 0 or other.high < 0:
        raise InvalidInput(
            argument="a and rest",
            accepted="quantities that may be 0 or above",
            given=f"{one.span} for {one.label}, {other.span} for {other.label}",
        )
    least, most = (max(end, Fraction(0)) for end in (one.low, one.high))
    fewest, largest = (max(end, Fraction(0)) for end in (other.low, other.high))
    low = least / (least + largest) if least else Fraction(0)
    high = most / (most + fewest) if fewest else Fraction(1)
    span = Range.outward(low, high)
    counted, left = max(one.value, Fraction(0)), max(other.value, Fraction(0))
    value = counted / (counted + left) if counted + left else (low + high) / 2
    label = f"({one.label}) of itself and ({other.label})"
    joint = Joint.of((one.joint, other.joint))
    return Derived(label=label, released=span.nearest(value), interval=span, joint=joint)


def _terms(a: Source, b: Source) -> tuple[Fact, Fact]:
    over, under = bounded_fact(a), bounded_fact(b)
    if under.high <= 0:
        raise InvalidInput(
            argument="the denominator",
            accepted="one that may be positive",
            given=f"{under.span} for {under.label}",
        )
    return over, under


def _quotients(a: Fact, b: Fact) -> tuple[Fraction | None, Fraction | None]:
    """The extremes of x/y over a.low ≤ x ≤ a.high, b.low ≤ y ≤ b.high, y > 0."""
    by_least = 1 / b.low if b.low > 0 else None
    low = a.low / b.high if a.low >= 0 else by_least and a.low * by_least
    high = a.high / b.high if a.high <= 0 else by_least and a.high * by_least
    return low, high


def _derived(label: str, a: Fact, b: Fact, span: Range) -> Derived:
    if b.value > 0:
        value = a.value / b.value
    else:
        value = (Fraction(span.low) + Fraction(span.high)) / 2 if span.bounded else Fraction(0)
    joint = Joint.of((a.joint, b.joint))
    return Derived(label=label, released=span.nearest(value), interval=span, joint=joint)
