"""The first entry of a ledger, and what analysts may know of it."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from secrets import token_hex
from typing import final

from peekproof.core.charge import UNITS, Charge, amount_of, unit_of
from peekproof.ledger.entry import Body

# What this version writes. Every entry names its format, so that no older version misreads it.
FORMAT = 1

_KEY_BYTES = 32
_KEY = re.compile(rf"[0-9a-f]{{{2 * _KEY_BYTES}}}")
_PLAIN = re.compile(r"pp[0-9]+-[0-9a-f]{32}")  # fingerprints, of any version
_DIGITS = 32
PUBLIC_NAME = re.compile(rf"data-[0-9a-f]{{{_DIGITS}}}")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PublicOpening:
    """What analysts may know of an opening: all that it promises, no key and no fingerprint.

    `data` is the public name of the data, and stands for its fingerprint, which is an unsalted
    hash: whoever has that can test guesses of the rows without asking.
    """

    data: str
    rows: int
    confidence: Fraction
    questions: int
    mechanism: dict[str, str]
    budget: Charge
    entropy: str
    witness: str = ""
    name: str = ""
    whole: str = ""  # the public name of the data of which the rows are a random part
    about: str = ""

    def to_body(self) -> Body:
        """The opening as JSON for analysts."""
        apart = {
            "witness": self.witness, "name": self.name, "whole": self.whole, "about": self.about,
        }  # fmt: skip
        return {"format": FORMAT, "data": self.data, **_promise(self), **_given(apart)}

    @classmethod
    def from_body(cls, body: Body) -> "PublicOpening":
        """The opening that `to_body` told."""
        return cls(
            data=str(body["data"]),
            **_told(body),
            whole=str(body.get("whole", "")),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Whose budget this is, how large, and what it promises. The custodian's.

    Whatever reaches analysts or readers is made from `public`, `public_name` and `published`.
    """

    fingerprint: str = field(repr=False)  # unsalted: analysts are shown `public_name` instead
    rows: int
    confidence: Fraction
    questions: int
    mechanism: dict[str, str] = field(repr=False)  # may hold a key
    budget: Charge
    entropy: str
    witness: str = ""  # "none" if nothing outside the ledger watches over it from the first entry
    name: str = ""  # random: no other ledger begins with the same entry
    frame: dict[str, str] = field(default_factory=dict, repr=False)  # of which data it is a part
    # "labels", and the fingerprint of their groups, for fresh labels for the same rows
    about: str = field(default="", repr=False)
    # 256 random bits, which nobody but the custodian knows: they make public names of fingerprints,
    # and every digest of the chain, no function of the rows that could be tested.
    key: str = field(default_factory=lambda: token_hex(_KEY_BYTES), repr=False)

    @property
    def public_name(self) -> str:
        """What analysts are shown for the fingerprint: the same data in this ledger, the same name.

        `data-` and the first 32 hexadecimal digits of HMAC-SHA-256 under the ledger's key. Without
        the key no guess of the rows can be compared with it.
        """
        return self._named(self.fingerprint)

    @property
    def public(self) -> PublicOpening:
        """All of it that analysts may know."""
        return PublicOpening(
            data=self.public_name,
            rows=self.rows,
            confidence=self.confidence,
            questions=self.questions,
            mechanism={name: said for name, said in self.mechanism.items() if name != "key"},
            budget=self.budget,
            entropy=self.entropy,
            witness=self.witness,
            name=self.name,
            whole=self._named(self.frame.get("of", "")) if self.frame else "",
            about=self.published(self.about),
        )

    def published(self, text: str) -> str:
        """A text with the public name for every fingerprint that stands in it.

        Fingerprints are part of the names of ledgers in PostgreSQL and of files of the witness.
        """
        return _PLAIN.sub(lambda found: self._named(found[0]), text)

    def _named(self, fingerprint: str) -> str:
        digest = hmac.digest(bytes.fromhex(self.key), fingerprint.encode(), hashlib.sha256)
        return f"data-{digest.hex()[:_DIGITS]}"

    def to_body(self) -> Body:
        apart = {
            "witness": self.witness, "name": self.name, "frame": self.frame, "about": self.about,
        }  # fmt: skip
        return {
            "format": FORMAT,
            "fingerprint": self.fingerprint,
            "key": self.key,
            **_promise(self),
            **_given(apart),
        }

    @classmethod
    def from_body(cls, body: Body) -> "Opening":
        return cls(
            fingerprint=str(body["fingerprint"]),
            **_told(body),
            frame=_texts(body.get("frame", {})),
            key=_checked_key(body["key"]),
        )


def without_keys(body: Body) -> Body:
    """What an entry says, without the keys that the first one holds: they are not for a screen."""
    found = {name: said for name, said in body.items() if name != "key"}
    for name in ("mechanism", "frame"):
        if isinstance(said := found.get(name), dict):
            found[name] = {each: value for each, value in said.items() if each != "key"}
    return found


def _promise(opening: Opening | PublicOpening) -> Body:
    return {
        "rows": opening.rows,
        "confidence": str(opening.confidence),
        "questions": opening.questions,
        "mechanism": opening.mechanism,
        "unit": unit_of(opening.budget),
        "budget": str(amount_of(opening.budget)),
        "entropy": opening.entropy,
    }


def _given(fields: Mapping[str, object]) -> Body:
    return {key: value for key, value in fields.items() if value}


def _texts(found: Mapping[object, object]) -> dict[str, str]:
    return {str(key): str(value) for key, value in found.items()}


def _told(body: Body) -> Body:
    """The fields that both kinds of openings have, read from JSON."""
    return {
        "rows": int(body["rows"]),
        "confidence": Fraction(body["confidence"]),
        "questions": int(body["questions"]),
        "mechanism": _texts(body["mechanism"]),
        "budget": UNITS[str(body["unit"])](Fraction(body["budget"])),
        "entropy": str(body["entropy"]),
        "witness": str(body.get("witness", "")),
        "name": str(body.get("name", "")),
        "about": str(body.get("about", "")),
    }


def _checked_key(found: object) -> str:
    """The key, if it can be one; an error does not show it."""
    if not isinstance(found, str) or not _KEY.fullmatch(found):
        raise ValueError(f"the key is not {2 * _KEY_BYTES} hexadecimal digits")
    return found


_LONGEST_PROMISE = 600  # letters that the record of a witness has room for


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a ledger promises, without what only its own draws need."""

    rows: int
    confidence: Fraction
    questions: int
    mechanism: Mapping[str, str]


def promise_of(opening: Opening) -> str:
    """The promise of a ledger as text; empty if it is too long for a witness to remember."""
    said = {
        "rows": opening.rows,
        "confidence": str(opening.confidence),
        "questions": opening.questions,
        "mechanism": {key: each for key, each in opening.mechanism.items() if key != "key"},
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return text if len(json.dumps(text)) <= _LONGEST_PROMISE else ""


def promise_from(text: str) -> Promise | None:
    """The promise that `promise_of` wrote, if it did."""
    if not text:
        return None
    said = json.loads(text)
    return Promise(
        rows=int(said["rows"]),
        confidence=Fraction(said["confidence"]),
        questions=int(said["questions"]),
        mechanism={str(key): str(each) for key, each in said["mechanism"].items()},
    )
