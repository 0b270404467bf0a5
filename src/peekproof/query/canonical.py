"""One normal form for the many spellings of a question.

Covered: order of terms and operands, double negation and De Morgan, range forms, equality and
membership, repeated terms, constant arithmetic; of atoms on one operand that are joined by one
`and` or one `or`, those that others imply or exclude; absorption. Not covered: algebra (x + 1 > 5
is not x > 4), distribution, and anything that depends on the data.

A row counts only if a predicate is true, so unknown and false are one here.
The normal form is also what is evaluated, so two spellings cannot differ in a rounding error.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import reduce
from json.encoder import encode_basestring_ascii as quoted
from operator import add, mul
from typing import final

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
from peekproof.query.times import Atom, Zone, operand_of
from peekproof.query.tree import (
    FLIPPED,
    NEGATED,
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Node,
    Not,
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
    children,
)
from peekproof.query.tree import Predicate as Term

# The JSON form of a tree: lists headed by a word, so that it sorts, hashes and travels.

_HELD = 3  # levels of texts below one that was written: terms, theirs, and the operands of those
_KEY_BYTES = 16

Json = None | bool | float | str | list["Json"]


def to_json(node: Numeric | Predicate | Form) -> Json:
    """The node, or a whole form, as nested lists of JSON values."""
    text = form_text(node) if isinstance(node, Form) else to_text(node)
    plain: Json = json.loads(text)
    return plain


def form_text(form: Form) -> str:
    """The JSON form of all that a question asks, as one line; its hash is the question's digest."""
    match form:
        case Share(predicate):
            return f'["share",{to_text(predicate)}]'
        case Mean(operand, low, high, missing):
            held = "null" if missing is None else repr(missing)
            return f'["mean",{to_text(operand)},{low!r},{high!r},{held}]'
        case Histogram(by, weight):
            return f'["histogram",{_cells_text(by)},{_weight_text(weight)}]'
        case Grouped(by, weight):
            return f'["by",{_cells_text(by)},{_weight_text(weight)}]'
        case Given(of, condition):
            return f'["given",{form_text(of)},{to_text(condition)}]'
        case Quantile(operand, level, low, high, steps):
            return f'["quantile",{to_text(operand)},"{level}",{low!r},{high!r},{steps}]'


def _cells_text(by: Edges | Values) -> str:
    if isinstance(by, Edges):
        return f'["edges",{to_text(by.operand)},[{",".join(map(repr, by.edges))}]]'
    # In the order as written: an answer lists its numbers in the order of the cells.
    return f'["values",{to_text(by.column)},[{",".join(map(_literal, by.values))}]]'


def _literal(value: str | bool) -> str:
    return quoted(value) if isinstance(value, str) else "true" if value else "false"


def _weight_text(weight: Predicate | Mean | None) -> str:
    match weight:
        case None:
            return "null"
        case Mean():
            return form_text(weight)
        case _:
            return to_text(weight)


def to_text(node: Numeric | Predicate) -> str:
    """The JSON form as one line without spaces: the same tree gives the same bytes."""
    return _written(node, to_text)


