"""The signed result of a board: one JSON document that anybody can verify."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.contest import BoardSettings
from peekproof.learn.board.signing import checked_key, sign, signed_by
from peekproof.learn.board.standings import Final
from peekproof.learn.board.submission import Entry, chained

FORMAT = "peekproof-board-export/1"
SIGNATURE = "signature"


def signed_export(
    folder: Path,
    *,
    settings: BoardSettings,
    final: Final,
    entries: Sequence[Entry],
    running: Sequence[Entry],
    ledgers: Mapping[str, Mapping[str, object]],
) -> dict[str, Any]:
    """The document: rules, ranking, what it rests on, and digests of all that was recorded.

    Of the entries it has the receipts in their order, so that a team finds its own, and a head
    that chains them. `running` is the certified best of the public phase over time.
    """
    receipts = [each.digest for each in entries]
    head = _chain(receipts)
    document: dict[str, Any] = {
        "format": FORMAT,
        "settings": settings.to_dict(),
        "running_best": [each.to_dict() for each in running],
        "final": final.to_dict(),
        "entries": {"count": len(receipts), "head": head, "receipts": receipts},
        "ledgers": {name: dict(each) for name, each in ledgers.items()},
    }
    # As it will be read: no tuples, and keys that are texts.
    document = json.loads(json.dumps(document, allow_nan=False))
    signature = sign(folder, _message(document), public_key=settings.public_key)
    return {**document, SIGNATURE: signature}


def export_text(document: Mapping[str, object]) -> str:
    """The document as it is written to a file: the one way that is accepted again."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n"


def verify_export(document: Mapping[str, object] | str | bytes, public_key: str) -> dict[str, Any]:
    """The document, if it was signed by the board with this key and nothing in it was changed.

    A text must be what `export_text` writes, byte for byte. The key must come from where the
    board was announced: one that is in the document itself proves nothing.
    """
    checked_key(public_key)
    text = isinstance(document, str | bytes)
    found: dict[str, Any] = _read(document) if text else dict(document)  # type: ignore[arg-type]
    try:
        signature = found.get(SIGNATURE)
        genuine = signed_by(public_key, _message(found), str(signature))
    except (TypeError, ValueError):
        genuine = False
    if not genuine or found.get("format") != FORMAT:
        raise _refused("was not signed with this key, or was changed since")
    entries = found["entries"]
    if (
        _chain(entries["receipts"]) != entries["head"]
        or found["settings"]["public_key"] != public_key
    ):
        raise _refused("contradicts itself")
    return found


def _chain(receipts: Sequence[str]) -> str:
    head = ""
    for each in receipts:
        head = chained(head, each)
    return head


def _message(document: Mapping[str, object]) -> bytes:
    said = {key: value for key, value in document.items() if key != SIGNATURE}
    return json.dumps(said, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _read(text: str | bytes) -> dict[str, Any]:
    try:
        plain = text.decode("ascii") if isinstance(text, bytes) else text
        found = json.loads(plain)
        if not isinstance(found, dict) or export_text(found) != plain:
            raise ValueError("another way to write it")
    except (ValueError, RecursionError):
        raise _refused("is not written as a board writes it") from None
    return found


def _refused(problem: str) -> DataError:
    hint = "fetch it again, and the key from where the board was announced"
    return DataError(source="the export", problem=problem, hint=hint)


def not_closed() -> InvalidInput:
    """Why there is nothing to export."""
    return InvalidInput(
        argument="board",
        accepted="one that is closed",
        given="one that still takes submissions",
        hint="close it first: peekproof board close",
    )
