"""Laws of what a mechanism releases: from where it may come, and what must not show.

They are part of `peekproof.testing.mechanisms.LAWS`.
"""

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from peekproof.audit.digits import leaves
from peekproof.core.charge import Draws
from peekproof.core.errors import PeekproofError
from peekproof.noise.entropy import Seeded, SystemEntropy
from peekproof.testing.case import Case, Recorded
from peekproof.testing.violation import Violation, require

S = TypeVar("S")
R = TypeVar("R")

SEEDS = range(8)

# Draws among which two must differ.
DRAWS = 400


def every_release_is_public(case: Case[S, R]) -> None:
    """Whatever the statistic, a release is one of the outputs known beforehand."""
    for conversation in case.conversations:
        for seed in SEEDS:
            for released in case.transcript(conversation, rng=Seeded(seed)):
                require(case.outputs(released), f"{case.name} released {released!r}")


def no_release_is_rounded(case: Case[S, R]) -> None:
    """Releases are integers, Fractions, names or made of these: the bits of a float tell."""
    for conversation in case.conversations:
        for released in case.transcript(conversation, rng=Seeded(0)):
            inexact = [leaf for leaf in leaves(released) if not _exact(leaf)]
            require(not inexact, f"{case.name} released {inexact}")


def the_same_bits_give_the_same_release(case: Case[S, R]) -> None:
    """All randomness comes from the entropy that is passed."""
    for conversation in case.conversations:
        for seed in SEEDS:
            one, other = (case.transcript(conversation, rng=Seeded(seed)) for _ in range(2))
            require(one == other, f"{case.name} draws bits from elsewhere")


def noise_is_drawn(case: Case[S, R]) -> None:
    """If a loss is claimed, two releases of the same conversation differ, for one of all.

    Wrong with probability at most p^399, if for one of them the likeliest transcript has
    probability p: less than 10⁻¹⁷ for p = 0.9.
    """
    if isinstance(case.mechanism.cost(), Draws):
        return
    rng = SystemEntropy()
    for conversation in case.conversations:
        first = case.transcript(conversation, rng=rng)
        if any(case.transcript(conversation, rng=rng) != first for _ in range(1, DRAWS)):
            return
    raise Violation(f"{case.name} claims a loss and repeats every release {DRAWS} times")


def the_bits_asked_for_do_not_tell(case: Case[S, R]) -> None:
    """How many bits a release takes depends on the bits and on what was released before alone.

    The same bits are given for all conversations; two are compared up to where they part. A sampler
    that refines a real until it can be rounded passes if it hardly ever needs to. What is bought
    wholesale, through a `Pool`, is compared wholesale.
    """
    for seed in SEEDS:
        seen: dict[tuple[R, ...], list[int]] = {}
        for conversation in case.conversations:
            for before, asked in _takes(case, conversation, seed):
                require(
                    seen.setdefault(before, asked) == asked,
                    f"{case.name} asks for {sum(asked)} bits or {sum(seen[before])}",
                )


def it_shows_no_statistic(case: Case[S, R]) -> None:
    """What is printed of a mechanism stays as it was; a refusal says nothing of what it saw."""
    mechanism = case.mechanism
    shown = repr(mechanism), str(mechanism), mechanism.describe()
    for conversation in case.conversations:
        case.transcript(conversation, rng=Seeded(1))
        after = repr(mechanism), str(mechanism), mechanism.describe()
        require(after == shown, f"{case.name} looks different after a release")
    for conversation in case.misshapen:
        said = _refusal(case, conversation)
        told = [leaf for leaf in leaves(conversation) if len(str(leaf)) > 3 and str(leaf) in said]
        require(not told, f"{case.name} tells what it saw: {said}")


def _takes(
    case: Case[S, R], conversation: tuple[S, ...], seed: int
) -> Iterator[tuple[tuple[R, ...], list[int]]]:
    """Before each release: what was released already; and the bits asked for up to it."""
    rng = Recorded(Seeded(seed))
    before: tuple[R, ...] = ()
    for released in case.talk(conversation, rng):
        yield before, list(rng.asked)
        before = (*before, released)


def _refusal(case: Case[S, R], conversation: tuple[S, ...]) -> str:
    try:
        case.transcript(conversation, rng=Seeded(1))
    except PeekproofError as refused:
        return f"{refused} {refused!r} {refused.fields()}"
    raise Violation(f"{case.name} answers what has not the shape that it is for")


def _exact(leaf: object) -> bool:
    return leaf is None or isinstance(leaf, int | Fraction | str | Enum)
