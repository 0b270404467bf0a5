"""All opponents by name: the controls first, then everything that is certified."""

from peekproof.audit.opponents.controls import NoiseOnly, Plain
from peekproof.audit.opponents.ladder import Climbed
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.opponents.sessions import ROUNDS, Opened, Planned
from peekproof.mechanisms.base import Mechanism, every_mechanism

CONTROLS: tuple[Setup, ...] = (Plain(), NoiseOnly())
CERTIFIED: tuple[Setup, ...] = (
    Planned(),
    *(Opened(kind) for kind in every_mechanism().values()),
    *(Opened(k, ROUNDS) for k in every_mechanism().values() if "rounds" in k.options),
    Climbed(),
)


def opponent_by(mechanism: type[Mechanism]) -> Setup:
    """A session by this mechanism; as planned if it became known only later."""
    by = (each for each in CERTIFIED if isinstance(each, Opened) and each.rounds is None)
    return next((each for each in by if each.mechanism is mechanism), Planned())


OPPONENTS: dict[str, Setup] = {each.name: each for each in (*CONTROLS, *CERTIFIED)}
