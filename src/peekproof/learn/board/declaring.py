"""What a team says about an entry, checked before anything is looked at."""

from peekproof.core.errors import InvalidInput
from peekproof.learn.desk import Guessed
from peekproof.session.parsing import analyst_name

_LONGEST = 100


def team_name(team: object) -> str:
    """A name that ledgers can record, and not an empty one."""
    found = analyst_name(team)
    if not found:
        raise InvalidInput(argument="team", accepted="a name", given="''")
    return found


def entry_name(name: object) -> str:
    """What a team calls an entry."""
    if not isinstance(name, str) or len(name) > _LONGEST or not name.isprintable():
        accepted = f"a printable text of at most {_LONGEST} characters"
        raise InvalidInput(argument="name", accepted=accepted, given=repr(name)[:80])
    return name


def declared_guess(declared: object, trained_on: object, *, rows: int) -> Guessed | None:
    """The team's own estimate as a guess; None if it has none.

    If nobody says of how many rows, it is taken to be from as many as the board has: that chooses
    its tolerance, and no interval rests on it.
    """
    if declared is None:
        if trained_on is not None:
            accepted, given = "given with a declared score", repr(trained_on)[:80]
            raise InvalidInput(argument="trained_on", accepted=accepted, given=given)
        return None
    plain = isinstance(declared, int | float) and not isinstance(declared, bool)
    score = float(declared) if plain else -1.0  # type: ignore[arg-type]
    if not 0 <= score <= 1:
        accepted = "a score from 0 to 1, on the scale of the metric"
        raise InvalidInput(argument="declared", accepted=accepted, given=repr(declared)[:80])
    if trained_on is None:
        return Guessed(share=score, trained_on=rows)
    if not isinstance(trained_on, int) or isinstance(trained_on, bool) or trained_on < 1:
        accepted = "a number of rows"
        raise InvalidInput(argument="trained_on", accepted=accepted, given=repr(trained_on)[:80])
    return Guessed(share=score, trained_on=trained_on)
