"""Patterns of `like`, and what they say about a text column."""

from typing import NamedTuple, final

from peekproof.query.tree import Column, Matches, Member, Or, Predicate

HINT = "put % at the ends only, or use startswith, endswith or contains; \\% and \\_ are literal"


@final
class Pattern(NamedTuple):
    """Literal text, and whether anything may stand before and after it."""

    text: str
    open_before: bool
    open_after: bool


def read_pattern(written: str) -> Pattern:
    """What a pattern says; raises ValueError if there is more to it than % at the ends."""
    pieces: list[tuple[str, bool]] = []  # a character, and whether it is a sign
    characters = iter(written)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if escaped not in ("%", "_", "\\"):
                raise ValueError("a backslash before nothing that needs one")
            pieces.append((escaped, False))
        else:
            pieces.append((character, character in "%_"))
    before = pieces[:1] == [("%", True)]
    after = len(pieces) > before and pieces[-1] == ("%", True)
    inside = pieces[before : len(pieces) - after]
    if any(sign for _, sign in inside):
        raise ValueError("a sign inside")
    return Pattern("".join(character for character, _ in inside), before, after)


def like(column: Column, pattern: Pattern) -> Predicate:
    """Whether the column's text has this pattern."""
    match pattern:
        case Pattern(text, False, False):
            return Member(column, (text,), negated=False)
        case Pattern(text, False, True):
            return holds(column, "begins with", text)
        case Pattern(text, True, False):
            return holds(column, "ends with", text)
        case _:
            return holds(column, "contains", pattern.text)


def holds(column: Column, where: str, text: str) -> Predicate:
    """Whether the column's text has `text` in this place; every text holds the empty one."""
    if text:
        return Matches(column, where, text, negated=False)
    # True for every text and unknown for none, so that its negation is never true.
    return Or((Member(column, ("",), negated=False), Member(column, ("",), negated=True)))
