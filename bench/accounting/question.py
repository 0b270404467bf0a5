"""What every accountant is asked: the same mechanisms, the same δ."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

DELTA = 1e-6
EXACT_DELTA = Fraction(1, 10**6)

# Laplace answers of sensitivity 1 and scale 100, so ε = 1/100 each; Gaussian ones with σ = 100.
SCALE = 100
COUNTS = (1, 100, 10_000, 1_000_000)

# A thousand different parameters: ε evenly from 0.005 to 0.015, and σ evenly from 50 to 150.
EPSILONS = tuple(Fraction(1, 200) + Fraction(i, 99_900) for i in range(1000))
SIGMAS = tuple(50 + Fraction(100 * i, 999) for i in range(1000))

# Noise for a target of (1, δ), and the sampled Gaussian of training by gradient descent.
TARGET, ANSWERS = 1, 1000
RATE, SAMPLED_SIGMA = 0.01, 1.0

TITLES = {
    "laplace": "Laplace, ε = 0.01 each",
    "gaussian": "Gaussian, σ = 100, sensitivity 1",
    "laplace_mixed": "Laplace, ε evenly spread from 0.005 to 0.015",
    "gaussian_mixed": "Gaussian, σ evenly spread from 50 to 150",
    "calibration": "The least Gaussian σ for (1, 1e-6) over the given number of answers",
    "subsampled": "Gaussian, σ = 1, Poisson sampling at rate 0.01",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One family of mechanisms and how many of them are composed."""

    family: str
    count: int


FULL = (
    *(Question(family="laplace", count=count) for count in COUNTS),
    *(Question(family="gaussian", count=count) for count in COUNTS),
    Question(family="laplace_mixed", count=len(EPSILONS)),
    Question(family="gaussian_mixed", count=len(SIGMAS)),
    Question(family="calibration", count=ANSWERS),
    *(Question(family="subsampled", count=count) for count in (1, 100, 10_000)),
)
QUICK = tuple(
    question
    for question in FULL
    if question.count in (1000, 10_000) and question.family != "subsampled"
)
