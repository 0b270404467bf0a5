"""With which confidence answers hold together, also those of several sessions.

And what the caller knows beforehand, made exact, with what happens if answers contradict it.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem


@theorem("T-joint-function", "peekproof", "The proof in its docstring")
def joint_confidence(betas: Iterable[Fraction]) -> Fraction:
    """The probability that everything which follows from the answers of some sessions is true.

        1 − Σ_s β_s

    Proof. Let E_s be the event that all intervals of session s hold: Pr[E_s] ≥ 1 − β_s, so
    Pr[∩ E_s] ≥ 1 − Σ β_s. On ∩ E_s the vector x of population values lies in the product B of the
    intervals, and by what is known beforehand in a set K. So f(x) ∈ f(B ∩ K), for every f: the
    event does not mention f, which may therefore be chosen after the answers, and any number of
    functions hold on the same event. Any superset of f(B ∩ K) is an interval for f(x).

    Holds when: each session keeps its promise with probability 1 − β_s, which it gives only if
    no other session answered from its rows; the functions may be chosen last, and what is known
    beforehand is true.
    Rounds: not at all.
    """
    confidence = 1 - sum(betas, Fraction(0))
    if confidence <= 0:
        raise InvalidInput(
            argument="answers",
            accepted="of sessions whose levels β add up to less than 1",
            given=f"levels that add up to {float(1 - confidence):.6g}",
            hint="ask one session, whose answers all hold together",
        )
    return confidence


@final
@dataclass(frozen=True, slots=True)
class Itself:
    """A session of which only one answer is known: equal to nothing but the same answer."""

    answer: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.answer is self.answer

    def __hash__(self) -> int:
        return id(self.answer)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What a number rests on: sessions, each with its level β, their theorems and assumptions."""

    levels: tuple[tuple[Hashable, Fraction], ...]
    theorems: tuple[str, ...]
    assumptions: tuple[str, ...]

    @classmethod
    def on(cls, answer: object, certificate: Certificate) -> "Joint":
        """What one answer rests on. If its session is not known, it shares it with no other."""
        session = certificate.session
        return cls(
            levels=((Itself(answer) if session is None else session, certificate.target.beta),),
            theorems=certificate.theorems,
            assumptions=certificate.assumptions,
        )

    @classmethod
    def of(cls, joints: Iterable["Joint"]) -> "Joint":
        """What all of them rest on; a session counts once, at the largest level it was given."""
        betas: dict[Hashable, Fraction] = {}
        theorems: dict[str, None] = {}
        assumptions: dict[str, None] = {}
        for joint in joints:
            for session, beta in joint.levels:
                betas[session] = max(beta, betas.get(session, beta))
            theorems.update(dict.fromkeys(joint.theorems))
            assumptions.update(dict.fromkeys(joint.assumptions))
        joint_confidence(betas.values())  # refuses a promise of nothing
        return cls(
            levels=tuple(betas.items()),
            theorems=tuple(theorems),
            assumptions=tuple(assumptions),
        )

    @property
    def confidence(self) -> Fraction:
        return joint_confidence(beta for _, beta in self.levels)


_TOO_LONG = 10**1000  # far beyond any float, and short enough to be printed


def number(**named: object) -> Fraction:
    """The one value given as an exact rational.

    A float stands for the decimal it prints as: 0.1 is 1/10, not its nearest double.
    """
    ((name, value),) = named.items()
    exact: Fraction | None = None
    if isinstance(value, Fraction):
        exact = value
    elif isinstance(value, int) and not isinstance(value, bool):
        exact = Fraction(value)
    elif isinstance(value, float) and math.isfinite(value):
        exact = Fraction(repr(float(value)))
    if exact is None:
        raise InvalidInput(argument=name, accepted="a finite number", given=repr(value))
    if max(abs(exact.numerator), exact.denominator) >= _TOO_LONG:
        raise InvalidInput(
            argument=name, accepted="a finite number of at most 1,000 digits", given="a longer one"
        )
    return exact


def contradiction(argument: str, *, accepted: str, given: str, joint: Joint) -> InvalidInput:
    """The error for knowledge that no numbers inside the intervals satisfy.

    Intervals are public, so it may depend on them. To return something instead would hide that
    one of the two is wrong.
    """
    return InvalidInput(
        argument=argument,
        accepted=accepted,
        given=given,
        hint=(
            "what is taken to be known is wrong, or the answers are among those that miss, which "
            f"has probability at most {float(1 - joint.confidence):.6g}"
        ),
    )
