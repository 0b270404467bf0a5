"""Entries of a ledger and the chain that ties them together."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from secrets import token_hex
from typing import Any, final

from peekproof.core.charge import Charge, Offer, charge_in
from peekproof.core.errors import LedgerDamaged
from peekproof.core.secret import shown

GENESIS = bytes(32)

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)

# JSON as it lies in the file; `state` checks its shape before anything relies on it.
Body = dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger. `digest` covers this entry and, through the chain, all before."""

    sequence: int
    kind: str
    text: str = field(repr=False)  # of the first entry, it may hold a key
    digest: bytes

    @property
    def body(self) -> Body:
        found = json.loads(self.text)
        if not isinstance(found, dict):
            raise ValueError("an entry's body is an object")
        return found


def link(previous: bytes, sequence: int, kind: str, text: str) -> bytes:
    """The digest of an entry that follows the entry with digest `previous`."""
    return hashlib.sha256(previous + f"{sequence}\n{kind}\n{text}".encode()).digest()


def follow(previous: Entry | None, kind: str, body: Body) -> Entry:
    """The entry that records `body` after `previous`."""
    sequence = previous.sequence + 1 if previous else 1
    text = _JSON.encode(body)
    digest = link(previous.digest if previous else GENESIS, sequence, kind, text)
    return Entry(sequence, kind, text, digest)


def checked(entries: Iterable[Entry], *, after: Entry | None, ledger: str) -> Iterator[Entry]:
    """`entries` as they come, as long as each one continues the chain."""
    previous = after
    for entry in entries:
        expected = previous.sequence + 1 if previous else 1
        if entry.sequence != expected:
            raise LedgerDamaged(ledger=ledger, problem=f"lacks entry {expected}")
        before = previous.digest if previous else GENESIS
        if link(before, entry.sequence, entry.kind, entry.text) != entry.digest:
            raise LedgerDamaged(
                ledger=ledger, problem=f"was altered: entry {entry.sequence} breaks the chain"
            )
        yield entry
        previous = entry


# Questions paid for and answers given, and how entries write them down.

# A number, or the numbers of an answer that has several.
Value = Fraction | tuple[Fraction, ...]


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """An answer as it was released, with the terms of its draw if they were its own."""

    text: str
    value: Value
    terms: Mapping[str, str] = field(default_factory=dict)
    analyst: str = ""


@final
@dataclass(frozen=True, slots=True)
class Paid:
    """A question that is paid for, what was paid, and who asked."""

    text: str
    offer: Offer
    analyst: str = ""

    def settled(self, value: Value) -> Settled:
        return Settled(self.text, value, self.offer.terms, self.analyst)


def charge_body(
    questions: Mapping[str, str],
    offers: Sequence[Offer],
    *,
    total: Charge,
    analyst: str,
    values: Sequence[Value] = (),
) -> Body:
    """What is said of questions that are charged, with their answers if these are known by now.

    What all offers have in common is said once.
    """
    listed: list[Body] = [{"digest": key, "text": text} for key, text in questions.items()]
    for each, value in zip(listed, values, strict=False):
        each["value"] = _value_to_json(value)
    body: Body = {"questions": listed, "spent": str(total.amount)}
    if analyst:
        body["analyst"] = analyst
    if all(offer == offers[0] for offer in offers):
        return {**body, **offer_to_body(offers[0])}
    for each, offer in zip(listed, offers, strict=True):
        each.update(offer_to_body(offer))
    return body


def paid_from_body(body: Body, *, unit: str) -> dict[str, Paid]:
    """The questions of an entry by their digests, and what was paid for each."""
    common = offer_from_body(body, unit=unit) if "cost" in body else None
    analyst = str(body.get("analyst", ""))
    return {
        str(each["digest"]): Paid(
            str(each["text"]), common or offer_from_body(each, unit=unit), analyst
        )
        for each in body["questions"]
    }


def answers_from_body(body: Body, *, unit: str) -> dict[str, Settled]:
    """The answers of an entry by the digests of their questions."""
    paid = paid_from_body(body, unit=unit)
    return {
        str(each["digest"]): paid[str(each["digest"])].settled(_value_from_json(each["value"]))
        for each in body["questions"]
    }


def restore_body(
    *, source: str, continues: str, last: Entry, lost: int, mended: int, reason: str, against: str
) -> Body:
    """What is said of entries that were restored: where from, how many, and what is missing."""
    return {
        "source": source,
        "continues": continues,
        "entries": last.sequence,
        "digest": last.digest.hex(),
        "lost": lost,
        **({"mended": mended} if mended else {}),
        "reason": reason,
        "against": against,
    }


def restored_override(body: Body) -> Body:
    """A restoration among the overrides, which certificates and receipts name."""
    said = [
        f"restored from {body['source']}: {int(body['entries']):,} entries, the last "
        f"{str(body['digest'])[:16]}…"
    ]
    if body.get("mended"):
        said.append(f"{int(body['mended']):,} of them after undoing one flipped bit")
    if body["reason"]:
        said.append(str(body["reason"]))
    return {"reason": "; ".join(said), "against": str(body["against"]), "restored": "yes"}


def _value_to_json(value: Value) -> str | list[str]:
    return [str(each) for each in value] if isinstance(value, tuple) else str(value)


def _value_from_json(found: object) -> Value:
    if isinstance(found, list):
        return tuple(Fraction(str(each)) for each in found)
    return Fraction(str(found))


def offer_to_body(offer: Offer) -> Body:
    """An offer: its cost, and what is out of the ordinary."""
    body: Body = {"cost": str(offer.cost.amount)}
    if offer.terms:
        body["terms"] = dict(offer.terms)
    if offer.draws != 1:
        body["draws"] = offer.draws
    return body


def offer_from_body(body: Body, *, unit: str) -> Offer:
    """The offer that `offer_to_body` wrote, in this unit."""
    draws = body.get("draws", 1)
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError("a question is at least one draw")
    terms = {str(key): str(value) for key, value in body.get("terms", {}).items()}
    return Offer(cost=charge_in(unit, Fraction(body["cost"])), terms=terms, draws=draws)


def settled_to_body(settled: Settled) -> Body:
    """An answer with all that is known of it."""
    return {
        "text": settled.text,
        "value": _value_to_json(settled.value),
        "terms": dict(settled.terms),
        "analyst": settled.analyst,
    }


def settled_from_body(body: Body) -> Settled:
    """The answer that `settled_to_body` wrote."""
    terms = {str(key): str(value) for key, value in body["terms"].items()}
    return Settled(str(body["text"]), _value_from_json(body["value"]), terms, str(body["analyst"]))


# The first entry of a ledger, and what analysts may know of it.

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
            mechanism=shown(self.mechanism),
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
    """What an entry says, without keys and other secrets: they are not for a screen."""
    found = {name: said for name, said in body.items() if name != "key"}
    for name in ("mechanism", "terms"):
        if isinstance(said := found.get(name), dict):
            found[name] = shown(said)
    if isinstance(frame := found.get("frame"), dict):
        found["frame"] = {name: said for name, said in frame.items() if name != "key"}
    if isinstance(asked := found.get("questions"), list):
        found["questions"] = [without_keys(each) for each in asked]
    return found


def _promise(opening: Opening | PublicOpening) -> Body:
    return {
        "rows": opening.rows,
        "confidence": str(opening.confidence),
        "questions": opening.questions,
        "mechanism": opening.mechanism,
        "unit": opening.budget.unit,
        "budget": str(opening.budget.amount),
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
        "budget": charge_in(str(body["unit"]), Fraction(body["budget"])),
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
        "mechanism": shown(opening.mechanism),
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
