"""What rows add up to under a form, said a second time: loops over rows, in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

from peekproof.query.form import FINE, Form, Given, Grouped, Histogram, Mean, Quantile, Share
from query import naive
from query.naive import Row


def total(form: Form, rows: list[Row]) -> int | tuple[int, ...]:
    """The count, the sum of contributions, or one of these a cell."""
    match form:
        case Share(predicate):
            return naive.count(predicate, rows)
        case Mean(_, low, high, _):
            return sum(contribution(clipped(form, row), low, high) for row in rows)
        case Histogram(_, weight):
            low, high = form.extent
            sums = [0] * form.dimension
            for place, cell in enumerate(form.cells):
                for row in rows:
                    inside = naive.truth(cell, row) is True
                    if isinstance(weight, Mean):
                        inside = inside and has_part(weight, row)
                        value = clipped(weight, row) if inside else 0.0
                        sums[place] += contribution(value, low, high)
                    elif weight is None or naive.truth(weight, row) is True:
                        sums[place] += inside
            return tuple(sums)
        case Grouped(by, weight):
            counted, others = [0] * len(by), [0] * len(by)
            for place, cell in enumerate(by.predicates):
                for row in rows:
                    if naive.truth(cell, row) is not True:
                        continue
                    if isinstance(weight, Mean):
                        if not has_part(weight, row):
                            continue
                        part = contribution(clipped(weight, row), weight.low, weight.high)
                        counted[place] += part
                        others[place] += FINE - part
                    elif naive.truth(weight, row) is True:
                        counted[place] += 1
                    else:
                        others[place] += 1
            return (*counted, *others)
        case Given():
            raise TypeError("a quotient is drawn as its parts")
        case Quantile(operand, _, _, high, steps):
            held = [0] * steps
            for row in rows:
                found = naive.value(operand, row)
                value = high if found is None else min(_number(found), high)
                held[next(i for i in range(steps) if value <= form.value(i))] += 1
            return tuple(held)


def has_part(mean: Mean, row: Row) -> bool:
    return mean.missing is not None or naive.value(mean.operand, row) is not None


def clipped(mean: Mean, row: Row) -> float:
    found = naive.value(mean.operand, row)
    if found is None:
        assert mean.missing is not None
        return mean.missing
    return min(max(_number(found), mean.low), mean.high)


def contribution(value: float, low: float, high: float) -> int:
    """In doubles, and never far from what it would be without rounding."""
    found = math.floor((value - low) / (high - low) * FINE + 0.5)
    assert 0 <= found <= FINE
    assert abs(Fraction(found, FINE) - exact_place(value, low, high)) <= Fraction(1, FINE)
    return found


def exact_place(value: float, low: float, high: float) -> Fraction:
    """Where the value lies between low = 0 and high = 1, as a rational number."""
    return (Fraction(value) - Fraction(low)) / (Fraction(high) - Fraction(low))


def _number(cell: naive.Cell) -> float:
    assert isinstance(cell, float)
    return cell
