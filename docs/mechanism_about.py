"""What no code says of a mechanism, and the kinds of examples there are of it."""

from dataclasses import dataclass

from peekproof.mechanisms.checking import Checking, GuessAndCheck, Selection
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.exponential import Exponential, NoisyMax, PermuteAndFlip, Quantile
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.mechanisms.ladder import Ladder
from peekproof.mechanisms.laplace import Laplace, LaplaceVector
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.sparse import AboveThreshold, NumericSparse
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.mechanisms.truncation import Truncation

CELLS, STEPS, VERDICTS = 10, 256, 100

Share = Gaussian | Laplace | DiscreteGaussian | Truncation | FreshRows
Vector = GaussianVector | LaplaceVector
Choosing = Exponential | PermuteAndFlip | NoisyMax | Quantile
Sparse = AboveThreshold | NumericSparse
Guessing = Thresholdout | Ladder | GuessAndCheck | Selection | Checking | LimitedChecking
Example = Share | OpenEnded | Vector | Choosing | Sparse | Guessing


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What no code says of a mechanism, and an example of it."""

    releases: str
    example: Example
    cost: str
    errs: str
    use: str
    theorems: tuple[str, ...]
