"""The first entry: what custodians have in it, and what analysts may know of it."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest

from ledger.books import OPENING, chained, overwrite
from peekproof.core.errors import LedgerDamaged
from peekproof.core.secret import SECRET
from peekproof.ledger.entry import Opening, PublicOpening, without_keys
from peekproof.ledger.ledger import Ledger

MARK = OPENING.fingerprint
OTHER = "pp1-ffffffffffffffffffffffffffffffff"
WHOLE = replace(
    OPENING,
    mechanism={"kind": "splitting", "parts": "5", f"{SECRET}key": "5" * 32},
    frame={"of": OTHER, "part": "check", "key": "7" * 32, "by": "", "low": "0", "high": "1/2"},
    about=f"labels {OTHER}",
    name="random",
    witness="none",
)


def hmac_sha256(key: bytes, message: bytes) -> str:
    """RFC 2104, step by step."""
    block = key.ljust(64, b"\0")
    inner, outer = (bytes(each ^ pad for each in block) for pad in (0x36, 0x5C))
    return hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).hexdigest()


def test_the_public_name_is_an_hmac_of_the_fingerprint() -> None:
    expected = hmac_sha256(bytes.fromhex(OPENING.key), MARK.encode())[:32]
    assert OPENING.public_name == f"data-{expected}"
    assert OPENING.public.data == OPENING.public_name


def test_every_ledger_has_a_key_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    keys, names = set(), set()
    for number in range(3):
        place = str(tmp_path / f"{number}.peekproof")
        opening = Opening(**{each.name: getattr(OPENING, each.name) for each in fields(OPENING)
                             if each.name != "key"})  # fmt: skip
        with closing(Ledger.create(place, opening)) as made:
            assert len(bytes.fromhex(made.opening.key)) == 32
        with closing(Ledger.open(place)) as found:
            assert found.opening == opening
            keys.add(found.opening.key)
            names.add(found.opening.public_name)
    assert len(keys) == len(names) == 3


def test_fingerprints_within_a_text_are_replaced() -> None:
    text = f"postgresql:///db?ledger={MARK} and state/{OTHER}.json, not data-{'0' * 32} or pp1-0"
    told = WHOLE.published(text)
    assert told == text.replace(MARK, WHOLE.public_name).replace(OTHER, WHOLE.public.whole)
    assert WHOLE.published(told) == told


def test_what_is_public_has_no_key_and_no_fingerprint_and_all_that_is_promised() -> None:
    public = WHOLE.public
    told = json.dumps(public.to_body()) + repr(public) + repr(WHOLE)
    for secret in (WHOLE.key, MARK, OTHER, "5" * 32, "7" * 32):
        assert secret not in told
    assert public.about == f"labels {public.whole}" != WHOLE.about
    assert PublicOpening.from_body(json.loads(json.dumps(public.to_body()))) == public
    for name in ("rows", "confidence", "questions", "budget", "entropy", "witness", "name"):
        assert getattr(public, name) == getattr(WHOLE, name)


def test_a_body_for_a_screen_has_no_keys() -> None:
    told = json.dumps(without_keys(WHOLE.to_body()))
    assert not [key for key in (WHOLE.key, "5" * 32, "7" * 32) if key in told]
    assert MARK in told
    shares: dict[str, object] = {"shares": {"key": "1/2"}}
    assert without_keys(shares) == shares  # an analyst may be called so


@pytest.mark.parametrize("key", [None, "", "0" * 63, "0" * 65, "g" * 64, "A" * 64, 10**63])
def test_a_ledger_without_a_key_is_damaged_and_the_error_does_not_show_it(
    key: object, tmp_path: Path
) -> None:
    place = tmp_path / "a.peekproof"
    Ledger.create(str(place), OPENING).close()
    body = {**OPENING.to_body(), "key": key}
    if key is None:
        del body["key"]
    overwrite(place, chained([("open", body)]))
    with pytest.raises(LedgerDamaged, match="makes no sense at entry 1") as damaged:
        Ledger.open(str(place))
    assert not key or str(key) not in str(damaged.value).replace("entry 1", "")
