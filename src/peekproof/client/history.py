"""All answers of a gateway's ledger, as a session tells those of its own."""

from peekproof.client.dataset import RemoteData
from peekproof.client.promise import Promise, understood
from peekproof.client.rebuilding import Rebuilding
from peekproof.core.certificate import Certificate
from peekproof.core.errors import NotAllowed
from peekproof.ledger.entry import Settled, settled_from_body
from peekproof.session.history import History
from peekproof.session.recalled import Recall


def history(data: RemoteData, promise: Promise, *, analyst: str | None) -> History:
    """The answers in the order of the ledger, certified here, each to be verified by its receipt.

    Gateways tell analysts which answers are their own, and only custodians whose the others are.
    """
    if analyst not in (None, promise.analyst) and not promise.custodian:
        raise NotAllowed(problem="only custodians are told what others asked")
    with understood(promise.place, version=promise.version):
        recorded: dict[str, Settled] = {
            str(each["digest"]): settled_from_body(
                {**each["record"], "analyst": each["analyst"] or ""}
            )
            for each in data.answers()
        }
        digests = {id(each): digest for digest, each in recorded.items()}
        rebuilding = Rebuilding(data, promise)

        def certificate(settled: Settled) -> Certificate:
            return rebuilding.certificate(settled, digest=digests[id(settled)])

        recall = Recall(
            place=promise.place,
            schema=promise.schema,
            certificate=certificate,
            rows=promise.plan.rows,
        )
        return recall.history(recorded, analyst=analyst)
