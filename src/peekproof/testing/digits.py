"""The law of digits for any function that releases numbers: they tell no more than is claimed."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from peekproof.audit.precision import Precision, precision
from peekproof.audit.telling.claims import Claim
from peekproof.testing.violation import require

R = TypeVar("R")


def digits_do_not_tell(
    claim: Claim,
    one: Callable[[], R],
    other: Callable[[], R],
    *,
    trials: int,
    false_alarm: float,
    outputs: Callable[[Any], bool] | None = None,
    features: Mapping[str, Callable[[Any], Hashable]] | None = None,
) -> Precision:
    """Neither what digits look like nor where releases lie tells neighbouring inputs apart.

    Raises `Violation` with the report otherwise; about digits that keep the claim it is wrong with
    probability at most `false_alarm`, about releases outside of `outputs` never.
    """
    found = precision(
        one,
        other,
        claim=claim,
        trials=trials,
        false_alarm=false_alarm,
        outputs=outputs,
        features=features,
    )
    require(not found.tells, str(found))
    return found
