"""Sums, differences and other linear combinations of answers."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Fact, Source, bounded_fact, bounded_facts
from peekproof.derive.joint import Joint
from peekproof.derive.knowledge import number
from peekproof.derive.range import Range


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
