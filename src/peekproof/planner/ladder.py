"""The leaderboard that promises most for a number of submissions."""

from fractions import Fraction
from math import exp, log

from peekproof.core import check
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import argmin
from peekproof.mechanisms.ladder import Ladder


def best_ladder(rows: int, target: Target) -> Ladder:
    """The ladder whose step makes the radius of the running best smallest, or nearly so.

    Coarse steps tell the score badly, fine ones have many transcripts: there is one valley.
    """
    if check.positive_integer(rows=rows) < 2:
        raise InvalidInput(argument="rows", accepted="at least 2 for a ladder", given=repr(rows))

    def ladder(log_cells: float) -> Ladder:
        cells = min(rows, max(2, round(exp(log_cells))))
        return Ladder(rows=rows, step=Fraction(1, cells), questions=target.questions)

    return ladder(argmin(lambda at: ladder(at).certify(target).radius, low=log(2), high=log(rows)))
