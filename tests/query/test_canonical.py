from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peekproof.query.canonical import canonical, canonical_form, numeric
from peekproof.query.form import (
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.tree import (
    FLIPPED,
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
    levels,
)
from query.naive import Cell, truth, value
from query.strategies import COMPARATORS, DYADIC, DYADIC_DIVISORS, numerics, predicates, rows

A, B = Column("a"), Column("b")
HUGE = Number(1e308)
NUMERICS = numerics(DYADIC, DYADIC_DIVISORS)


def parts(node: Predicate | Numeric) -> list[Predicate | Numeric]:
    """The node and everything below it."""
    return [each for level in levels(node) for each in level]


@given(predicates(), st.lists(rows(), min_size=1, max_size=6))
def test_the_normal_form_is_true_for_the_same_rows(
    predicate: Predicate, some: list[dict[str, Cell]]
) -> None:
    form = canonical(predicate)
    for row in some:
        assert (truth(form, row) is True) is (truth(predicate, row) is True)


@given(predicates())
def test_the_normal_form_is_its_own(predicate: Predicate) -> None:
    form = canonical(predicate)
    assert canonical(form) == form


@given(predicates())
def test_the_normal_form_is_flat_and_has_no_negation(predicate: Predicate) -> None:
    for node in parts(canonical(predicate)):
        assert not isinstance(node, Not)
        match node:
            case And(terms) | Or(terms):
                assert len(terms) > 1
                assert len(set(terms)) == len(terms)
                assert not any(isinstance(term, type(node) | Constant) for term in terms)
            case Sum(inner) | Product(inner):
                assert len(inner) > 1
                assert not any(isinstance(part, type(node)) for part in inner)
                assert sum(isinstance(part, Number) for part in inner) <= 1
            case Compare(operator, left, right):
                assert not isinstance(left, Number)
                assert not (isinstance(right, Number) and operator in ("=", "!="))
            case If(condition, then, otherwise):
                assert not isinstance(condition, Constant)
                assert then != otherwise
            case Clip(operand):
                assert not isinstance(operand, Clip | Number | Missing)


@given(predicates())
def test_double_negation_vanishes(predicate: Predicate) -> None:
    assert canonical(Not(Not(predicate))) == canonical(predicate)


@given(st.lists(predicates(), min_size=1, max_size=3))
def test_de_morgan(terms: list[Predicate]) -> None:
    negated = tuple(Not(term) for term in terms)
    assert canonical(Not(And(tuple(terms)))) == canonical(Or(negated))
    assert canonical(Not(Or(tuple(terms)))) == canonical(And(negated))


@given(st.lists(predicates(), min_size=2, max_size=4), st.sampled_from([And, Or]), st.data())
def test_terms_commute_nest_and_repeat(
    terms: list[Predicate], kind: type[And] | type[Or], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations([*terms, terms[0]]))
    nested = kind((shuffled[0], kind(tuple(shuffled[1:]))))
    assert canonical(nested) == canonical(kind(tuple(terms)))


@given(COMPARATORS, NUMERICS, NUMERICS)
def test_sides_commute(operator: str, left: Numeric, right: Numeric) -> None:
    equal = canonical(Compare("<", left, right))
    assume(not (isinstance(equal, Compare) and equal.left == equal.right))  # a < a is not a > a
    flipped = Compare(FLIPPED[operator], right, left)
    assert canonical(flipped) == canonical(Compare(operator, left, right))


@given(st.lists(NUMERICS, min_size=2, max_size=4), st.sampled_from([Sum, Product]))
def test_operands_commute_and_nest(
    operands: list[Numeric], kind: type[Sum] | type[Product]
) -> None:
    backwards = operands[::-1]
    nested = kind((backwards[0], kind(tuple(backwards[1:]))))
    one, other = (Compare("<", each, A) for each in (nested, kind(tuple(operands))))
    assert canonical(one) == canonical(other)


@given(NUMERICS, st.lists(DYADIC, min_size=1, max_size=4))
def test_membership_is_a_list_of_equalities(subject: Numeric, values: list[float]) -> None:
    equalities = tuple(Compare("=", subject, Number(value)) for value in values)
    listed = Member(subject, tuple(values), negated=False)
    assert canonical(Or(equalities)) == canonical(listed)
    assert canonical(Not(listed)) == canonical(And(tuple(Not(each) for each in equalities)))


def test_constants_disappear_or_decide() -> None:
    test = Compare(">", A, Number(1.0))
    assert canonical(And((test, Constant(True)))) == test
    assert canonical(Or((test, Constant(False)))) == test
    assert canonical(And((test, Constant(False)))) == Constant(False)
    assert canonical(Or((test, Constant(True)))) == Constant(True)
    assert canonical(And((Constant(True), Constant(True)))) == Constant(True)
    assert canonical(Or(())) == Constant(False)


def test_atoms_are_negated_in_place() -> None:
    assert canonical(Not(IsNull(A, False))) == IsNull(A, True)
    assert canonical(Not(Flag(B, True))) == Flag(B, False)
    assert canonical(Not(Constant(True))) == Constant(False)
    assert canonical(Not(Compare("<", A, B))) == Compare(">=", A, B)


@given(NUMERICS, st.lists(st.lists(DYADIC, min_size=2, max_size=2).map(sorted), max_size=3), rows())
def test_clips_inside_one_another_are_one(
    operand: Numeric, bounds: list[list[float]], row: dict[str, Cell]
) -> None:
    clipped = operand
    for low, high in bounds:
        clipped = Clip(clipped, low, high)
    plain = numeric(clipped)
    assert sum(isinstance(each, Clip) for each in parts(plain)) <= 1 + sum(
        isinstance(each, Clip) for each in parts(operand)
    )
    assert value(plain, row) == value(clipped, row)


def test_labels_keep_their_unit() -> None:
    by = Edges(Column("d"), (0.0,), "day")
    form = canonical_form(Histogram(by))
    assert isinstance(form, Histogram)
    assert form.labels == by.labels == ("d < '1970-01-01'", "d >= '1970-01-01'")


def test_minus_zero_is_zero_everywhere() -> None:
    zeros = (0.0, -0.0)
    assert len({repr(numeric(Clip(A, zero, 1.0))) for zero in zeros}) == 1
    assert len({repr(canonical(Compare(">", A, Number(zero)))) for zero in zeros}) == 1
    assert len({repr(canonical(Member(A, (zero,), False))) for zero in zeros}) == 1
    quotients = [Compare(">", A, Quotient(Number(zero), Number(2.0))) for zero in zeros]
    assert len({repr(canonical(each)) for each in quotients}) == 1


@pytest.mark.parametrize(
    "node", [Sum((A, HUGE, HUGE)), Product((A, HUGE, HUGE)), Quotient(HUGE, Number(1e-10))]
)
def test_constants_that_do_not_fit_a_double_have_no_normal_form(node: Numeric) -> None:
    with pytest.raises(OverflowError):
        canonical(Compare(">", B, node))


@given(NUMERICS, predicates())
def test_the_normal_form_of_a_form_is_that_of_its_expressions(
    operand: Numeric, weight: Predicate
) -> None:
    plain, condition = numeric(operand), canonical(weight)
    values = Values(Column("s"), ("y", "x"))

    def forms(operand: Numeric, weight: Predicate) -> list[Form]:
        return [
            Share(weight),
            Quantile(operand, Fraction(1, 3), 0.0, 1.0, 7),
            Histogram(Edges(operand, (0.0, 1.0))),
            Histogram(values),
            Histogram(values, weight),
            Grouped(values, weight),
            Given(Share(weight), weight),
        ]

    def means(operand: Numeric, weight: Predicate) -> list[Form]:
        some = [Mean(operand, 0.0, 1.0, missing) for missing in (0.5, None)]
        return [*some, *(Given(each, weight) for each in some), *(Grouped(values, m) for m in some)]

    assert [canonical_form(form) for form in forms(operand, weight)] == forms(plain, condition)
    found = [canonical_form(form) for form in means(operand, weight)]
    assert found == [canonical_form(form) for form in means(plain, condition)]
    assert found == [canonical_form(form) for form in found]
