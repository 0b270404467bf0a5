"""One request on its way: who sent it, about what, and what it says."""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any, TypeVar, final

import msgspec
from starlette.requests import Request

from peekproof.core.errors import InvalidInput, TooLarge, TooSlow
from peekproof.learn.board.board import Board
from peekproof.server.access import Caller
from peekproof.server.dataset import Served
from peekproof.server.gateway import Gateway
from peekproof.server.keys import Keyed
from peekproof.session.session import Session

M = TypeVar("M", bound=msgspec.Struct)

_DIGITS = 20


@final
@dataclass(slots=True, kw_only=True)
class Call:
    """What handlers are given. `noted` goes into the audit log.

    `evened` is whether the response has waited for the end of its quantum, `told` whether all is
    known that a stream has to say, though not all of it is sent.
    """

    gateway: Gateway
    request: Request
    caller: Caller | None = None
    served: Served | None = None
    board: Board | None = None
    body: bytes = b""
    message: Any = None
    arrived: float = field(default_factory=time.monotonic)
    noted: dict[str, object] = field(default_factory=dict)
    evened: bool = False
    told: bool = False
    keyed: Keyed | None = None  # under which the reply is to be kept

    @property
    def known(self) -> Caller:
        """Who sent it, on a route that lets nobody else in."""
        if self.caller is None:
            raise TypeError("the route is open to all")
        return self.caller

    @property
    def dataset(self) -> Served:
        if self.served is None:
            raise TypeError("the route names no data set")
        return self.served

    @property
    def contest(self) -> Board:
        if self.board is None:
            raise TypeError("the route names no board")
        return self.board

    @property
    def about(self) -> str:
        """The name of the data set or the board, once it is known that there is one."""
        if self.board is not None:
            return str(self.request.path_params["board"])
        return self.served.name if self.served else ""

    @property
    def takes_predictions(self) -> bool:
        """Whether a longer body than usual may be meant."""
        return self.board is not None or self.dataset.holdout is not None

    @property
    def session(self) -> Session:
        """The session, for the analyst who asks."""
        return self.dataset.as_analyst(self.known.analyst)

    def rest(self, quantum: float) -> float:
        """Seconds to the next multiple of the quantum after the arrival."""
        return quantum - (time.monotonic() - self.arrived) % quantum

    def number(self, name: str, *, default: int, most: int) -> int:
        """A whole number of the address, such as ?after=100; a larger one counts as the most."""
        text = self.request.query_params.get(name, str(default))
        if not (text.isascii() and text.isdigit()):
            raise InvalidInput(
                argument=name, accepted="a whole number from 0", given=repr(text[:80])
            )
        return min(int(text), most) if len(text) <= _DIGITS else most


async def read_body(request: Request, *, most: int, patience: float) -> bytes:
    """All of the body, unless it is too long or too slow."""
    declared = request.headers.get("content-length", "0")
    if declared.isascii() and declared.isdigit() and int(declared) > most:
        raise TooLarge(most=most)
    chunks, size = [], 0
    try:
        async with asyncio.timeout(patience):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise TooLarge(most=most)
                chunks.append(chunk)
    except TimeoutError:
        raise TooSlow(patience=patience) from None
    return b"".join(chunks)


def decoded(body: bytes, kind: type[M]) -> M:
    """The message of a body."""
    try:
        found = msgspec.json.decode(body, type=kind)
        _PAIRS.decode(body.decode())
        return found
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError) as error:
        told = isinstance(error, msgspec.DecodeError | _Twice)
        text = str(error) if told else "it cannot be read"
        raise _refused(text[:200], kind) from None


# What the decoder says of a field; of anything else it speaks in other words.
_OF_A_FIELD = re.compile(
    r"Expected (?P<wanted>.+?)(, got (?P<given>.+))? - at `\$\.(?P<name>\w+).*"
)


def _refused(text: str, kind: type[msgspec.Struct]) -> InvalidInput:
    described = f"{kind.__name__} in /v1/openapi.json"
    if field := _OF_A_FIELD.fullmatch(text):
        return InvalidInput(
            argument=field["name"],
            accepted=field["wanted"],
            given=field["given"] or "something else",
            hint=f"see {described}",
        )
    return InvalidInput(
        argument="the body",
        accepted=f"JSON with {', '.join(kind.__struct_fields__)}, as for {described}",
        given=f"something else: {text}",
    )


class _Twice(ValueError):
    """A name that stands twice in one object."""


def _check_once(pairs: list[tuple[str, object]]) -> None:
    """Which of two values counts differs from program to program: the wrong one may be charged."""
    if len(dict(pairs)) < len(pairs):
        raise _Twice("a name that stands twice")


_PAIRS = json.JSONDecoder(object_pairs_hook=_check_once, parse_int=str, parse_float=str)
