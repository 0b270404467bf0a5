"""The way of every request: who, what, how much, the handler, then the log."""

import asyncio
import json
import logging
import re
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, final

import msgspec
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from peekproof.core.errors import (
    CertificateMismatch,
    DataChanged,
    EvaluationFailed,
    GatewayError,
    GatewayUnavailable,
    InvalidInput,
    LedgerError,
    Malformed,
    PeekproofError,
    TooLarge,
    TooManyRequests,
    TooSlow,
    problem_name,
)
from peekproof.learn.board.board import Board
from peekproof.server import keys, problems
from peekproof.server.access import Caller
from peekproof.server.dataset import Served
from peekproof.server.gateway import Gateway
from peekproof.server.journal import Sender
from peekproof.server.keys import Keyed
from peekproof.server.problems import problem_of, status_of, unforeseen
from peekproof.server.quotas import peer_of
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


JSON = "application/json"
LINES = "application/x-ndjson"
DATASET = "/v1/datasets/{dataset}"  # where everything about one begins
BOARD = "/v1/boards/{board}"

_log = logging.getLogger("peekproof.server")

# Whose words come from the ledger or from here; those of engines may quote rows.
_MAY_BE_LOGGED = (CertificateMismatch, DataChanged, EvaluationFailed, GatewayError, LedgerError)

_TOO_MANY = problem_name(TooManyRequests)

