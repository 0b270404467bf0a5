"""Coins of probability e^{−γ}, flipped with integers only."""

from holdfast.noise.entropy import Entropy, below


def exponential_coin(numerator: int, denominator: int, *, rng: Entropy) -> bool:
    """True with probability e^{−γ}, γ = numerator/denominator ≥ 0.

    e^{−γ} is ⌊γ⌋ coins of e^{−1} and one of e^{−(γ−⌊γ⌋)}. For γ ≤ 1 the first i ≥ 1 at which a coin
    of probability γ/i fails is odd with probability Σ (−γ)^i / i! = e^{−γ} (von Neumann).
    """
    whole, rest = divmod(numerator, denominator)
    for _ in range(whole):
        if not _short_coin(1, 1, rng=rng):
            return False
    return _short_coin(rest, denominator, rng=rng)


def _short_coin(numerator: int, denominator: int, *, rng: Entropy) -> bool:
    i = 1
    while below(denominator * i, rng=rng) < numerator:
        i += 1
    return i % 2 == 1
