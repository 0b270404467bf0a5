"""Mechanisms of other packages that are wrong: each fails before anything is read or charged."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import peekproof
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP, Charge, Draws
from peekproof.core.errors import MechanismMissing
from peekproof.core.secret import SECRET, Exact
from peekproof.ledger.entry import promise_of, without_keys
from peekproof.mechanisms import base
from peekproof.mechanisms.base import (
    Ask,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    recorded_draw,
    secret,
)
from peekproof.mechanisms.truncation import BinnedShare, Truncation
from peekproof.noise.entropy import Entropy
from peekproof.session.receipt import receipts

ROWS = 1000
HIDDEN = "the salt that nobody may see"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenth(Draw):
    """A share to a tenth, by truncation; `salt` is nobody's business."""

    rows: int
    salt: str = secret("")

    kind: ClassVar[str] = "test-tenth"

    @property
    def cost(self) -> Charge:
        return Draws(Fraction(1))

    def release(self, exact: Exact[Any], *, rng: Entropy) -> Value:
        return (Truncation(rows=self.rows, bins=10).release(exact, rng=rng),)

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        return Truncation(rows=self.rows, bins=10).certify(target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenths(Mechanism):
    """What a careful author writes."""

    rows: int
    salt: str = secret("")

    kind: ClassVar[str] = "test-tenths"
    makes: ClassVar[type[Draw]] = Tenth

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> Tenths:
        return cls(rows=rows)

    def budget(self, target: Target) -> Charge:
        return Draws(Fraction(target.questions))

    def certify(self, target: Target) -> Certificate:
        return Truncation(rows=self.rows, bins=10).certify(target)

    def keyed(self, rng: Entropy) -> Tenths:
        return replace(self, salt=HIDDEN)

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:
        made: Any = self.makes
        return made(rows=self.rows, salt=self.salt)  # type: ignore[no-any-return]


class Counted(Tenth):
    kind = "test-counted"

    @property
    def draws(self) -> int:
        return 0


class Halves(Tenth):
    kind = "test-halves"

    @property
    def draws(self) -> Any:
        return 1.5


class Priced(Tenth):
    kind = "test-priced"

    @property
    def cost(self) -> Charge:
        return GDP(Fraction(1))


class Unsure(Tenth):
    kind = "test-unsure"

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        if failed:
            raise ValueError("nobody has thought of that")
        return Tenth.certificate(self, promise, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coloured(Tenth):
    """Its colours are read back as two if one has a colon."""

    kind: ClassVar[str] = "test-coloured"
    colours: tuple[str, ...] = ()


# Known in these tests alone: others count what is registered.
DRAWN = (Tenth, Counted, Halves, Priced, Unsure, Coloured)
del base._MECHANISMS[Tenths.kind]
for each in DRAWN:
    del base._DRAWS[each.kind]


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    monkeypatch.setitem(base._MECHANISMS, Tenths.kind, Tenths)
    for kind in DRAWN:
        monkeypatch.setitem(base._DRAWS, kind.kind, kind)


@pytest.fixture
def ages() -> dict[str, Any]:
    return {"age": np.random.default_rng(1).uniform(0, 100, ROWS)}


@pytest.mark.parametrize("made", [Counted, Halves, Priced, Unsure])
def test_a_draw_that_a_ledger_cannot_tell_again_is_refused_before_it_is_charged(
    made: type[Draw], ages: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tenths, "makes", made)
    with peekproof.open(ages, questions=20, mechanisms=[Tenths]) as session:
        with pytest.raises(TypeError, match=f"^{made.__name__} "):
            session.ask("age > 50")
        assert [each.kind for each in session.ledger.entries()] == ["open"]


def test_a_draw_of_another_mechanism_is_refused_before_it_is_charged(
    ages: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = BinnedShare(rows=ROWS, bins=10)
    monkeypatch.setattr(Tenths, "draw", lambda self, ask, past, *, place, batch: other)
    with peekproof.open(ages, questions=20, mechanisms=[Tenths]) as session:
        with pytest.raises(TypeError, match="BinnedShare cannot be recorded or certified"):
            session.ask("age > 50")
        assert session.remaining == 20


def test_a_draw_that_is_read_back_as_another_is_refused(
    ages: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recorded_draw(Coloured(rows=ROWS, colours=("a", "b")).record(), rows=ROWS).record()
    made = Coloured(rows=ROWS, colours=("a:b",))
    monkeypatch.setattr(Tenths, "draw", lambda self, ask, past, *, place, batch: made)
    with peekproof.open(ages, questions=20, mechanisms=[Tenths]) as session:
        with pytest.raises(TypeError, match="is not what its record gives"):
            session.ask("age > 50")
        assert session.remaining == 20


@pytest.mark.parametrize("name", ["low", "high", "most", "package"])
def test_names_that_records_use_for_something_else_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"has a field '{name}'"):
        type("Clash", (Draw,), {"kind": "test-clash", "__annotations__": {name: int}})


def test_a_record_of_another_package_is_not_read_as_ours() -> None:
    record = BinnedShare(rows=ROWS, bins=10).record()
    assert recorded_draw(record, rows=ROWS) == BinnedShare(rows=ROWS, bins=10)
    with pytest.raises(MechanismMissing) as error:
        recorded_draw({**record, "package": "somebody_else"}, rows=ROWS)
    assert error.value.package == "somebody_else"
    with pytest.raises(MechanismMissing):
        recorded_draw({"kind": "test-tenth"}, rows=ROWS)  # it does not say whose it is


def test_secrets_are_in_the_ledger_and_nowhere_else(ages: dict[str, Any], tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with peekproof.open(ages, questions=20, mechanisms=[Tenths], ledger=place) as session:
        session.ask("age > 50")
        opening = session.ledger.opening
        assert opening.mechanism[f"{SECRET}salt"] == HIDDEN
        (told,) = receipts(session.ledger)
        shown = [
            repr(opening), repr(opening.public), promise_of(opening), told.text(),
            repr(told.to_dict()), repr(session.plan), repr(session.plan.to_dict()),
            *(repr(without_keys(each.body)) for each in session.ledger.entries()),
        ]  # fmt: skip
        assert not [each for each in shown if HIDDEN in each]
    witnessed = b"".join(each.read_bytes() for each in (tmp_path / "witness").iterdir())
    assert HIDDEN.encode() not in witnessed
    with peekproof.open(ages, ledger=place) as session:
        assert session.ask("age > 50").replayed


@pytest.fixture
def half_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose module registers a mechanism and then fails."""
    (tmp_path / "half.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from mechanisms.test_foreign import Tenths\n"
        "class Mine(Tenths):\n"
        "    kind: ClassVar[str] = 'test-mine'\n"
        "    automatic: ClassVar[bool] = True\n"
        "raise RuntimeError('something that it needs is missing')\n"
    )
    info = tmp_path / "half-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: half\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[peekproof.mechanisms]\nmine = half:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    base._load.cache_clear()
    yield
    sys.modules.pop("half", None)
    base._load.cache_clear()


@pytest.mark.usefixtures("half_imported")
def test_what_a_package_registered_before_it_failed_is_not_used() -> None:
    with pytest.warns(RuntimeWarning, match="mine .* cannot be used here"):
        found = base.every_mechanism()
    assert "test-mine" not in found
    assert "gaussian" in found


def test_nothing_of_another_package_is_planned_unless_it_is_named(
    ages: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tenths, "automatic", True)
    monkeypatch.setattr(Tenths, "certify", lambda self, target: Truncation(
        rows=10**9, bins=1000).certify(target))  # fmt: skip
    with peekproof.open(ages, questions=20) as session:
        assert type(session.plan.mechanism).__module__.startswith("peekproof.")
