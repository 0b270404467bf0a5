"""Committees of small classifiers, of which there are many more than anybody can try.

A member sees a few variables, and is fitted to the training rows. Which variables its members see
is all that makes a committee; so to search for a good one is to tune random seeds.
"""

from dataclasses import dataclass
from functools import cached_property
from math import erf, sqrt
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput

Floats = npt.NDArray[np.float32]
Signs = npt.NDArray[np.int8]

_FOLDS = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Rows to train and rows held out: normal variables, and a label that is 1 or -1.

    The first `informed` variables lean to the side of the label by `strength` standard
    deviations; all others know nothing.
    """

    training: int = 6_000
    rows: int = 2_000
    variables: int = 1_000
    informed: int = 0
    strength: float = 0.06
    members: int = 25
    sees: int = 8

    def __post_init__(self) -> None:
        for name in ("rows", "variables", "members", "sees"):
            check.positive_integer(**{name: getattr(self, name)})
        if self.training < _FOLDS or self.training % _FOLDS:
            raise InvalidInput(
                argument="training", accepted=f"a multiple of {_FOLDS}", given=repr(self.training)
            )
        if not 0 <= self.informed <= self.variables or self.sees > self.variables:
            raise InvalidInput(
                argument="informed and sees",
                accepted=f"at most all {self.variables} variables",
                given=f"{self.informed} and {self.sees}",
            )

    @property
    def leaning(self) -> Floats:
        """How far each variable leans to the side of the label."""
        leaning = np.zeros(self.variables, dtype=np.float32)
        leaning[: self.informed] = self.strength
        return leaning

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[Floats, Signs]:
        """Variables, one a line, and labels."""
        label = (2 * rng.integers(0, 2, rows) - 1).astype(np.int8)
        noise = rng.standard_normal((self.variables, rows), dtype=np.float32)
        return noise + self.leaning[:, None] * label, label

    def truth(self, weights: Floats) -> float:
        """How often the sign of a weighed sum is the label, of everybody: Phi(w.m / |w|)."""
        distance = float(weights @ self.leaning) / float(np.linalg.norm(weights))
        return (1 + erf(distance / sqrt(2))) / 2


@final
@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A small classifier: its weights, and what it says of held and of training rows.

    Of each training row by a fit without the quarter that the row is in.
    """

    weights: Floats
    held: Floats
    trained: Floats


@final
@dataclass(frozen=True, eq=False)
class Committee:
    """Members whose sum decides."""

    members: tuple[Member, ...]
    training: Signs
    truth: float

    @cached_property
    def predicted(self) -> Signs:
        """The label of each held row, as the committee sees it."""
        return _sign(np.sum([each.held for each in self.members], axis=0))

    @cached_property
    def validated(self) -> float:
        """The share of training rows that it gets right by cross-validation."""
        said = _sign(np.sum([each.trained for each in self.members], axis=0))
        return float(np.mean(said == self.training))


@final
class Committees:
    """All committees of a scene, with the rows that one seed draws."""

    def __init__(self, scene: Scene, *, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.scene = scene
        self._values, self._training = scene.draw(rng, scene.training)
        self._held, self.labels = scene.draw(rng, scene.rows)
        self._folds = np.array_split(np.arange(scene.training), _FOLDS)
        sums = [self._values[:, fold] @ self._training[fold] for fold in self._folds]
        self._fit = np.sum(sums, axis=0)
        self._fits_without = [self._fit - each for each in sums]

    def any(self, rng: np.random.Generator) -> Committee:
        """A committee of random members."""
        return self._seated(tuple(self._member(rng) for _ in range(self.scene.members)))

    def changed(self, committee: Committee, rng: np.random.Generator) -> Committee:
        """The same with another member in place of one."""
        place = int(rng.integers(self.scene.members))
        members = committee.members
        return self._seated((*members[:place], self._member(rng), *members[place + 1 :]))

    def _seated(self, members: tuple[Member, ...]) -> Committee:
        weights = np.sum([each.weights for each in members], axis=0)
        return Committee(members, self._training, self.scene.truth(weights))

    def _member(self, rng: np.random.Generator) -> Member:
        seen = rng.choice(self.scene.variables, self.scene.sees, replace=False)
        weights = np.zeros(self.scene.variables, dtype=np.float32)
        weights[seen] = _unit(self._fit[seen])
        trained = [
            _unit(fit[seen]) @ self._values[seen, fold[0] : fold[-1] + 1]
            for fold, fit in zip(self._folds, self._fits_without, strict=True)
        ]
        return Member(weights, weights[seen] @ self._held[seen], np.concatenate(trained))


def _unit(weights: Floats) -> Floats:
    return (weights / np.linalg.norm(weights)).astype(np.float32)


def _sign(sums: Floats) -> Signs:
    return np.where(sums > 0, 1, -1).astype(np.int8)
