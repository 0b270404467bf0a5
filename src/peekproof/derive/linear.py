"""Linear combinations, clipping and quotients of answers: what follows from them for free."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Fact, Range, Source, bounded_fact, bounded_facts, fact
from peekproof.derive.joint import Joint, contradiction, number


def weighted(answers: Iterable[Source], weights: Iterable[float | Fraction]) -> Derived:
    """Σ w_i·a_i with its interval.

        [ Σ w_i·(low_i if w_i ≥ 0 else high_i),  Σ w_i·(high_i if w_i ≥ 0 else low_i) ]

    Sound by T-joint-function: every term is monotone in its answer. Both ends are attained, so
    nothing narrower follows from the intervals alone.

    A float weight stands for the decimal it prints as. Rounds: outward, from exact sums.
    """
    found = bounded_facts(answers)
    exact = [number(weights=weight) for weight in weights]
    if len(exact) != len(found):
        raise InvalidInput(
            argument="weights", accepted=f"as many as answers, {len(found)}", given=str(len(exact))
        )
    terms = [f"{w}·({each.label})" for w, each in zip(exact, found, strict=True)]
    return _combined(_listed(terms), found, exact)


def total(answers: Iterable[Source]) -> Derived:
    """The sum of the answers: the share of a union, if their questions exclude each other."""
    found = bounded_facts(answers)
    label = _listed([f"({each.label})" for each in found])
    return _combined(label, found, [Fraction(1)] * len(found))


def difference(a: Source, b: Source) -> Derived:
    """a − b with its interval, [a.low − b.high, a.high − b.low].

    Sound and sharp as `weighted` is. An interval above 0 says that a exceeds b in the population.
    """
    found = [bounded_fact(a), bounded_fact(b)]
    label = f"({found[0].label}) − ({found[1].label})"
    return _combined(label, found, [Fraction(1), Fraction(-1)])


def affine(answer: Source, *, scale: float | Fraction, shift: float | Fraction) -> Derived:
    """scale·answer + shift with its interval: the same number in other units.

    Sound and sharp as `weighted` is, for a constant is known. A float stands for the decimal it
    prints as. Rounds: outward, from exact products.
    """
    found = bounded_fact(answer)
    factor, added = number(scale=scale), number(shift=shift)
    low, high = sorted((factor * found.low + added, factor * found.high + added))
    span = Range.outward(low, high)
    value = span.nearest(factor * found.value + added)
    label = f"{factor}·({found.label}) + {added}"
    return Derived(label=label, released=value, interval=span, joint=found.joint)


def _combined(label: str, found: Sequence[Fact], weights: Sequence[Fraction]) -> Derived:
    value = low = high = Fraction(0)
    for weight, each in zip(weights, found, strict=True):
        value += weight * each.value
        ends = weight * each.low, weight * each.high
        low, high = low + min(ends), high + max(ends)
    span = Range.outward(low, high)
    joint = Joint.of(each.joint for each in found)
    return Derived(label=label, released=span.nearest(value), interval=span, joint=joint)


def _listed(terms: Sequence[str]) -> str:
    """The terms with + between; of many, the first and the last."""
    return " + ".join(terms if len(terms) <= 3 else [terms[0], "…", terms[-1]])


def clip(answer: Source, *, low: float | Fraction, high: float | Fraction) -> Derived:
    """The answer for a population value that is known to lie in [low, high].

    Sound by T-joint-function: on the event on which the interval holds, the population value is
    in the interval and in [low, high], so in both. Moving the value to the nearest point of the
    intersection, which holds the truth, brings it no further from the truth.

    Knowledge that contradicts the interval is an InvalidInput. A float stands for the decimal it
    prints as. Rounds: outward.
    """
    least, most = number(low=low), number(high=high)
    if least > most:
        raise InvalidInput(argument="low", accepted=f"at most high = {most}", given=str(least))
    found = fact(answer)
    span, known = found.span, Range.outward(least, most)
    if least > span.high or most < span.low:
        raise contradiction(
            "low and high",
            accepted=f"bounds that meet the interval {span}",
            given=f"{known}",
            joint=found.joint,
        )
    both = Range(low=max(span.low, known.low), high=min(span.high, known.high))
    return found.derived(both, value=found.value, joint=found.joint)


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
