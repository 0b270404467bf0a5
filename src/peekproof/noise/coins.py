"""Bernoulli coins of probability e^{−γ}, flipped with integers only, one by one or as arrays."""

import numpy as np
import numpy.typing as npt

from peekproof.noise.entropy import WIDEST, Entropy, Integers, Unbounded, below, belows, words


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


Coins = npt.NDArray[np.bool_]

# How many bits of a uniform real are compared at first.
PREFIX = 31
# Denominators of more bits leave too few for the prefix in 62 bits, and use Python's integers.
ROOMY = 50


def natural_coins(denominator: int, count: int, *, rng: Entropy) -> Coins:
    """Each True with probability e^{−1/denominator}."""
    odd = np.ones(count, dtype=np.bool_)
    running = np.arange(count)
    i = 1
    while running.size:
        running = running[belows(denominator * i, running.size, rng=rng) == 0]
        odd[running] ^= True
        i += 1
    return odd


def geometrics(denominator: int, count: int, *, rng: Entropy) -> Integers:
    """How many coins of e^{−1/denominator} in a row succeed, each time."""
    heads = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    while running.size:
        running = running[natural_coins(denominator, running.size, rng=rng)]
        heads[running] += 1
    return heads


def exponential_coins(numerators: Integers | Unbounded, denominator: int, *, rng: Entropy) -> Coins:
    """Each True with probability e^{−γ}, γ = numerator/denominator ≥ 0.

    The whole part w of γ succeeds if a geometric of ratio 1/e is at least w.

    It is `exponential_coin` with arrays. A trial of probability γ/i is one of γ and one of 1/i.
    The runs of von Neumann go on for the coins whose trials have all succeeded so far, a shrinking
    set of places.
    """
    if denominator.bit_length() > ROOMY:
        numerators = numerators.astype(np.object_)
    whole = numerators // denominator
    coins = _short_coins(numerators - whole * denominator, denominator, rng=rng)
    long = np.flatnonzero(coins & (whole > 0))
    coins[long] = geometrics(1, long.size, rng=rng) >= whole[long]
    return coins


def _short_coins(rest: Integers | Unbounded, denominator: int, *, rng: Entropy) -> Coins:
    """Each True with probability e^{−rest/denominator}, rest < denominator.

    A uniform real u, of which the first w bits are known to be p, is compared with
    γ = rest/denominator by p and ⌊2^w γ⌋. If the two are equal, what is left of u is uniform and
    must be below what is left of γ: 2^w γ − p = (2^w rest mod denominator) / denominator, a coin of
    integers. So no comparison is ever drawn again, and each is exact.
    """
    width = PREFIX
    if rest.dtype != np.object_:
        width = min(PREFIX, WIDEST - denominator.bit_length())
    edge = ((rest << width) // denominator).astype(np.int64)
    odd = np.ones(rest.size, dtype=np.bool_)
    running = np.arange(rest.size)
    i = 1
    while running.size:
        running = running[belows(i, running.size, rng=rng) == 0]
        prefix = words(width, running.size, rng=rng)
        under = prefix < edge[running]
        for tie in np.flatnonzero(prefix == edge[running]):
            left = (int(rest[running[tie]]) << width) % denominator
            under[tie] = below(denominator, rng=rng) < left
        running = running[under]
        odd[running] ^= True
        i += 1
    return odd