Handler = Callable[[Call], Awaitable[Response]]
Part = str | bytes | memoryview


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A route: its handler, whom it is for, and what it takes and gives, for the documentation."""

    method: str
    path: str
    handler: Handler
    summary: str
    custodian: bool = False
    open: bool = False
    spends: bool = False  # reads rows: may be charged, has keys, and its duration may be hidden
    evened: bool = False  # reads no rows, but its duration is hidden as if it did
    takes: type[Struct] | None = None
    gives: Any = None  # a type, or None for what is not JSON
    media: str = JSON
    streams: bool = False  # also as lines of progress, if that is what is accepted
    query: tuple[tuple[str, str], ...] = ()  # whole numbers of the address, and what they say
    success: int = 200
    large: bool = False  # takes predictions, which are longer than other messages

    async def respond(self, gateway: Gateway, request: Request) -> Response:
        """The response to a request; every failure is a problem."""
        call = Call(gateway=gateway, request=request)
        problem = ""
        try:
            response = await self._handled(call)
        except (PeekproofError, ClientDisconnect) as error:
            told = self._told(call, error)
            problem, response = problem_name(type(told)), self._problem(call, told)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # engines that are not Python panic with no Exception
            problem, response = "unforeseen", as_problem(unforeseen())
            _log.error("%s %s failed: %s", self.method, self.path, where(error))
        await self._even_out(call)
        if isinstance(response, StreamingResponse):
            response.body_iterator = self._until_end(call, response, response.body_iterator)
            return response
        return self._recorded(call, response, problem)

    def _told(self, call: Call, error: PeekproofError | ClientDisconnect) -> PeekproofError:
        """What went wrong; whoever shows no valid token is told less if they come too often."""
        if call.caller is None and self._audited:
            try:
                call.gateway.access.admit_stranger(peer_of(call.request.scope.get("client")))
            except TooManyRequests as refused:
                return refused
        if isinstance(error, ClientDisconnect):
            return Malformed(problem="ended before its end")
        return error

    @property
    def _audited(self) -> bool:
        """Whether requests stand in the audit log: not what anyone may ask and changes nothing."""
        return not self.open or self.takes is not None

    async def _even_out(self, call: Call) -> None:
        """Wait for the end of the quantum, once, before anything tells that the work is done."""
        quantum = call.gateway.settings.quantum
        if (self.spends or self.evened) and quantum > 0 and not call.evened:
            await asyncio.sleep(call.rest(quantum))
            call.evened = True

    async def _handled(self, call: Call) -> Response:
        gateway, request = call.gateway, call.request
        if not self.open:
            call.caller = gateway.access.caller(request)
            gateway.access.admit(call.caller)
            if self.custodian:
                call.caller.check_custodian()
        name = request.path_params.get("dataset")
        if name is not None:
            call.known.check_dataset(name)
            call.served = gateway.dataset(name)
        contest = request.path_params.get("board")
        if contest is not None:
            call.known.check_board(contest)
            call.board = gateway.board(contest)
            call.noted["board"] = contest
        if self.takes is not None:
            limits, large = gateway.settings.limits, self.large and call.takes_predictions
            most = max(limits.body, limits.scores) if large else limits.body
            call.body = await read_body(request, most=most, patience=limits.patience)
            call.arrived = time.monotonic()  # how long the body took is the sender's doing
            read = partial(decoded, call.body, self.takes)
            # A million numbers take a while: the loop must not wait for them.
            call.message = await gateway.work.do(read) if large else read()
        key = request.headers.get(keys.HEADER) if self.spends else None
        return await (self.handler(call) if key is None else self._once(call, key))

    async def _once(self, call: Call, key: str) -> Response:
        request, accepted = call.request, call.request.headers.get("accept", "")
        path = str(request.scope["path"])  # not of request.url, which believes the Host header
        sent = b"\0".join([path.encode(), accepted.encode(), call.body])
        keyed, before = keys.begin(call.gateway.store, call.known.token, key, request=sent)
        if before is not None:
            media = LINES if self.streams and LINES in accepted else JSON
            return Response(
                before[1], before[0], media_type=media, headers={"Idempotency-Replayed": "true"}
            )
        call.keyed = keyed
        try:
            response = await self.handler(call)
            await self._even_out(call)
        except Exception:
            await self._even_out(call)
            keyed.forget()
            raise
        except asyncio.CancelledError:  # its work goes on: tried again now, it would be paid twice
            raise
        except BaseException:
            keyed.forget()
            raise
        if not isinstance(response, StreamingResponse):  # whose work keeps what comes of it
            keyed.keep(response.status_code, bytes(response.body))
        return response

    def _problem(self, call: Call, error: PeekproofError) -> Response:
        if status_of(error) >= 500:
            words = isinstance(error, _MAY_BE_LOGGED)
            _log.error("%s %s: %s", self.method, self.path, error if words else where(error))
        response = as_problem(problem_of(error, dataset=call.about))
        if isinstance(error, TooManyRequests):
            response.headers["retry-after"] = str(int(error.retry_after) + 1)
        elif response.status_code == 503:
            response.headers["retry-after"] = "1"
        elif response.status_code == 401:
            response.headers["www-authenticate"] = 'Bearer realm="peekproof"'
        return response

    async def _until_end(
        self, call: Call, response: Response, parts: AsyncIterable[Part]
    ) -> AsyncIterator[Part]:
        """The parts of a stream. It is recorded when all is known, before answers are sent."""
        call.noted["whole"], recorded = False, False
        try:
            async for part in parts:
                if call.told and not recorded:
                    del call.noted["whole"]
                    recorded = True
                    self._record(call, response, "")
                yield part
            call.noted.pop("whole", None)
        finally:
            if not recorded:
                self._record(call, response, "")

    def _recorded(self, call: Call, response: Response, problem: str) -> Response:
        """The response, once it stands in the audit log: none goes out without."""
        try:
            self._record(call, response, problem)
        except OSError as error:
            _log.error("the audit log cannot be written: %s", error.strerror)
            return self._problem(call, GatewayUnavailable(problem="the audit log is unavailable"))
        return response

    def _record(self, call: Call, response: Response, problem: str) -> None:
        gateway, status = call.gateway, str(response.status_code)
        gateway.metrics.count(
            "peekproof_requests_total", route=self.path, method=self.method, status=status
        )
        if problem:
            gateway.metrics.count("peekproof_refusals_total", problem=problem)
        if gateway.journal is None or gateway.tally is None or not self._audited:
            return
        caller = call.caller
        if caller is None or problem == _TOO_MANY:
            gateway.tally.count(_sender(call), response.status_code)
            return
        gateway.journal.write(
            {
                "request": secrets.token_hex(8),
                "token": caller.token.id,
                "analyst": caller.analyst,
                "method": self.method,
                "route": self.path,
                "dataset": call.served.name if call.served else None,
                "status": response.status_code,
                "problem": problem or None,
                **call.noted,
            }
        )


def _sender(call: Call) -> Sender:
    """Of a request that has no line of its own."""
    caller = call.caller
    if caller is None:
        return Sender(peer=peer_of(call.request.scope.get("client")))
    return Sender(token=caller.token.id, analyst=caller.analyst)


def as_json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type=JSON)


def as_problem(problem: problems.Problem) -> Response:
    return Response(
        msgspec.json.encode(problem), int(problem["status"]), media_type=problems.MEDIA_TYPE
    )


def where(error: BaseException) -> str:
    """What failed and where in the code, without the words of the error."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} in {place}"
