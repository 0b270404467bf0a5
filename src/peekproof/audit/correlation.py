"""The correlation attack: keep what looks good, then ask about the combination.

On features and a label without any relation, each feature agrees with the label on half of the
population, and a little more or less on the sample. The analyst asks for every agreement, lets
each feature vote with the log-odds of its answer, and asks how often the vote is right. Under
exact answers the vote looks right on Φ(√(k/n)) of the sample; in the population it is right
half of the time. With Gaussian noise σ on the answers the effect shrinks to
Φ(√(k/n)/√(1 + 4nσ²)) and never vanishes.
"""

from collections.abc import Sequence
from math import log, sqrt
from statistics import NormalDist

# A noisy answer may be 0 or 1; its vote is capped at the log-odds of 199 to 1.
_STRONGEST = 0.99


def agreement(feature: str, label: str) -> str:
    """The question how often a feature (−1 or 1) agrees with the label (−1 or 1)."""
    return f"{feature} = {label}"


def vote(features: Sequence[str], label: str, agreements: Sequence[float]) -> str:
    """The question how often the weighted vote of `features` agrees with the label.

    `agreements` are the answers to `agreement`, in the same order.
    """
    terms = []
    for feature, share in zip(features, agreements, strict=True):
        correlation = min(_STRONGEST, max(-_STRONGEST, 2 * share - 1))
        weight = log((1 + correlation) / (1 - correlation))
        terms.append(f"{weight:+.6f}*{feature}")
    return f"({' '.join(terms)}) * {label} > 0"


def predicted_share(*, rows: int, questions: int, sigma: float = 0.0) -> float:
    """What the vote seems to reach on the sample when answers carry Gaussian noise `sigma`."""
    return NormalDist().cdf(sqrt(questions / rows) / sqrt(1 + 4 * rows * sigma**2))
