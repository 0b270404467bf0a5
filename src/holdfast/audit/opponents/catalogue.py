"""All opponents by name: the controls first, then everything that is certified."""

from holdfast.audit.opponents.controls import NoiseOnly, Plain
from holdfast.audit.opponents.ladder import Climbed
from holdfast.audit.opponents.protocol import Setup
from holdfast.audit.opponents.sessions import Opened, Planned
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.planner.plan import NAMED

CONTROLS: tuple[Setup, ...] = (Plain(), NoiseOnly())
CERTIFIED: tuple[Setup, ...] = (
    Planned(),
    *(Opened(kind) for kind in (*NAMED, OpenEnded)),
    Climbed(),
)
OPPONENTS: dict[str, Setup] = {each.name: each for each in (*CONTROLS, *CERTIFIED)}
