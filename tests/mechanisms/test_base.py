"""The contract of mechanisms: what is recorded is read back, and what is not taken is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, final

import pytest

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Charge, Draws
from peekproof.core.errors import InvalidInput, MechanismMissing
from peekproof.core.secret import SECRET, Exact
from peekproof.mechanisms import base
from peekproof.mechanisms.base import (
    SHAPES,
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Query,
    Recorded,
    Value,
    every_mechanism,
    recorded_draw,
    recorded_mechanism,
)
from peekproof.mechanisms.checking import BestChecked, CheckedGuess, Checking
from peekproof.mechanisms.fresh_rows import FreshRows, FreshShare
from peekproof.mechanisms.gaussian import (
    Gaussian,
    Noise,
    Noisy,
    NoisyCells,
    NoisyChoice,
    NoisyQuantile,
)
from peekproof.mechanisms.laplace import Laplace, LaplaceShare
from peekproof.mechanisms.limited_checking import LimitedChecking, LimitedGuess
from peekproof.mechanisms.open_ended import OpenEnded, StagedShare
from peekproof.mechanisms.thresholdout import Compared, Thresholdout
from peekproof.mechanisms.truncation import BinnedShare, Truncation
from peekproof.noise.entropy import Entropy
from peekproof.query.candidates import parse_candidates
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.session.queries import ANY_SHARE, Best, InWords, any_pairs
from peekproof.theory.generalization.pairs import pair_levels

ROWS = 1_000
KEY = "0123456789abcdef" * 2
THIRD, STEP = Fraction(1, 3), Fraction(1, 64)
TARGET = Target.of(confidence=0.95, questions=20)

# What a field that cannot be read raises; those who open ledgers catch all of it.
UNREADABLE = (KeyError, ValueError, ZeroDivisionError)

# One of each kind, of which no field has its default.
MECHANISMS: tuple[Mechanism, ...] = (
    Checking(rows=ROWS),
    FreshRows(rows=ROWS, rounds=7, key=KEY, levels=3),
    Gaussian(rows=ROWS, sigma=THIRD, step=STEP, levels=3),
    Laplace(rows=ROWS, scale=THIRD, step=STEP, levels=3),
    LimitedChecking(rows=ROWS, tolerance=THIRD, failures=4),
    OpenEnded(rows=ROWS, stages=(Noise(THIRD, STEP), Noise(Fraction(1, 2), STEP / 2))),
    Thresholdout(
        rows=ROWS, threshold=9, epsilon=THIRD, corrections=2, questions=20, comparing=THIRD
    ),
    Truncation(rows=ROWS, bins=11, levels=3),
)
DRAWS: tuple[Draw, ...] = (
    BestChecked(rows=ROWS, candidates=3, bins=5, questions=4, failures=2, values=25, levels=3),
    BinnedShare(rows=ROWS, bins=11, levels=3),
    CheckedGuess(
        rows=ROWS,
        guess=THIRD,
        tolerance=Fraction(1, 7),
        bins=5,
        passes=(100, 140),
        questions=4,
        failures=2,
        values=25,
        levels=pair_levels(ROWS),
        pairs=True,
    ),
    Compared(rows=ROWS, guess=Fraction(333, ROWS), round=2, price=THIRD),
    FreshShare(rows=ROWS, rounds=7, number=3, shared=2, levels=3),
    LaplaceShare(rows=ROWS, scale=THIRD, step=STEP, levels=3),
    LimitedGuess(rows=ROWS, guess=THIRD, tolerance=THIRD, bins=6, passes=(0, 666), levels=3),
    Noisy(rows=ROWS, sigma=THIRD, step=STEP, levels=3, moved_by=Fraction(2, 9)),
    NoisyCells(rows=ROWS, sigma=THIRD, step=STEP, cells=4, ball=THIRD, counts=5, levels=3),
    NoisyChoice(rows=ROWS, candidates=4, epsilon=THIRD, counts=5, sensitivity=3),
    NoisyQuantile(rows=ROWS, cells=4, level=THIRD, epsilon=THIRD, counts=5),
    StagedShare(rows=ROWS, sigma=THIRD, step=STEP, stage=2, levels=3),
)
ALL: tuple[Recorded, ...] = (*MECHANISMS, *DRAWS)

every_one = pytest.mark.parametrize("one", ALL, ids=lambda one: type(one).__name__)


def read(record: Mapping[str, str], like: Recorded) -> Recorded:
    """What a record says, read as the kind of thing that `like` is."""
    reader = recorded_mechanism if isinstance(like, Mechanism) else recorded_draw
    return reader(record, rows=ROWS)


def lets_out(one: Recorded) -> set[str]:
    """The fields that have defaults."""
    return {each.name for each in fields(one) if each.default is not MISSING}  # type: ignore[arg-type]


# What is recorded is read back. ----------------------------------------------------------------


def test_there_is_one_of_every_kind() -> None:
    every_mechanism()
    known = {
        cls
        for kinds in (base._MECHANISMS, base._DRAWS)
        for cls in kinds.values()
        if cls.__module__.startswith("peekproof.")
    }
    assert {type(one) for one in ALL} == known
    assert len(ALL) == len(known)


def names(one: Recorded) -> list[str]:
    """What its fields are called in a record."""
    told = [each for each in fields(one) if each.name != "rows"]  # type: ignore[arg-type]
    return [SECRET + each.name if each.metadata else each.name for each in told]


@every_one
def test_it_is_read_back_as_it_was(one: Recorded) -> None:
    said = one.record()

    assert said.keys() == {"kind"} | set(names(one))
    assert all(type(text) is str for text in said.values())
    again = read(said, one)
    assert again == one
    assert type(again) is type(one)
    assert again.record() == said


@every_one
def test_what_is_left_out_is_the_default_or_lacking(one: Recorded) -> None:
    for name in names(one):
        fewer = {key: text for key, text in one.record().items() if key != name}
        if name.removeprefix(SECRET) not in lets_out(one):
            with pytest.raises(ValueError, match=f"{one.kind} lacks {name}"):
                read(fewer, one)
    left = lets_out(one)
    told = {key: said for key, said in one.record().items() if key.removeprefix(SECRET) not in left}
    if isinstance(one, CheckedGuess):  # pairs are counted in levels of their own
        assert not read(told, one).pairs  # type: ignore[attr-defined]
    assert read(told, one).record() == told


@every_one
def test_fields_that_it_has_not_are_refused(one: Recorded) -> None:
    for name in ("magic", "rows", "Kind"):
        with pytest.raises(ValueError, match=f"{one.kind} has no {name}"):
            read({**one.record(), name: "1"}, one)


@every_one
@pytest.mark.parametrize("text", ["", "x", "1/", "1/0", "nan", "inf", "1 1", "1:2:3:4", ":", "½"])
def test_what_no_field_can_say_is_refused(one: Recorded, text: str) -> None:
    for name in one.record().keys() - {"kind"}:
        with pytest.raises(UNREADABLE):
            read({**one.record(), name: text}, one)


def test_a_field_of_another_shape_is_refused() -> None:
    shapes: dict[type[Recorded], tuple[str, list[str]]] = {
        LimitedGuess: ("passes", ["3", "3:4:5", "1/2:1", "0:666 0:666"]),
        OpenEnded: ("stages", ["1/3", "1/3:1/64:1", "1/3:1/64:1/2:1/64", "1/3 1/64"]),
        CheckedGuess: ("pairs", ["1", "True", "yes"]),
        Truncation: ("bins", ["1/2", "3.0", "3:4", "true"]),
        Gaussian: ("sigma", ["1/3:1/3", "true", "1/2/3"]),
    }
    for one in ALL:
        name, texts = shapes.pop(type(one), ("", []))
        for text in texts:
            with pytest.raises(UNREADABLE):
                read({**one.record(), name: text}, one)
    assert not shapes


def test_what_may_not_be_is_refused_as_a_record_that_cannot_be() -> None:
    for record in (
        {"kind": "gaussian", "sigma": "0", "step": "1/2"},
        {"kind": "truncation", "bins": "-3"},
        {"kind": "fresh-rows", "rounds": str(ROWS + 1)},
        {"kind": "open-ended", "stages": "1/2:1/64 1/3:1/64"},
        {"kind": "fresh-rows", "rounds": "2", f"{SECRET}key": "short"},
    ):
        with pytest.raises(ValueError, match=r"must be") as refused:
            recorded_mechanism(record, rows=ROWS)
        assert type(refused.value) is ValueError
        assert "short" not in str(refused.value)


def test_integers_of_thousands_of_digits_are_read_back() -> None:
    """The decimals of so long a number Python refuses to print, and to read."""
    for values in (10**999, 10**1000 - 1, 10**1000, 25**4_000 + 1, 2**60_000 - 1):
        one = BestChecked(
            rows=ROWS, candidates=3, bins=5, questions=4_000, failures=4_000, values=values
        )
        assert recorded_draw(one.record(), rows=ROWS) == one
        assert read({**one.record(), "low": "0", "high": "2", "most": "1"}, one) == one
    with pytest.raises(ValueError, match="limit"):
        recorded_draw({**one.record(), "values": "9" * 10_000}, rows=ROWS)
    with pytest.raises(ValueError, match="limit"):
        recorded_mechanism({"kind": "gaussian", "sigma": "9" * 10_000, "step": "1"}, rows=ROWS)
    with pytest.raises(ValueError, match="invalid literal"):
        recorded_draw({**one.record(), "values": "0xg"}, rows=ROWS)


def test_a_draw_is_no_mechanism_although_it_may_be_called_like_one() -> None:
    said = {"kind": "laplace", "scale": "1/3", "step": "1/64"}

    assert recorded_mechanism(said, rows=ROWS) == Laplace(rows=ROWS, scale=THIRD, step=STEP)
    assert recorded_draw(said, rows=ROWS) == LaplaceShare(rows=ROWS, scale=THIRD, step=STEP)
    with pytest.raises(MechanismMissing):
        recorded_draw(Checking(rows=ROWS).record(), rows=ROWS)
    with pytest.raises(MechanismMissing):
        recorded_mechanism(DRAWS[0].record(), rows=ROWS)


def test_only_draws_have_units_beside_them() -> None:
    units = {"low": "0", "high": "100", "most": "90"}
    for draw in DRAWS:
        assert recorded_draw({**draw.record(), **units}, rows=ROWS) == draw
    for mechanism in MECHANISMS:
        with pytest.raises(ValueError, match="has no high"):
            recorded_mechanism({**mechanism.record(), **units}, rows=ROWS)


@pytest.mark.parametrize("reader", [recorded_mechanism, recorded_draw])
def test_a_kind_that_nobody_knows_is_named_with_its_package(
    reader: Callable[..., Recorded],
) -> None:
    with pytest.raises(MechanismMissing) as missing:
        reader({"kind": "magic", "package": "wizardry", "wand": "1"}, rows=ROWS)
    assert (missing.value.mechanism, missing.value.package) == ("magic", "wizardry")
    assert "'magic' of the package wizardry" in str(missing.value)
    with pytest.raises(MechanismMissing) as nameless:
        reader({"kind": "magic"}, rows=ROWS)
    assert "package" not in str(nameless.value)
    with pytest.raises(KeyError, match="kind"):
        reader({"bins": "3"}, rows=ROWS)


def test_no_second_class_takes_over_a_kind() -> None:
    with pytest.raises(TypeError, match=r"of peekproof\.mechanisms\.truncation\.Truncation"):
        type("Mine", (Mechanism,), {"kind": "truncation"})
    assert recorded_mechanism({"kind": "truncation", "bins": "3"}, rows=ROWS) == Truncation(
        rows=ROWS, bins=3
    )


def test_a_class_of_another_package_is_recorded_with_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "_MECHANISMS", dict(base._MECHANISMS))
    foreign = type("Foreign", (Mechanism,), {"kind": "foreign", "__module__": "wizardry.wands"})
    made: Any = dataclass(frozen=True, kw_only=True)(foreign)
    monkeypatch.setattr(made, "__abstractmethods__", frozenset())
    monkeypatch.setattr(made, "__annotations__", {}, raising=False)

    assert made().record() == {"kind": "foreign", "package": "wizardry"}
    assert "package" not in Truncation(rows=ROWS, bins=3).record()


# Secrets. --------------------------------------------------------------------------------------


def test_a_secret_is_recorded_and_never_described() -> None:
    one = FreshRows(rows=ROWS, rounds=7, key=KEY)

    assert one.record()[f"{SECRET}key"] == KEY
    assert one.described == {"kind": "fresh-rows", "rounds": "7"}
    assert KEY not in repr(one)
    assert KEY not in str(one)


def test_what_is_described_is_the_same_but_for_its_secrets() -> None:
    one = FreshRows(rows=ROWS, rounds=7, key=KEY)
    public = recorded_mechanism(one.described, rows=ROWS)

    assert public != one
    assert isinstance(public, FreshRows)
    assert replace(public, key=KEY) == one
    for other in ALL:
        if not isinstance(other, FreshRows):
            assert other.described == other.record()


def test_nothing_but_a_key_is_secret() -> None:
    hidden = {(type(one).__name__, *one.record().keys() - one.described.keys()) for one in ALL}
    assert {each for each in hidden if len(each) > 1} == {("FreshRows", f"{SECRET}key")}


# What is not taken is refused before anything is drawn. -------------------------------------------


@final
@dataclass(frozen=True, kw_only=True)
class Once(Draw):
    """A draw that nobody makes."""

    rows: int

    kind: ClassVar[str] = "test-once"

    @property
    def cost(self) -> Charge:
        return Draws(Fraction(1))

    def made_for(self, asked: Demand) -> bool:
        return True

    def release(self, exact: Exact[Any], *, rng: Entropy) -> Value:
        return (Fraction(0),)

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        return promise.certify(target)


@dataclass(frozen=True, kw_only=True)
class Forgetful(Mechanism):
    """Says nothing of what it takes, and counts what it is asked to draw."""

    rows: int

    drawn: ClassVar[list[Ask]] = []

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> Forgetful:
        return cls(rows=rows)

    def budget(self, target: Target) -> Draws:
        return Draws(Fraction(target.questions))

    def certify(self, target: Target) -> Certificate:
        return Truncation(rows=self.rows, bins=2).certify(target)

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:
        self.drawn.append(ask)
        return Once(rows=self.rows)


class Guessing(Forgetful):
    takes = frozenset({"share"})
    guesses = True


class Choosing(Forgetful):
    takes = frozenset({"share", "choice", "quantile"})


@pytest.fixture(autouse=True)
def nothing_drawn() -> None:
    Forgetful.drawn.clear()


SCHEMA = Schema({"x": Kind.NUMBER}, complete=frozenset({"x"}))


def in_words(text: str) -> Query:
    return InWords(parse_question(text, SCHEMA))


@final
@dataclass(frozen=True)
class Shaped:
    """A share that says it has another shape."""

    shape: str

    def __getattr__(self, name: str) -> Any:
        return getattr(ANY_SHARE, name)


QUERIES: dict[str, Query] = {
    "share": in_words("x > 50"),
    "mean": in_words("mean(x, 0, 100, 0)"),
    "cells": in_words("histogram(x, (25, 50))"),
    "quantile": in_words("quantile(x, 0.5, 0, 100)"),
    "choice": Best(parse_candidates(["x > 10", "x > 90"], SCHEMA)),
    "statistic": Shaped("statistic"),
    "pairs": any_pairs(ROWS),
}


def test_there_is_a_query_of_every_shape() -> None:
    assert QUERIES.keys() == SHAPES.keys()
    assert all(query.shape == shape for shape, query in QUERIES.items())


def refused(mechanism: Mechanism, ask: Ask) -> InvalidInput:
    with pytest.raises(InvalidInput) as refusal:
        mechanism.offer(ask, Past(target=TARGET))
    return refusal.value


def test_a_mechanism_that_says_nothing_takes_shares_and_means_alone() -> None:
    one, past = Forgetful(rows=ROWS), Past(target=TARGET)
    for shape, query in QUERIES.items():
        Forgetful.drawn.clear()
        if shape in ("share", "mean"):
            assert one.offer(Ask(what=query), past) == Once(rows=ROWS)
            assert len(Forgetful.drawn) == 1
        else:
            assert refused(one, Ask(what=query)).argument in ("question", "statistic")
            assert not Forgetful.drawn


def test_a_shape_is_refused_by_its_name_and_with_a_way_out() -> None:
    one = Forgetful(rows=ROWS)

    histogram = refused(one, Ask(what=QUERIES["cells"]))
    assert histogram.given == "a histogram"
    assert "peekproof.Gaussian" in str(histogram)
    assert "peekproof.Checking" in str(refused(one, Ask(what=QUERIES["pairs"])))
    mean = refused(Guessing(rows=ROWS), Ask(what=QUERIES["mean"], guess=3.0))
    assert mean.given == "a mean"
    assert not Forgetful.drawn


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: type(one).__name__)
def test_our_own_refuse_what_they_do_not_take(
    mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(*_: object, **__: object) -> Draw:
        raise AssertionError("it was drawn")

    monkeypatch.setattr(type(mechanism), "draw", drawn)
    assert mechanism.takes <= SHAPES.keys()
    for shape in SHAPES.keys() - mechanism.takes:
        refused(mechanism, Ask(what=QUERIES[shape]))
    for shape in mechanism.takes:
        with pytest.raises(AssertionError, match="it was drawn"):
            mechanism.offer(Ask(what=QUERIES[shape]), Past(target=TARGET))


@pytest.mark.parametrize(
    "said", [{"guess": 0.0}, {"tolerance": 0.1}, {"trained_on": 5}, {"guessed": Fraction(0)}]
)
def test_a_guess_is_refused_where_none_is_taken(said: dict[str, Any]) -> None:
    ask, (name,) = Ask(what=QUERIES["share"], **said), said

    assert refused(Forgetful(rows=ROWS), ask).argument == name
    assert not Forgetful.drawn
    assert Guessing(rows=ROWS).offer(ask, Past(target=TARGET)) == Once(rows=ROWS)
    for mechanism in MECHANISMS:
        if not mechanism.guesses:
            assert refused(mechanism, ask).argument == name


def test_a_loss_is_for_choices_and_quantiles_alone() -> None:
    one, past = Choosing(rows=ROWS), Past(target=TARGET)

    assert refused(one, Ask(what=QUERIES["share"], loss=0.1)).argument == "loss"
    wrong = Ask(what=QUERIES["share"], guess=0.5, loss=0.1)
    assert refused(Guessing(rows=ROWS), wrong).argument == "loss"
    assert not Forgetful.drawn
    for shape in ("choice", "quantile"):
        assert one.offer(Ask(what=QUERIES[shape], loss=0.1), past) == Once(rows=ROWS)
    for mechanism in MECHANISMS:
        assert refused(mechanism, Ask(what=QUERIES["share"], loss=0.1)).argument == "loss"


def test_what_a_mechanism_makes_no_use_of_is_refused_with_what_was_said() -> None:
    ask = Ask(what=QUERIES["share"], radius=0.25)

    ask.without("loss", "guess", accepted="left out")
    with pytest.raises(InvalidInput, match=r"radius must be left out.*0\.25"):
        ask.without("loss", "radius", accepted="left out")
