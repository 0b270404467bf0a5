"""Freedman's paradox: noise is screened, what looks good is fitted again, and seems to matter.

First with ordinary regressions, as Freedman (1983) did it; then by an analyst who asks the same
of a session, one correlation after another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import atan, cos, pi, sin, sqrt
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.fight import Bout, fight
from peekproof.audit.opponents.controls import Plain
from peekproof.audit.opponents.protocol import Reply
from peekproof.audit.opponents.sessions import Planned
from peekproof.core import check
from peekproof.core.errors import InvalidInput, Refusal

Floats = npt.NDArray[np.float64]

ROWS, VARIABLES = 100, 50
SCREENING, LEVEL = 0.25, 0.05
CONFIDENCE = Fraction(19, 20)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A regression: which variables stayed in, how many seem to matter, and what it explains."""

    kept: tuple[int, ...]
    significant: int
    r_squared: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an analyst of so many rows is told about R², which is 0 of everybody."""

    rows: int
    plain: Reply
    held: Reply | None
    refusal: Refusal | InvalidInput | None


def student_p_value(t: float, *, freedom: int) -> float:
    """Pr[|T| > |t|] of Student's law with whole degrees of freedom, by its finite sum.

    With θ = atan(|t|/√f), the integral of cos^{f−1} is worked out by parts: for even f,
    sin θ·(1 + ½·cos²θ + (1·3)/(2·4)·cos⁴θ + …), up to cos^{f−2}θ, and so for odd f.
    """
    angle = atan(abs(t) / sqrt(check.positive_integer(freedom=freedom)))
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    inside = 0.0
    for power in range(odd, freedom - 1, 2):
        inside += term
        term *= cos(angle) ** 2 * (power + 1) / (power + 2)
    inside *= sin(angle)
    return max(0.0, 1 - (2 / pi * (angle + inside) if odd else inside))


def regress(values: Floats, label: Floats, kept: Sequence[int]) -> tuple[Floats, float]:
    """The p-value of every variable kept, and R²; a constant is fitted as well."""
    rows = len(label)
    freedom = rows - len(kept) - 1
    if freedom < 1:
        raise InvalidInput(
            argument="kept", accepted=f"fewer than {rows - 1} variables", given=repr(len(kept))
        )
    design = np.column_stack([np.ones(rows), values[:, list(kept)]])
    inverse = np.linalg.inv(design.T @ design)
    fitted = inverse @ design.T @ label
    rest = float(np.sum((label - design @ fitted) ** 2))
    scores = fitted / np.sqrt(np.diag(inverse) * rest / freedom)
    found = np.array([student_p_value(float(each), freedom=freedom) for each in scores[1:]])
    return found, 1 - rest / float(np.sum((label - label.mean()) ** 2))


def screen_and_refit(values: Floats, label: Floats) -> Fit:
    """Fit all variables, keep those with p ≤ 0.25, fit these again and count those at 0.05."""
    first, _ = regress(values, label, range(values.shape[1]))
    kept = tuple(int(each) for each in np.flatnonzero(first <= SCREENING))
    second, r_squared = regress(values, label, kept)
    return Fit(kept=kept, significant=int(np.sum(second <= LEVEL)), r_squared=r_squared)


def noise(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A hundred rows of fifty normal variables, and a label that has nothing to do with them."""
    return rng.standard_normal((ROWS, VARIABLES)), rng.standard_normal(ROWS)


def repetitions(count: int, *, seed: int) -> Iterator[Fit]:
    """The same on so many independent tables of noise."""
    rng = np.random.default_rng(seed)
    for _ in range(check.positive_integer(count=count)):
        yield screen_and_refit(*noise(rng))


def told(rows: int, *, seed: int) -> Told:
    """What a plain sample and a session say of R² to an analyst who screens and fits by asking."""
    analyst = Freedman(rows=rows, features=VARIABLES)
    plain = fight(Plain(), analyst, confidence=CONFIDENCE, seed=seed)
    held = fight(Planned(), analyst, confidence=CONFIDENCE, seed=seed)
    said = _decisive(plain)
    if said is None:
        raise RuntimeError("a plain sample answers whatever it is asked")
    return Told(rows=rows, plain=said, held=_decisive(held), refusal=held.refusal)


def _decisive(bout: Bout) -> Reply | None:
    return bout.decisive and bout.decisive.reply
