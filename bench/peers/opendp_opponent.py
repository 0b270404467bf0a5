"""OpenDP as an opponent: Laplace noise and the interval that its accuracy gives.

The interval says how far the answer is from the sample, at a level shared by all questions.
"""

from dataclasses import dataclass
from typing import Any, final

import opendp.prelude as dp

from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.audit.opponents.protocol import Opponent, Reply, Terms

dp.enable_features("contrib", "floating-point")


@final
class Noised(Opponent):
    """Replies with noise from OpenDP; the epsilon is shared evenly by all questions."""

    def __init__(self, columns: Columns, *, terms: Terms, epsilon: float) -> None:
        self._sample, self._each = ExactSample(columns), epsilon / terms.questions
        self._level = float(1 - terms.confidence) / terms.questions
        self._laplaces: dict[float, Any] = {}

    def reply(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 it never looks at guesses
        tolerance: float | None = None,  # noqa: ARG002
    ) -> Reply:
        value, _ = self._sample.spread(question)
        width = float(self._sample.measure(question).span.width)
        scale = width / self._sample.rows / self._each
        noised = self._laplace(scale)(value)
        radius = dp.laplacian_scale_to_accuracy(scale, self._level)
        return Reply(noised, noised - radius, noised + radius)

    def _laplace(self, scale: float) -> Any:
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        if scale not in self._laplaces:
            self._laplaces[scale] = dp.m.make_laplace(*space, scale=scale)
        return self._laplaces[scale]


@final
@dataclass(frozen=True, slots=True)
class OpenDP:
    """Laplace noise at this epsilon for a whole conversation."""

    epsilon: float
    certified: bool = False

    @property
    def name(self) -> str:
        return f"OpenDP, Laplace noise, total ε = {self.epsilon:g}"

    def open(self, columns: Columns, *, terms: Terms) -> Noised:
        return Noised(columns, terms=terms, epsilon=self.epsilon)
