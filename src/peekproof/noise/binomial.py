"""The binomial law, drawn exactly: uniform words counted below a threshold.

Every trial costs the same number of random bits whatever its chance, so the time taken says
nothing about the chance, which is data.
"""

from peekproof.core import check
from peekproof.noise.entropy import Entropy, below

WORD = 64

# Up to here at least three of four words are kept.
LARGEST_IN_WORDS = 2**62

# Words drawn at a time: enough to be fast, few enough to fit anywhere.
CHUNK = 1 << 16


def binomial(*, trials: int, numerator: int, denominator: int, rng: Entropy) -> int:
    """How many of `trials` coins of chance numerator/denominator fall heads, drawn exactly.

    With s = ⌊(2⁶⁴ − 1)/denominator⌋, a word below s·denominator is uniform there, and below
    s·numerator with the chance wanted; other words are drawn again. How many are is decided by
    the denominator and the words alone. A chance outside [0, 1] is taken for the nearer end,
    for an error would tell.
    """
    check.positive_integer(trials=trials)
    check.positive_integer(denominator=denominator)
    heads = max(0, min(numerator, denominator))
    if denominator > LARGEST_IN_WORDS:
        return sum(below(denominator, rng=rng) < heads for _ in range(trials))
    return _in_words(trials, heads, denominator, rng=rng)


def _in_words(trials: int, heads: int, denominator: int, *, rng: Entropy) -> int:
    import numpy as np  # noqa: PLC0415 (slow to import, and planning draws nothing)

    scale = (2**WORD - 1) // denominator
    kept, hit = np.uint64(scale * denominator), np.uint64(scale * heads)
    done = found = 0
    while done < trials:
        count = min(CHUNK, trials - done)
        drawn = rng.bits(WORD * count).to_bytes(WORD // 8 * count, "little")
        words = np.frombuffer(drawn, "<u8")
        done += int(np.count_nonzero(words < kept))
        found += int(np.count_nonzero(words < hit))
    return found
