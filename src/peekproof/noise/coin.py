"""Coins of probability e^{−γ}, flipped with integers only."""

from peekproof.noise.entropy import Entropy, below


def exponential_coin(numerator: int, denominator: int, *, rng: Entropy) -> bool:
    """True with probability e^{−γ}, γ = numerator/denominator ≥ 0.

    e^{−γ} is ⌊γ⌋ coins of e^{−1} and one of e^{−(γ−⌊γ⌋)}. For γ ≤ 1 the first i ≥ 1 at which a coin
    of probability γ/i fails is odd with probability Σ (−γ)^i / i! = e^{−γ} (von Neumann). The
    first coin that fails ends it, so a large γ costs no more than a small one.
    """
    if numerator >= denominator:
        whole, numerator = divmod(numerator, denominator)
        for _ in range(whole):
            if not _natural_coin(rng=rng):
                return False
    i = 1
    while below(denominator * i, rng=rng) < numerator:
        i += 1
    return i % 2 == 1


def geometric(*, rng: Entropy) -> int:
    """How many coins of e^{−1} in a row succeed: v or more with probability e^{−v}."""
    heads = 0
    while _natural_coin(rng=rng):
        heads += 1
    return heads


def _natural_coin(*, rng: Entropy) -> bool:
    """True with probability e^{−1}: the coin above at γ = 1, where the first trial never fails."""
    if rng.bits(1):
        return False
    i = 3
    while below(i, rng=rng) == 0:
        i += 1
    return i % 2 == 1
