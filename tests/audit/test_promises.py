"""What every opponent of the catalogue says of itself is what its plan says, and keeps to."""

from fractions import Fraction

import numpy as np
import pytest

from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.controls import HONEST, Noisy
from peekproof.audit.opponents.protocol import Promise, Terms, promise_of
from peekproof.audit.opponents.sessions import Asked
from peekproof.core.charge import GDP, PureDP
from peekproof.core.errors import InvalidInput, Refusal

ANALYST = Correlation(rows=4000, features=7)
TERMS = Terms(confidence=Fraction(19, 20), questions=8, seed=4)
LOSSES = {
    "gaussian": GDP,
    "open-ended": GDP,
    "laplace": PureDP,
    "thresholdout": PureDP,
    "noise": GDP,
}
UNBOUNDED = {"plain", "noise-only", "noise", "checking", "open-ended", "ladder"}


@pytest.mark.parametrize("name", [*OPPONENTS, HONEST.name])
def test_promises_are_those_of_the_plan_and_bound_every_interval(name: str) -> None:
    setup = {**OPPONENTS, HONEST.name: HONEST}[name]
    opponent = setup.open(ANALYST.data(np.random.default_rng(1)), terms=TERMS)
    try:
        promise = promise_of(opponent)
        replies = []
        for question in [f"x{each} = y" for each in range(7)]:
            try:
                replies.append(opponent.reply(question, guess=0.5, tolerance=None))
            except Refusal:
                break
    finally:
        opponent.close()

    if name != "planned":
        assert type(promise.loss) is LOSSES.get(name, type(None))
        assert (promise.radius is None) == (name in UNBOUNDED)
    if isinstance(opponent, Asked) and promise.loss is not None:
        assert promise.loss == opponent.session.plan.budget
    if promise.radius is not None:
        assert replies
        for reply in replies:
            furthest = max(reply.high - reply.value, reply.value - reply.low)
            assert furthest <= promise.radius * (1 + 1e-9)


def test_who_says_nothing_promises_nothing() -> None:
    opponent = OPPONENTS["plain"].open(ANALYST.data(np.random.default_rng(1)), terms=TERMS)

    assert promise_of(opponent) == Promise(loss=None, radius=None)


def test_noise_needs_a_positive_claim() -> None:
    with pytest.raises(InvalidInput, match="mu"):
        Noisy(name="none", mu=Fraction(0))
    with pytest.raises(InvalidInput, match="part"):
        Noisy(name="none", part=Fraction(0))
