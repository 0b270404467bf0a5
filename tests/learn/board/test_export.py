"""The signed result: it verifies as it is, and not with a byte changed."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from learn.board.contests import Contest
from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.export import export_text, verify_export
from peekproof.learn.board.signing import FILE, new_key


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Contest]:
    contest = Contest(tmp_path, rows=400)
    contest.board.submit("ann", contest.right(0.8))
    contest.board.submit("bob", contest.right(0.6))
    contest.board.close()
    yield contest
    contest.board.release()


def test_an_export_verifies_with_the_key_of_its_board(closed: Contest) -> None:
    board = closed.board
    document = board.export()
    key = board.settings.public_key
    assert verify_export(document, key) == document
    assert verify_export(export_text(document), key) == document
    assert verify_export(export_text(document).encode(), key) == document
    assert document["entries"]["receipts"] == [each.digest for each in board.entries()]
    assert document["final"]["finalists"][0]["team"] == "ann"
    assert "T-split" in document["final"]["theorems"]
    for name in ("public", "final"):
        assert len(document["ledgers"][name]["head"]) == 64


def test_any_changed_byte_is_detected(closed: Contest) -> None:
    key = closed.board.settings.public_key
    text = export_text(closed.board.export()).encode()
    for place in range(0, len(text), 7):
        changed = bytes([text[place] ^ 1])
        with pytest.raises(DataError):
            verify_export(text[:place] + changed + text[place + 1 :], key)
    for other in (text + b" ", text[1:], text.replace(b"\n", b""), b"", b"[]", b"\xff"):
        with pytest.raises(DataError):
            verify_export(other, key)


@pytest.mark.parametrize("case", ["upper", "missing", "number", "short"])
def test_a_signature_is_written_in_one_way(closed: Contest, case: str) -> None:
    document = closed.board.export()
    signature = document.pop("signature")
    others = {"upper": signature.upper(), "number": 5, "short": signature[2:]}
    if case in others:
        document["signature"] = others[case]
    with pytest.raises(DataError, match="not signed"):
        verify_export(document, closed.board.settings.public_key)


def test_another_key_does_not_verify(closed: Contest, tmp_path: Path) -> None:
    other = new_key(tmp_path)
    with pytest.raises(DataError, match="not signed"):
        verify_export(closed.board.export(), other)
    with pytest.raises(InvalidInput, match="public_key"):
        verify_export(closed.board.export(), "abc")


def test_another_signing_key_signs_nothing_for_the_board(closed: Contest) -> None:
    new_key(closed.board.folder)
    with pytest.raises(DataError, match="not the signing key"):
        closed.board.export()


def test_the_private_key_is_for_its_owner_alone(closed: Contest) -> None:
    mode = (closed.board.folder / FILE).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    secret = (closed.board.folder / FILE).read_text().splitlines()[1]
    assert secret not in json.dumps(closed.board.export())


def test_without_the_package_for_signatures_no_board_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(DataError, match=r"peekproof\[board\]"):
        Contest(tmp_path, rows=400)
    assert list(tmp_path.iterdir()) == []


def test_an_open_board_has_nothing_to_export(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=400)
    with pytest.raises(InvalidInput, match="closed"):
        contest.board.export()
