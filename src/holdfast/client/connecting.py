"""How a session with a gateway begins."""

from os import PathLike, fspath

from holdfast.client.address import read_address, read_token
from holdfast.client.calls import Calls
from holdfast.client.dataset import Progress, RemoteData
from holdfast.client.link import Link
from holdfast.client.promise import understood
from holdfast.client.session import RemoteSession
from holdfast.core import check
from holdfast.core.errors import InvalidInput


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
) -> RemoteSession:
    """A session about data that a gateway holds, asked as one of `holdfast.open`.

    `url` is the gateway's address, or the link with `#token=…` that its custodian gives out. The
    token may also be an argument, or in the environment as HOLDFAST_TOKEN. A gateway with one data
    set needs no `dataset`. A request that fails on the way is tried again up to `retries` times;
    it is charged once. `progress` is told how many rows of how many are read, for batches.
    `certificates` is a file of those to trust instead of the system's, for https.
    """
    address = read_address(url, insecure=insecure)
    if retries < 0:
        raise InvalidInput(argument="retries", accepted="0 or more", given=str(retries))
    link = Link(
        address,
        token=read_token(url, token),
        timeout=check.positive_float(timeout=timeout),
        certificates=None if certificates is None else fspath(certificates),
    )
    calls = Calls(link, retries=retries)
    try:
        name = _named(calls, dataset)
        return RemoteSession(RemoteData(calls, name, progress=progress))
    except BaseException:
        link.close()
        raise


def _named(calls: Calls, wanted: str | None) -> str:
    """The data set that is wanted, or the only one that the token is for."""
    listed = calls.look("/v1/datasets")
    with understood(str(calls.link.address)):
        names = [str(each["name"]) for each in listed]
    if wanted in names or (wanted is None and len(names) == 1):
        return wanted or names[0]
    raise InvalidInput(
        argument="dataset",
        accepted=f"one of {', '.join(names)}" if names else "one that your token is for",
        given="none" if wanted is None else repr(wanted)[:80],
        hint="" if names else "there is none: ask the custodian",
    )