@final
class Texts:
    """The JSON forms of many trees that are built from one another, each node written once.

    A node is known by its place in memory, so it is held as long as its text or key. The text of a
    node is in that of all nodes above it: to hold all of them would take the square of the memory.
    Those that are further down than anything asks for are let go; their keys stay.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Node, str]] = {}
        self._keys: dict[int, tuple[Node, bytes]] = {}

    def of(self, node: Node) -> str:
        """The same as `to_text`."""
        found = self._texts.get(id(node))
        if found is not None:
            return found[1]
        text = _written(node, self.of)
        self._texts[id(node)] = node, text
        below = children(node)
        for _ in range(_HELD):
            below = tuple(inner for each in below for inner in children(each))
        for each in below:
            if id(each) in self._texts:
                self.key(each)
                del self._texts[id(each)]
        return text

    def key(self, node: Node) -> bytes:
        """The same for the same text, other for another, and short."""
        found = self._keys.get(id(node))
        if found is None:
            key = hashlib.blake2b(self.of(node).encode(), digest_size=_KEY_BYTES).digest()
            found = self._keys[id(node)] = node, key
        return found[1]


def _written(node: Node, text: Callable[[Node], str]) -> str:
    """The JSON form, with `text` for what is inside; the common cases come first."""
    match node:
        case Number(value):
            return repr(value)
        case Column(name):
            return f'["column",{quoted(name)}]'
        case Compare(operator, left, right):
            return f'["{operator}",{text(left)},{text(right)}]'
        case Member(subject, values, negated):
            listed = ",".join(quoted(v) if isinstance(v, str) else repr(v) for v in values)
            return f'["{"not in" if negated else "in"}",{text(subject)},[{listed}]]'
        case And(terms):
            return _headed("and", terms, text)
        case Or(terms):
            return _headed("or", terms, text)
        case Sum(terms):
            return _headed("+", terms, text)
        case Product(factors):
            return _headed("*", factors, text)
        case Quotient(dividend, divisor):
            return f'["/",{text(dividend)},{text(divisor)}]'
        case Clip(operand, low, high):
            return f'["clip",{text(operand)},{low!r},{high!r}]'
        case If(condition, then, otherwise):
            return f'["if",{text(condition)},{text(then)},{text(otherwise)}]'
        case Part(field, column, _):
            return f'["{field}",{text(column)}]'
        case Missing():
            return "null"
        case Matches(column, where, wanted, negated):
            word = f"not {where}" if negated else where
            return f'["{word}",{text(column)},{quoted(wanted)}]'
        case IsNull(operand, negated):
            return f'["{"is not null" if negated else "is null"}",{text(operand)}]'
        case Flag(column, negated):
            return f'["{"is false" if negated else "is true"}",{text(column)}]'
        case Constant(value):
            return "true" if value else "false"
        case Not(term):
            return f'["not",{text(term)}]'


def _headed(word: str, nodes: tuple[Node, ...], text: Callable[[Node], str]) -> str:
    return f'["{word}",{",".join(map(text, nodes))}]'


# Terms under one And or Or, brought to normal form. Unknown counts as false here.
#
# Atoms on one operand become its zone; a compound term that another term implies, or that implies
# another term, is absorbed: a and (a or b) is a, and a or (a and b) is a. Nothing is distributed,
# so a tree never grows.


def joined(terms: Iterable[Term], texts: Texts, *, conjunction: bool) -> Term:
    """Canonical `terms` under And or Or, in a fixed order, which is that of their texts.

    The result is again a normal form: joining its own terms gives it back.
    """
    atoms: dict[str, Term] = {}
    compounds: dict[str, And | Or] = {}
    for term in _flattened(terms, And if conjunction else Or):
        match term:
            case Constant(value) if value == conjunction:
                continue
            case Constant():
                return term
            case And() | Or():
                compounds[texts.of(term)] = term
            case _:
                atoms[texts.of(term)] = term
    zones = _zones(atoms.values(), texts, conjunction=conjunction)
    flat = {key: atom for key, atom in atoms.items() if operand_of(atom) is None}
    moved = False
    for zone in zones.values():
        for atom in _terms_of(zone, conjunction=conjunction):
            if isinstance(atom, Constant):
                return atom
            plain = present(atom)
            moved = moved or plain is not atom
            flat[texts.of(plain)] = plain
    if moved:  # it is about another operand now, which may have a zone
        return joined([*flat.values(), *compounds.values()], texts, conjunction=conjunction)
    if compounds:
        flat |= _kept(compounds, flat, zones, texts, conjunction=conjunction)
    ordered = tuple(flat[key] for key in sorted(flat))
    if len(ordered) < 2:
        return ordered[0] if ordered else Constant(conjunction)
    return And(ordered) if conjunction else Or(ordered)


def present(atom: Term) -> Term:
    """The atom, or what it says of the operand inside: clipping keeps what is missing."""
    match atom:
        case IsNull(Clip(operand), negated):
            return IsNull(operand, negated)
        case _:
            return atom


def _flattened(terms: Iterable[Term], kind: type[And] | type[Or]) -> Iterator[Term]:
    for term in terms:
        if isinstance(term, kind):
            yield from term.terms
        else:
            yield term


def _zones(atoms: Iterable[Term], texts: Texts, *, conjunction: bool) -> dict[bytes, Zone]:
    """The zone of every operand; that of the negations in a disjunction."""
    zones: dict[bytes, Zone] = {}
    for atom in atoms:
        operand = operand_of(atom)
        if operand is not None:
            key = texts.key(operand)
            zone = zones.get(key)
            if zone is None:
                zone = zones[key] = Zone(operand)
            zone.restrict(atom, negate=not conjunction)
    for zone in zones.values():
        zone.settle()
    return zones


def _terms_of(zone: Zone, *, conjunction: bool) -> list[Term]:
    """The atoms that say what the zone says, or a constant that decides."""
    null: list[Term] = [IsNull(zone.operand, negated=False)] if zone.null else []
    if not zone.constrained:
        return null
    if conjunction:
        if zone.void or null:
            return [Constant(False)]
        return [*zone.atoms] or [IsNull(zone.operand, negated=True)]
    if zone.void:
        return [Constant(True)] if null else [IsNull(zone.operand, negated=True)]
    return [*map(_negated, zone.atoms), *null]


def _negated(atom: Atom) -> Term:
    match atom:
        case Compare(operator, left, right):
            return Compare(NEGATED[operator], left, right)
        case Member(subject, values, negated):
            return Member(subject, values, not negated)
        case Matches(column, where, text, negated):
            return Matches(column, where, text, not negated)
        case Flag(column, negated):
            return Flag(column, not negated)
        case IsNull(operand, negated):
            return IsNull(operand, not negated)


def _kept(
    compounds: Mapping[str, And | Or],
    flat: Mapping[str, Term],
    zones: Mapping[bytes, Zone],
    texts: Texts,
    *,
    conjunction: bool,
) -> dict[str, Term]:
    """The compound terms that no atom and no other compound term absorbs."""
    parts = {key: frozenset(map(texts.key, term.terms)) for key, term in compounds.items()}
    atoms = frozenset(map(texts.key, flat.values()))
    count = Counter(part for each in parts.values() for part in each)
    kept: dict[str, Term] = {}
    # A set that absorbs another lies in it, so it is found by any of its parts: the rarest.
    absorbing: dict[bytes, list[frozenset[bytes]]] = {}
    for key in sorted(compounds, key=lambda each: (len(parts[each]), each)):
        own = parts[key]
        if not own.isdisjoint(atoms) or any(
            smaller <= own for part in own for smaller in absorbing.get(part, ())
        ):
            continue
        inner = _zones(compounds[key].terms, texts, conjunction=not conjunction)
        if any(
            _implied(zones[name], zone) if conjunction else _implied(zone, zones[name])
            for name, zone in inner.items()
            if name in zones
        ):
            continue
        kept[key] = compounds[key]
        absorbing.setdefault(min(own, key=lambda part: (count[part], part)), []).append(own)
    return kept


def _implied(held: Zone, negations: Zone) -> bool:
    """Whether what a conjunction holds makes a disjunction with these negations true."""
    if held.null:
        return negations.null
    return negations.constrained and held.disjoint(negations)


def canonical_form(form: Form, complete: Collection[str] = ()) -> Form:
    """The form with the normal form of every expression in it; bounds and cells stay.

    A mean among the rows with a value is a question about these rows, unless every row has one
    whatever the data are, because the columns in it are `complete` or it fills the gaps itself.

    Raises OverflowError if arithmetic on constants leaves the doubles.
    """
    match form:
        case Share(predicate):
            return Share(canonical(predicate))
        case Mean():
            mean = _mean(form, complete)
            return mean if mean.known is None else Given(mean, canonical(mean.known))
        case Quantile(operand):
            return replace(form, operand=numeric(operand))
        case Histogram(by, weight):
            return Histogram(_cells(by), None if weight is None else _weight(weight, complete))
        case Grouped(by, weight):
            return Grouped(_cells(by), _weight(weight, complete))
        case Given(Share(predicate), condition):
            return Given(Share(canonical(predicate)), canonical(condition))
        case Given(Mean() as of, condition):
            return _mean_of_some(_mean(of, complete), canonical(condition))
        case Given():
            raise TypeError("neither a share nor a mean")


def _mean_of_some(mean: Mean, condition: Predicate) -> Given:
    """What a missing value counts as does not matter where the condition leaves none."""
    among = replace(mean, missing=None)
    known = canonical(And((condition, IsNull(mean.operand, negated=True))))
    return (
        Given(among, known)
        if mean.missing is None or known == condition
        else Given(mean, condition)
    )


def _mean(mean: Mean, complete: Collection[str]) -> Mean:
    """The mean in normal form; `missing` stays None only if there may be rows without a value."""
    operand, missing = numeric(mean.operand), mean.missing
    while filled := _filled(operand):
        operand, constant = filled
        missing = constant  # refused outside the bounds, as where it is said by itself
    if missing is None and _values_of(operand, complete) is not _Values.SOME:
        missing = mean.low
    return Mean(operand, mean.low, mean.high, missing)


def _filled(node: Numeric) -> tuple[Numeric, float] | None:
    """What `node` is where that is not missing, and the constant that it is elsewhere."""
    match node:
        case If(IsNull(_, False) as absent, Number(value), operand):
            if absent == present(IsNull(operand, negated=False)):
                return operand, value
        case If(IsNull(_, True) as absent, operand, Number(value)):
            if absent == present(IsNull(operand, negated=True)):
                return operand, value
    return None


class _Values(Enum):
    """What is certain of a number in every row, whatever the data are."""

    FINITE = "a finite number"
    ANY = "a number, perhaps an infinite one"
    SOME = "nothing: it may be missing"


def _values_of(node: Numeric, complete: Collection[str]) -> _Values:
    """What is certain of a number in normal form. Where that is in doubt, nothing is.

    Doubles of finite numbers overflow to ±∞, and from there ∞ − ∞ and 0·∞ are missing.
    """
    match node:
        case Number():
            return _Values.FINITE
        case Column(name) | Part(_, Column(name)):
            return _Values.FINITE if name in complete else _Values.SOME
        case Clip(operand):
            inner = _values_of(operand, complete)
            return _Values.SOME if inner is _Values.SOME else _Values.FINITE
        case If(_, then, otherwise):
            if (filled := _filled(node)) is not None:
                inner = _values_of(filled[0], complete)
                return _Values.FINITE if inner is _Values.FINITE else _Values.ANY
            found = {_values_of(then, complete), _values_of(otherwise, complete)}
            return _least(found)
        case Sum(terms):
            # Each is looked at once: twice at every level would take for ever in a deep tree.
            rest = [_values_of(term, complete) for term in terms if not isinstance(term, Number)]
            if {*rest} <= {_Values.FINITE}:
                return _Values.ANY
            return rest[0] if len(rest) == 1 else _Values.SOME
        case Product((first, second)):
            found = {_values_of(first, complete), _values_of(second, complete)}
            if isinstance(first, Number) and first.value != 0.0:
                shrinks = abs(first.value) <= 1.0
                return (
                    _Values.FINITE
                    if shrinks and found == {_Values.FINITE}
                    else _least({_Values.ANY, *found})
                )
            return _Values.ANY if found == {_Values.FINITE} else _Values.SOME
        case Quotient(dividend, Number(value)):
            shrinks = abs(value) >= 1.0
            inner = _values_of(dividend, complete)
            return inner if shrinks else _least({_Values.ANY, inner})
        case _:
            return _Values.SOME


def _least(found: set[_Values]) -> _Values:
    order = (_Values.SOME, _Values.ANY, _Values.FINITE)
    return next(each for each in order if each in found)


def _cells(by: Edges | Values) -> Edges | Values:
    return replace(by, operand=numeric(by.operand)) if isinstance(by, Edges) else by


def _weight(weight: Predicate | Mean, complete: Collection[str]) -> Predicate | Mean:
    return _mean(weight, complete) if isinstance(weight, Mean) else canonical(weight)


def canonical(predicate: Predicate) -> Predicate:
    """The normal form of `predicate`; it has no Not, and equal questions get equal trees.

    Raises OverflowError if arithmetic on constants leaves the doubles.
    """
    return _truth(predicate, Texts(), negate=False)


def _truth(node: Predicate, texts: Texts, *, negate: bool) -> Predicate:
    match node:
        case Not(term):
            return _truth(term, texts, negate=not negate)
        case And() | Or():
            conjunction = isinstance(node, And) != negate
            # All of them, also if the first decides: arithmetic that overflows is refused.
            terms = [*_terms(node, texts, conjunction=conjunction, negate=negate)]
            return joined(terms, texts, conjunction=conjunction)
        case Compare(operator, left, right):
            return _comparison(NEGATED[operator] if negate else operator, left, right, texts)
        case Member(subject, values, negated):
            return _member(_number(subject, texts), values, negated=negated != negate)
        case IsNull(operand, negated):
            return _absent(_number(operand, texts), negated != negate)
        case Matches(column, where, text, negated):
            return Matches(column, where, text, negated != negate)
        case Flag(column, negated):
            return Flag(column, negated != negate)
        case Constant(value):
            return Constant(value != negate)


def _comparison(operator: str, left: Numeric, right: Numeric, texts: Texts) -> Predicate:
    left, right = _number(left, texts), _number(right, texts)
    if isinstance(left, Missing) or isinstance(right, Missing):
        return Constant(False)  # unknown, which no row counts for
    if isinstance(left, Number) and isinstance(right, Number):
        return Constant(_holds(operator, left.value, right.value))
    literal_first = isinstance(left, Number)
    if literal_first or (not isinstance(right, Number) and texts.of(right) < texts.of(left)):
        left, right, operator = right, left, FLIPPED[operator]
    if isinstance(right, Number) and operator in ("=", "!="):
        return _member(left, (right.value,), negated=operator == "!=")
    return Compare(operator, left, right)


def _absent(operand: Numeric, negated: bool) -> Predicate:
    if isinstance(operand, Number | Missing):
        return Constant(isinstance(operand, Missing) != negated)
    return present(IsNull(operand, negated))


def _holds(operator: str, left: float, right: float) -> bool:
    match operator:
        case "<" | ">=":
            return (left < right) == (operator == "<")
        case ">" | "<=":
            return (left > right) == (operator == ">")
        case _:
            return (left == right) == (operator == "=")


def _member(subject: Numeric, values: tuple[float | str, ...], *, negated: bool) -> Predicate:
    if isinstance(subject, Missing):
        return Constant(False)
    if isinstance(subject, Number):
        return Constant((subject.value in values) != negated)
    plain = {value if isinstance(value, str) else value + 0.0 for value in values}  # −0 is 0
    return Member(subject, tuple(sorted(plain)), negated)


def _terms(
    node: Predicate, texts: Texts, *, conjunction: bool, negate: bool
) -> Iterator[Predicate]:
    """The normal forms of all terms of nested connectives of one kind."""
    pending = [(node, negate)]
    while pending:
        each, flipped = pending.pop()
        match each:
            case Not(term):
                pending.append((term, not flipped))
            case And(terms) | Or(terms) if (isinstance(each, And) != flipped) == conjunction:
                pending.extend((term, flipped) for term in terms)
            case And() | Or():
                found = _other(each, texts, conjunction=not conjunction, negate=flipped)
                if isinstance(found, tuple):
                    pending.append(found)
                else:
                    yield found
            case _:
                yield _truth(each, texts, negate=flipped)


def _other(
    node: And | Or, texts: Texts, *, conjunction: bool, negate: bool
) -> Predicate | tuple[Predicate, bool]:
    """The normal form of a connective of the other kind; or the term, negated or not, that it is.

    One that says nothing but one of its terms is not there for its parent: brought to normal form
    at every level by itself, what is in it would be joined as often as there are levels.
    """
    nested: list[tuple[Predicate, bool]] = []
    found: list[Predicate] = []
    pending: list[tuple[Predicate, bool]] = [(node, negate)]
    while pending:
        each, flipped = pending.pop()
        match each:
            case Not(term):
                pending.append((term, not flipped))
            case And(terms) | Or(terms):
                if (isinstance(each, And) != flipped) == conjunction:
                    pending.extend((term, flipped) for term in terms)
                else:
                    nested.append((each, flipped))
            case _:
                found.append(_truth(each, texts, negate=flipped))
    if len(nested) == 1 and all(each == Constant(conjunction) for each in found):
        return nested[0]
    found += [_truth(each, texts, negate=flipped) for each, flipped in nested]
    return joined(found, texts, conjunction=conjunction)


def numeric(node: Numeric) -> Numeric:
    """The normal form of a number; equal expressions get equal trees."""
    return _number(node, Texts())


def _number(node: Numeric, texts: Texts) -> Numeric:
    match node:
        case Number(value):
            return Number(value + 0.0)
        case Column() | Missing() | Part():
            return node
        case Sum(terms):
            inner = [
                part
                for term in (_number(each, texts) for each in terms)
                for part in (term.terms if isinstance(term, Sum) else (term,))
            ]
            return _folded(inner, add, 0.0, Sum, texts)
        case Product(factors):
            inner = [
                part
                for factor in (_number(each, texts) for each in factors)
                for part in (factor.factors if isinstance(factor, Product) else (factor,))
            ]
            return _folded(inner, mul, 1.0, Product, texts)
        case Quotient(dividend, divisor):
            return _quotient(_number(dividend, texts), _number(divisor, texts))
        case Clip(operand, low, high):
            return _clipped(_number(operand, texts), low + 0.0, high + 0.0)
        case If(condition, then, otherwise):
            return _choice(
                _truth(condition, texts, negate=False),
                _number(then, texts),
                _number(otherwise, texts),
            )


def _quotient(dividend: Numeric, divisor: Numeric) -> Numeric:
    if isinstance(dividend, Missing) or isinstance(divisor, Missing) or divisor == Number(0.0):
        return Missing()
    if isinstance(dividend, Number) and isinstance(divisor, Number):
        return Number(_finite(dividend.value / divisor.value))
    return Quotient(dividend, divisor)


def _clipped(operand: Numeric, low: float, high: float) -> Numeric:
    if isinstance(operand, Number):
        return Number(min(high, max(low, operand.value)))
    if isinstance(operand, Missing):
        return operand
    if isinstance(operand, Clip):
        inner = (operand.low, operand.high)
        low, high = (min(high, max(low, end)) for end in inner)
        return Clip(operand.operand, low, high)
    return Clip(operand, low, high)


def _choice(condition: Predicate, then: Numeric, otherwise: Numeric) -> Numeric:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return then if then == otherwise else If(condition, then, otherwise)


def _folded(
    parts: list[Numeric],
    operation: Callable[[float, float], float],
    neutral: float,
    kind: type[Sum] | type[Product],
    texts: Texts,
) -> Numeric:
    """Constants folded into one and put first; the rest in a fixed order."""
    if any(isinstance(part, Missing) for part in parts):
        return Missing()
    rest = sorted((part for part in parts if not isinstance(part, Number)), key=texts.of)
    constants = [part.value for part in parts if isinstance(part, Number)]
    folded = _finite(reduce(operation, sorted(constants), neutral))
    head: list[Numeric] = [Number(folded)] if folded != neutral or not rest else []
    joined = (*head, *rest)
    return joined[0] if len(joined) == 1 else kind(joined)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise OverflowError
    return value + 0.0
