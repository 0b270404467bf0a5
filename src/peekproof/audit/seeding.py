"""Seeds: one number from which all coins of an audit follow."""

import numpy as np

from peekproof.core.errors import InvalidInput


def seeded(seed: object, *path: int) -> np.random.SeedSequence:
    """Coins of a seed, and of a place in what it is the seed of."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(argument="seed", accepted="an integer of at least 0", given=repr(seed))
    return np.random.SeedSequence([seed, *path] if path else seed)
