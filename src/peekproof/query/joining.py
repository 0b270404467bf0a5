"""Terms under one And or Or, brought to normal form. Unknown counts as false here.

Atoms on one operand become its zone; a compound term that another term implies, or that implies
another term, is absorbed: a and (a or b) is a, and a or (a and b) is a. Nothing is distributed,
so a tree never grows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from peekproof.query.tree import (
    NEGATED,
    And,
    Clip,
    Compare,
    Constant,
    Flag,
    IsNull,
    Matches,
    Member,
    Or,
)
from peekproof.query.tree import Predicate as Term
from peekproof.query.wire import Texts
from peekproof.query.zones import Atom, Zone, operand_of


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
        for atom in _written(zone, conjunction=conjunction):
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


def _written(zone: Zone, *, conjunction: bool) -> list[Term]:
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
