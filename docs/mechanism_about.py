"""What no code says of a mechanism, and the kinds of examples there are of it."""

from dataclasses import dataclass

from holdfast.mechanisms.above_threshold import AboveThreshold
from holdfast.mechanisms.checking import Checking
from holdfast.mechanisms.discrete_gaussian import DiscreteGaussian
from holdfast.mechanisms.exponential import Exponential
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.gaussian_vector import GaussianVector
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.mechanisms.ladder import Ladder
from holdfast.mechanisms.laplace import Laplace
from holdfast.mechanisms.laplace_vector import LaplaceVector
from holdfast.mechanisms.limited_checking import LimitedChecking
from holdfast.mechanisms.noisy_max import NoisyMax
from holdfast.mechanisms.numeric_sparse import NumericSparse
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.permute_and_flip import PermuteAndFlip
from holdfast.mechanisms.quantile import Quantile
from holdfast.mechanisms.rounds import Rounds
from holdfast.mechanisms.selection import Selection
from holdfast.mechanisms.splitting import Splitting
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.mechanisms.truncation import Truncation
from holdfast.mechanisms.votes import Votes

CELLS, STEPS, VERDICTS, BATCHES = 10, 256, 100, 5

Share = Gaussian | Laplace | DiscreteGaussian | Truncation | Splitting | Rounds | Votes
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
