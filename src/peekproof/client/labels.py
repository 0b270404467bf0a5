"""Holdouts behind a gateway: predictions are sent, and what comes back is certified here."""

from dataclasses import dataclass
from typing import final

from peekproof.client.dataset import RemoteData, understood
from peekproof.client.http import Reach
from peekproof.client.http_backend import HttpBackend
from peekproof.learn.column import blank_labels
from peekproof.learn.desk import Desk
from peekproof.session.session import Session


@final
@dataclass(frozen=True, slots=True)
class GatewayHome:
    """A gateway that holds the labels.

    What is pickled is its address, and the token unless that is in the environment; the budget is
    the gateway's, whoever asks.
    """

    reach: Reach
    name: str
    data: RemoteData
    has_ids: bool

    def ids(self) -> list[str] | None:
        return self.data.ids() if self.has_ids else None

    def packed(self, desk: Desk) -> tuple[object, ...]:  # noqa: ARG002 (all of it is here)
        return _unpacked, (self.reach, self.name)


def open_desk(reach: Reach, name: str) -> tuple[Desk, str]:
    """The desk of a holdout that a gateway serves, and what it scores if nothing else is said."""
    data = RemoteData(reach.calls(), name, progress=None)
    try:
        backend = HttpBackend(data)
        said, rows = backend.promise.holdout, backend.plan.rows
        with understood(data.place):
            metric, has_ids, order = str(said["metric"]), bool(said["ids"]), str(said["order"])
            text = {"text": True, "number": False}[said["label"]]
            if int(said["rows"]) != rows:
                raise ValueError("rows that are not those of its promise")
    except BaseException:
        data.close()
        raise
    home = GatewayHome(reach, name, data, has_ids)
    return Desk(
        Session(backend), blank_labels(rows=rows, text=text, order=order), home=home
    ), metric


def _unpacked(reach: Reach, name: str) -> Desk:
    return open_desk(reach, name)[0]
