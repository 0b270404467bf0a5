"""How a session with a gateway begins, or a holdout there."""

from os import PathLike, fspath
from typing import TYPE_CHECKING, overload

from peekproof.client.dataset import Progress, RemoteData, understood
from peekproof.client.http import Calls, Json, Reach, read_address, read_token
from peekproof.client.http_backend import HttpBackend
from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.session.session import Session

if TYPE_CHECKING:
    from types import EllipsisType

    from peekproof.learn.holdout import Holdout

Rows = tuple[object, object]


@overload
def connect(
    url: str,
    token: str | None = None,
    *,
    dataset: str | None = None,
    timeout: float = 60.0,
    retries: int = 4,
    progress: Progress | None = None,
    certificates: str | PathLike[str] | None = None,
    insecure: bool = False,
) -> Session: ...


@overload
def connect(
    url: str,
    token: str | None = None,
    *,
    X: object,  # noqa: N803
    training: Rows | None = None,
    dataset: str | None = None,
    timeout: float = 60.0,
    retries: int = 4,
    certificates: str | PathLike[str] | None = None,
    insecure: bool = False,
) -> "Holdout": ...


def connect(
    url: str,
    token: str | None = None,
    *,
    dataset: str | None = None,
    X: "object | EllipsisType" = ...,  # noqa: N803 (what everybody calls it)
    training: Rows | None = None,
    timeout: float = 60.0,
    retries: int = 4,
    progress: Progress | None = None,
    certificates: str | PathLike[str] | None = None,
    insecure: bool = False,
) -> "Session | Holdout":
    """A session about data that a gateway holds, asked as one of `peekproof.open`.

    `url` is the gateway's address, or the link with `#token=…` that its custodian gives out. The
    token may also be an argument, or in the environment as PEEKPROOF_TOKEN. A gateway with one data
    set needs no `dataset`. A request that fails on the way is tried again up to `retries` times;
    it is charged once. `progress` is told how many rows of how many are read, for batches.
    `certificates` is a file of those to trust instead of the system's, for https.

    Of a holdout it is a `peekproof.Holdout`, whose labels stay there. `X` is then the features of
    its rows, in their order, so that models can be scored, or None if only predictions will be;
    `training` is other rows, as (X, y), on which models are scored for a guess.
    """
    address = read_address(url, insecure=insecure)
    if retries < 0:
        raise InvalidInput(argument="retries", accepted="0 or more", given=str(retries))
    reach = Reach(
        address=address,
        token=read_token(url, token),
        timeout=check.positive_float(timeout=timeout),
        retries=retries,
        certificates=None if certificates is None else fspath(certificates),
    )
    calls = reach.calls()
    try:
        said = _named(calls, dataset)
        with understood(str(address)):
            name, holds_labels = str(said["name"]), said.get("holdout") is not None
        if holds_labels:
            calls.link.close()
            return _holdout(reach, name, None if X is ... else X, training)
        if X is not ... or training is not None:
            raise InvalidInput(
                argument="X", accepted="for a holdout", given=f"{name!r}, which is none"[:80]
            )
        return Session(HttpBackend(RemoteData(calls, name, progress=progress)))
    except BaseException:
        calls.link.close()
        raise


def _holdout(reach: Reach, name: str, features: object, training: Rows | None) -> "Holdout":
    from peekproof.client.labels import open_desk  # noqa: PLC0415 (imports engines)
    from peekproof.learn.holdout import Holdout  # noqa: PLC0415

    desk, metric = open_desk(reach, name)
    try:
        return Holdout.at(desk, features=features, metric=metric, training=training)
    except BaseException:
        desk.close()
        raise


def _named(calls: Calls, wanted: str | None) -> Json:
    """The data set that is wanted, or the only one that the token is for."""
    listed = calls.look("/v1/datasets")
    with understood(str(calls.link.address)):
        known = {str(each["name"]): each for each in listed}
    if wanted in known or (wanted is None and len(known) == 1):
        return known[wanted or next(iter(known))]
    raise InvalidInput(
        argument="dataset",
        accepted=f"one of {', '.join(known)}" if known else "one that your token is for",
        given="none" if wanted is None else repr(wanted)[:80],
        hint="" if known else "there is none: ask the custodian",
    )
