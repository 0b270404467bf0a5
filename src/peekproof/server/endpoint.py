"""The way of every request: who, what, how much, the handler, then the log."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

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
    LedgerError,
    Malformed,
    PeekproofError,
    TooManyRequests,
    problem_name,
)
from peekproof.server import keys, problems
from peekproof.server.call import Call, decoded, read_body
from peekproof.server.gateway import Gateway
from peekproof.server.journal import Sender
from peekproof.server.problems import problem_of, status_of, unforeseen
from peekproof.server.quotas import peer_of

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
