"""The experiment of the reusable holdout: many variables, a few picked, one holdout asked.

An analyst has training rows of its own. It asks the holdout how often each variable agrees with
the label, keeps those about which both agree, lets the best vote, and asks how good the vote is.
After Dwork et al. (2015), whose variables are normal; here they are signs with the same
correlations, so that all truths are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.correlation import agreement
from peekproof.audit.analysts.populations import LABEL, draw_signs, names, odd_vote
from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.audit.opponents.protocol import Reply, reply_of, textbook
from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.ledger.witness import simulation
from peekproof.mechanisms.checking import Checking
from peekproof.noise.entropy import Seeded
from peekproof.session.opening import open

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]

# A question with what the training rows say about it, and what is replied.
Answering = Callable[[str, float], Reply]

SIZES = (1, 5, 11, 21, 51, 101, 201, 301, 401, 501)
_STRENGTH = 6.0  # correlation of a variable that knows something, in units of 1/√rows


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """So many rows to train and as many held out; the first `informed` variables know something.

    `sizes` are the numbers of variables that may vote, odd so that no vote ties.
    """

    rows: int = 10_000
    variables: int = 10_000
    informed: int = 0
    sizes: tuple[int, ...] = SIZES

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(variables=self.variables)
        if not 0 <= self.informed <= self.variables:
            raise InvalidInput(
                argument="informed", accepted="0 to all variables", given=repr(self.informed)
            )
        if not self.sizes or any(size < 1 or size % 2 == 0 for size in self.sizes):
            raise InvalidInput(argument="sizes", accepted="odd numbers", given=repr(self.sizes))

    @property
    def agreeing(self) -> Floats:
        """How often each variable agrees with the label in the population."""
        shares = np.full(self.variables, 0.5)
        shares[: self.informed] += _STRENGTH / 2 / sqrt(self.rows)
        return shares

    def draw(self, rng: np.random.Generator) -> tuple[Signs, Signs]:
        """Rows of variables, and their labels."""
        label = draw_signs((self.rows,), rng)
        values = draw_signs((self.variables, self.rows), rng)
        knowing = self.agreeing[: self.informed, None]
        right = rng.random((self.informed, self.rows)) < knowing
        values[: self.informed] = np.where(right, label, -label)
        return values, label

    def truth(self, votes: dict[int, int]) -> float:
        """How often a vote of variables, each for (1) or against (−1), is right of everybody."""
        law = np.ones(1)
        for variable, sign in votes.items():
            share = self.agreeing[variable]
            right = share if sign > 0 else 1 - share
            law = np.convolve(law, [1 - right, right])
        return float(law[len(votes) // 2 + 1 :].sum())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What was said about a vote of so many variables, and what is true."""

    chosen: int
    training: float
    said: Reply
    truth: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The same analyst with a plain holdout and with one that Peekproof holds.

    `failures` is how many guesses failed there.
    """

    scene: Scene
    plain: tuple[Vote, ...]
    held: tuple[Vote, ...]
    failures: int


@simulation()
def reusable_holdout(scene: Scene, *, seed: int) -> Outcome:
    """Both conversations, about the same rows."""
    rng = np.random.default_rng(seed)
    training, holdout = scene.draw(rng), scene.draw(rng)
    columns = dict(zip([*names(scene.variables), LABEL], [*holdout[0], holdout[1]], strict=True))
    plain = _converse(scene, training, _plainly(columns))
    questions = scene.variables + len(scene.sizes)
    with open(columns, questions=questions, mechanisms=[Checking], entropy=Seeded(seed)) as session:

        def checked(question: str, guess: float) -> Reply:
            return reply_of(session.ask(question, guess=guess))

        held = _converse(scene, training, checked)
        return Outcome(scene=scene, plain=plain, held=held, failures=session.failures)


def _plainly(columns: Columns) -> Answering:
    """The share of the holdout, with the interval that is right for one question."""
    sample = ExactSample(columns)

    def answer(question: str, _: float) -> Reply:
        return textbook(sample(question), rows=sample.rows)

    return answer


def _converse(scene: Scene, training: tuple[Signs, Signs], answer: Answering) -> tuple[Vote, ...]:
    """Guess what the training rows say; once that has failed for a vote, what was said last."""
    values, label = training
    variables, trained = names(scene.variables), (values == label).mean(axis=1)
    held = np.array(
        [
            answer(agreement(each, LABEL), float(guess)).value
            for each, guess in zip(variables, trained, strict=True)
        ]
    )
    found: list[Vote] = []
    believed: float | None = None
    for size in scene.sizes:
        votes = _votes(trained, held, size=size, rows=scene.rows)
        chosen, signs = list(votes), np.array(list(votes.values()))
        tally = signs @ values[chosen].astype(np.int64)
        fitted = float(np.mean(tally * label > 0))
        guess = fitted if believed is None else believed
        said = answer(odd_vote([variables[each] for each in chosen], signs.tolist()), guess)
        if said.value != guess:
            believed = said.value
        found.append(Vote(chosen=len(votes), training=fitted, said=said, truth=scene.truth(votes)))
    return tuple(found)


def _votes(trained: Floats, held: Floats, *, size: int, rows: int) -> dict[int, int]:
    """The variables with the largest training correlation among those that both agree about."""
    inside, outside = 2 * trained - 1, 2 * held - 1
    agree = (inside * outside > 0) & (np.minimum(abs(inside), abs(outside)) >= 1 / sqrt(rows))
    count = max(1, min(size, int(agree.sum())))
    order = np.argsort(-abs(inside) * agree, kind="stable")[: count - 1 + count % 2]
    return {int(each): 1 if inside[each] > 0 else -1 for each in order}
