"""Answers with any interval, of any session, and truths inside them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st

from peekproof.core.answer import Answer
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.charge import FREE
from peekproof.derive.derived import Derived, Range
from peekproof.derive.joint import Joint

few = settings(max_examples=40)


@dataclass(frozen=True)
class Fixed:
    """An interval that is what the test wants."""

    low: float
    high: float

    def interval(self, released: Fraction) -> Interval:
        return Interval(low=self.low, high=self.high)


@dataclass(frozen=True)
class Of:
    """A derivation that knows its session."""

    session: Hashable

    def again(self) -> Certificate:
        raise NotImplementedError


def certificate(
    low: float, high: float, *, session: Hashable | None, beta: Fraction
) -> Certificate:
    return Certificate(
        target=Target(confidence=1 - beta, questions=10),
        rows=100,
        joins="T-joint",
        parts=(Part(theorem="T-noise", covers="noise", radius=1.0, numbers=()),),
        shape=Fixed(low, high),
        derivation=None if session is None else Of(session),
    )


def answer(
    low: float,
    high: float,
    value: Fraction | None = None,
    *,
    question: str = "age > 50",
    session: Hashable | None = "one",
    beta: Fraction = Fraction(1, 20),
) -> Answer:
    return Answer(
        question=question,
        released=(Fraction(low) + Fraction(high)) / 2 if value is None else value,
        certificate=certificate(low, high, session=session, beta=beta),
        cost=FREE,
        remaining=1,
    )


def derived(low: float, high: float, value: Fraction) -> Derived:
    """A number with any interval, also outside of [0, 1]."""
    joint = Joint(levels=(("one", Fraction(1, 20)),), theorems=(), assumptions=())
    return Derived(label="x", released=value, interval=Range(low=low, high=high), joint=joint)


shares = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 5e-324, 1e-17, 0.1, 1 / 3, 0.5, 1 - 2**-53, 1.0]),
)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Any interval within [0, 1], down to a point, and any value, also outside of the interval."""
    low, high = sorted((draw(shares), draw(shares)))
    return answer(low, high, draw(st.fractions(0, 1, max_denominator=1000)))


@st.composite
def inside(draw: st.DrawFn, low: Fraction | float, high: Fraction | float) -> Fraction:
    """A truth in the interval; the ends are as likely as the rest."""
    part = draw(st.one_of(st.sampled_from([Fraction(0), Fraction(1)]), st.fractions(0, 1)))
    return Fraction(low) + part * (Fraction(high) - Fraction(low))


def errors(values: Sequence[Fraction], truths: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The squared L2 and the L∞ distance."""
    gaps = [abs(value - truth) for value, truth in zip(values, truths, strict=True)]
    return sum((gap**2 for gap in gaps), Fraction(0)), max(gaps)


def ends(each: Derived) -> tuple[Fraction, Fraction]:
    return Fraction(each.low), Fraction(each.high)
