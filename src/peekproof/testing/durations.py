"""A law for whatever reads secrets: how long it takes does not tell them."""

from peekproof.audit.timing import Call, Timing, timing
from peekproof.testing.violation import require


def durations_do_not_tell(
    one: Call,
    other: Call,
    *,
    pairs: int = 40,
    factor: float = 1.5,
    repeats: int = 3,
    false_alarm: float = 1e-9,
    seed: int = 0,
) -> Timing:
    """Of two calls, none takes longer by more than the factor, again and again.

    Wrong about calls that take equally long with probability at most `false_alarm`.
    """
    found = timing(
        one,
        other,
        pairs=pairs,
        factor=factor,
        repeats=repeats,
        false_alarm=false_alarm,
        seed=seed,
    )
    require(not found.tells, str(found))
    return found
