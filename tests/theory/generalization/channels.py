"""Small mechanisms whose every probability is known: two records of one bit, a few outputs."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

SAMPLES = tuple(product((0, 1), repeat=2))
OUTPUTS = 4


@dataclass(frozen=True)
class Channel:
    """Records are 1 with probability `chance`; output a of sample s has probability law[s, a]."""

    chance: float
    law: NDArray[np.float64]
    questions: NDArray[np.float64]  # the question of output a has values questions[a, x]

    def prior(self) -> NDArray[np.float64]:
        chances = (1 - self.chance, self.chance)
        return np.array([chances[x] * chances[y] for x, y in SAMPLES])

    def marginal(self) -> NDArray[np.float64]:
        return self.prior() @ self.law

    def neighbours(self) -> list[tuple[int, int]]:
        return [
            (i, j)
            for i, s in enumerate(SAMPLES)
            for j, t in enumerate(SAMPLES)
            if sum(x != y for x, y in zip(s, t, strict=True)) == 1
        ]

    def delta(self, epsilon: float) -> float:
        """The least δ at this ε: the largest hockey-stick divergence between neighbours."""
        return max(
            float(np.maximum(self.law[i] - np.exp(epsilon) * self.law[j], 0).sum())
            for i, j in self.neighbours()
        )

    def on_sample(self) -> NDArray[np.float64]:
        """q_a(S) for each sample and output."""
        return np.array(
            [[self.questions[a, list(s)].mean() for a in range(OUTPUTS)] for s in SAMPLES]
        )

    def on_population(self) -> NDArray[np.float64]:
        return np.asarray(self.questions @ np.array([1 - self.chance, self.chance]))

    def drift(self) -> NDArray[np.float64]:
        """q_a(Q) − q_a(P) for each output, Q the law of the sample given the output."""
        joint = self.prior()[:, None] * self.law
        posterior = (joint * self.on_sample()).sum(0) / joint.sum(0)
        return np.asarray(posterior - self.on_population())

    def information(self) -> float:
        joint = self.prior()[:, None] * self.law
        return float((joint * np.log(self.law / self.marginal())).sum())


def _channel(chance: float, weights: list[float], values: list[float]) -> Channel:
    law = np.array(weights).reshape(len(SAMPLES), OUTPUTS)
    return Channel(
        chance=chance,
        law=law / law.sum(1, keepdims=True),
        questions=np.array(values).reshape(OUTPUTS, 2),
    )


channels = st.builds(
    _channel,
    st.floats(0.01, 0.99),
    st.lists(st.floats(0.001, 1), min_size=len(SAMPLES) * OUTPUTS, max_size=len(SAMPLES) * OUTPUTS),
    st.lists(st.floats(0, 1), min_size=OUTPUTS * 2, max_size=OUTPUTS * 2),
)
