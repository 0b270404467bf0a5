"""How many secret coins can be guessed from one output of a private mechanism."""

from functools import lru_cache
from math import exp, fsum, lgamma, log1p
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from peekproof.core import check
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, up
from peekproof.core.theorem import theorem

Floats: TypeAlias = NDArray[np.float64]

# Beyond this a guess is right as good as surely, and exp would overflow.
LARGEST = 700.0

# The logarithm of a factorial of a million has an absolute error of 10⁻⁹.
MOST = 1_000_000
ROUNDING = 1 + 1e-8


@theorem(
    "T-one-run",
    "steinke-nasr-jagielski-2023",
    "The pure case; the proof with δ is ours",
)
def any_guesses(*, right: int, guesses: int, records: int, loss: ApproxDP) -> float:
    """How likely so many of the guesses are right, by (ε, δ): a p-value, however many were made.

        Pr[ W ≥ v ] + mδ/(1 + e^ε),     W ~ Binomial(r, q),     q = e^ε/(1 + e^ε)

    m = `records` fair coins are hidden, one in each record; the mechanism is run once on all of
    them; r = `guesses` of the coins are named by looking at its output, and v = `right` of these
    rightly.

    Proof. Fix the earlier coins and average over the later ones: the laws P, Q of the output y for
    coin i heads or tails are (ε, δ)-close, as averages of neighbours. Given y the coin is heads
    with probability P(y)/(P(y) + Q(y)), which exceeds q by (P − e^ε Q)(y)/((1 + e^ε)(P + Q)(y)).
    As y has the density (P + Q)/2, the positive part of this excess has a mean of at most
    δ/(2(1 + e^ε)), and with tails at most δ/(1 + e^ε). Guesses are functions of y. So, given y and
    coin by coin, a guess is right if a uniform number falls below q, or by the excess. The first
    happens W times, with W as above given y; the second happens at all with probability at most
    mδ/(1 + e^ε). If v_r is the least v at which the p-value is at most a, then v_r right guesses
    need W ≥ v_r or an excess, which together have probability at most a.

    Holds when: coins are fair, independent and unknown to the mechanism but through its input, and
    guesses use its output alone. Two inputs that differ in one coin are neighbours.
    Rounds: up.
    """
    r, v = _checked(right, guesses, records)
    eps, delta = _amounts(loss)
    tail = fsum(_law(r, eps)[v:])
    return min(1.0, up(tail * ROUNDING + records * delta / (1 + exp(eps))))


@theorem("T-one-run-fixed", "steinke-nasr-jagielski-2023", "Corollary 5.4, arXiv:2305.08846v1")
def fixed_guesses(*, right: int, guesses: int, records: int, loss: ApproxDP) -> float:
    """How likely so many of the guesses are right, by (ε, δ), if their number was fixed.

        Pr[ W ≥ v ] + 2mδ·max_{1≤i≤v} Pr[ v − i ≤ W < v ]/i,     W ~ Binomial(r, e^ε/(1 + e^ε))

    Smaller than the other bound where there are many records: an excess helps only if it closes the
    gap between W and v. With δ = 0 both are the same.
    Holds when: the number of guesses was fixed before the run; coins are fair, independent and
    unknown to the mechanism but through its input, and guesses use its output alone. Two inputs
    that differ in one coin are neighbours.
    Rounds: up.
    """
    r, v = _checked(right, guesses, records)
    eps, delta = _amounts(loss)
    law = _law(r, eps)
    closed = np.cumsum(law[:v][::-1]) / np.arange(1, v + 1)
    gain = float(closed.max()) if v else 0.0
    return min(1.0, up((fsum(law[v:]) + 2 * records * delta * gain) * ROUNDING))


def _checked(right: int, guesses: int, records: int) -> tuple[int, int]:
    check.positive_integer(records=records)
    if records > MOST:
        raise InvalidInput(argument="records", accepted=f"at most {MOST:,}", given=str(records))
    if not 0 <= guesses <= records:
        raise InvalidInput(
            argument="guesses", accepted=f"an integer from 0 to {records}", given=repr(guesses)
        )
    if not 0 <= right <= guesses:
        raise InvalidInput(
            argument="right", accepted=f"an integer from 0 to {guesses}", given=repr(right)
        )
    return guesses, right


def _amounts(loss: ApproxDP) -> tuple[float, float]:
    return min(LARGEST, float_up(loss.epsilon)), float_up(loss.delta)


def _law(trials: int, eps: float) -> Floats:
    """The probabilities of 0, …, trials for a binomial with success e^ε/(1 + e^ε)."""
    log_right = -log1p(exp(-eps))
    hits = np.arange(trials + 1)
    law: Floats = np.exp(
        _log_choices(trials) + hits * log_right + (trials - hits) * (log_right - eps)
    )
    return law


@lru_cache(maxsize=8)
def _log_choices(trials: int) -> Floats:
    logs = np.array([lgamma(each + 1) for each in range(trials + 1)])
    chosen: Floats = logs[-1] - logs - logs[::-1]
    return chosen
