"""All opponents by name: the controls first, then everything that is certified."""

from peekproof.audit.opponents.controls import NoiseOnly, Plain
from peekproof.audit.opponents.ladder import Climbed
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.opponents.sessions import Opened, Planned
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.planner.plan import NAMED

CONTROLS: tuple[Setup, ...] = (Plain(), NoiseOnly())
CERTIFIED: tuple[Setup, ...] = (
    Planned(),
    *(Opened(kind) for kind in (*NAMED, OpenEnded)),
    Climbed(),
)
OPPONENTS: dict[str, Setup] = {each.name: each for each in (*CONTROLS, *CERTIFIED)}
