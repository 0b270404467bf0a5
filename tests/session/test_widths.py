"""The width that is told before is the width that comes, by every mechanism and form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

import peekproof
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.core.numerics import decimal_up, float_up
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.mechanisms.base import every_mechanism
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.plan import Price
from peekproof.noise.entropy import Seeded
from peekproof.session import Session

ROWS = 20_000

# How each mechanism is opened; the others check guesses.
ASKED: dict[str, dict[str, object]] = {
    "gaussian": {"questions": 500},
    "laplace": {"questions": 20},
    "truncation": {"questions": 20},
    "fresh-rows": {"questions": 20},
    "rounds": {"questions": 100, "rounds": 20},
    "open-ended": {},
}
GUESSED: dict[str, dict[str, object]] = {
    "checking": {"questions": 100},
    "limited-checking": {"questions": 100, "failures": 5},
    "thresholdout": {"questions": 100},
}
MEANS_TOO = ("checking", "limited-checking")


@dataclass(frozen=True)
class Asked:
    """A question, and what of it is known before it is answered."""

    text: str
    known: bool = True
    only: tuple[str, ...] = tuple(ASKED)
    terms: dict[str, float] = field(default_factory=dict)


NOISE = ("gaussian",)
FORMS = {
    "share": Asked("x > 40"),
    "small share": Asked("x > 99.9"),
    "own radius": Asked("x > 41", only=NOISE, terms={"radius": 0.2}),
    "mean": Asked("mean(x, 0, 100, 0)"),
    "mean of those known": Asked("mean(x, 0, 100)", known=False),
    "mean of own radius": Asked("mean(x, -50, 150, 0)", only=NOISE, terms={"radius": 30}),
    "mean of tiny units": Asked("mean(x / 1e9, 0, 1e-7, 0)"),
    "histogram": Asked("histogram(x, (10, 50))", only=NOISE),
    "weighted histogram": Asked("histogram(g, (1, 2), mean(x, -20, 100))", only=NOISE),
    "shares by": Asked("y by g (1, 2)", known=False, only=NOISE),
    "means by": Asked("mean(x, 0, 100) by g (1, 2)", known=False, only=NOISE),
    "share given": Asked("y given g = 1", known=False),
    "mean given": Asked("mean(x, 0, 100) given g = 2", known=False),
    "share given most": Asked("y given g < 9", known=False),
    "share given few": Asked("y given x > 99.9", known=False),
    "quantile": Asked("quantile(x, 0.5, 0, 100)", only=NOISE),
    "quantile of own loss": Asked("quantile(x, 0.9, 0, 100)", only=NOISE, terms={"loss": 0.2}),
}


def opened(kind: str, **terms: object) -> Session:
    chance = np.random.default_rng(1)
    rows = {
        "x": chance.uniform(0, 100, ROWS),
        "g": chance.integers(0, 3, ROWS),
        "y": chance.random(ROWS) < 0.3,
    }
    entropy = Seeded(7)
    mechanisms = [every_mechanism()["fresh-rows" if kind == "rounds" else kind]]
    return peekproof.open(
        rows,
        mechanisms=mechanisms,
        ledger=":memory:",
        entropy=entropy,
        **terms,  # type: ignore[arg-type]
    )


def priced(session: Session, asked: Asked) -> Price:
    return session.price_of(asked.text, **asked.terms)  # type: ignore[arg-type]


def answered(session: Session, asked: Asked) -> object:
    if "quantile" in asked.text:
        return session.quantile(asked.text, **asked.terms)
    (found,) = session.respond([asked.text], **asked.terms)  # type: ignore[arg-type]
    return found


def certified(answer: object) -> float:
    """How far an interval of this certificate reaches where no end of the scale is near."""
    match answer:
        case QuantileAnswer():
            return answer.certificate.radius
        case HistogramAnswer():
            answer = answer.cells[0]
    assert isinstance(answer, Answer)
    return float_up(Fraction(answer.certificate.radius) * answer.span.width)


def came(answer: object) -> list[float]:
    """How far the intervals reach from what was released, on their longer sides."""
    match answer:
        case QuantileAnswer(level=level, levels=levels):
            return [float_up(max(level - Fraction(levels.low), Fraction(levels.high) - level))]
        case HistogramAnswer() | GroupedAnswer():
            return [cell.radius for cell in answer.cells]
        case Answer() | ConditionalAnswer():
            return [answer.radius]
    raise TypeError(answer)


def shares(answer: object) -> list[float]:
    """Of all rows, by group, as they were released."""
    match answer:
        case GroupedAnswer():
            return [size.value for size in answer.sizes]
        case ConditionalAnswer():
            return [max(answer.under.value, 1e-9)]
    raise TypeError(answer)


def explained(answer: object) -> list[float]:
    """How far the certificate of a quotient, or of cells, says in words that the intervals reach.

    The smallest and the largest.
    """
    assert isinstance(answer, ConditionalAnswer | GroupedAnswer)
    for said in (answer.certificate.explain(), answer.certificate._repr_html_()):
        (words,) = re.findall(r"follows from .*?, and reaches ([^(<]*)", said)
        found = [float(each.replace(",", "")) for each in re.findall(r"±([\d.,]+)", words)]
    assert answer.certificate.radius == max(came(answer))
    assert answer.certificate.theorems[0] == "T-joint-function"
    return [found[0], found[-1]]


PAIRS = [
    pytest.param(kind, each, id=f"{kind}, {name}")
    for name, each in FORMS.items()
    for kind in each.only
]


@pytest.mark.parametrize(("kind", "asked"), PAIRS)
def test_what_is_told_before_is_what_comes(kind: str, asked: Asked) -> None:
    with opened(kind, **ASKED[kind]) as session:
        session.ask("x < 7")  # open-ended sessions are at another stage then
        told = priced(session, asked).width
        found = answered(session, asked)
        if asked.known:
            assert told.known
            assert told.most == certified(found)
            assert max(came(found)) <= told.most * (1 + 1e-12)  # ends of levels are doubles
        else:
            assert not told.known
            for reach, share in zip(came(found), shares(found), strict=True):
                assert reach <= min(told.most, told.least / share * (1 + 1e-12))
            least, most = explained(found)
            assert (least, most) == pytest.approx((min(came(found)), max(came(found))), rel=0.01)
            assert most >= max(came(found))
        again = priced(session, Asked(asked.text))
        assert again.known
        assert max(came(found)) <= again.width.most * (1 + 1e-12)
        assert again.width.most <= told.most
        if not asked.known:
            assert again.width.most == max(came(found))


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("text", ["y given g = 1", "mean(x, 0, 100, 0) given g = 1"])
def test_the_width_within_a_group_whose_share_is_known_is_told(kind: str, text: str) -> None:
    with opened(kind, **ASKED[kind]) as session:
        unknown = session.price_of(text).width
        session.ask("g = 1")
        told = session.price_of(text).width
        (found,) = session.respond([text])
        assert told.known
        assert came(found)[0] <= told.most < unknown.most
        assert came(found)[0] > told.most / 2  # and not much wider than it must be


def test_a_price_in_a_notebook_begins_with_the_width_of_the_answer() -> None:
    with opened("gaussian", **ASKED["gaussian"]) as session:
        for text in ("y given g = 1", "mean(x, 0, 100)", "y by g (1, 2)"):
            price = session.price_of(text)
            words = price.width.words.capitalize().replace("'", "&#x27;")
            assert price._repr_html_().startswith(f"<div><b>{words}</b>")


@pytest.mark.parametrize("kind", ["gaussian", "open-ended"])
def test_questions_asked_together_are_priced_together(kind: str) -> None:
    texts = ["x > 10", "y given g = 1", "x > 20", "mean(x, 0, 100, 0)"]
    with opened(kind, **ASKED[kind]) as session:
        together = session.new_draws(texts)
        told = [session.price_of(text, together=together).width for text in texts]
        found = session.respond(texts)
        assert together == 5
        for width, answer in zip(told, found, strict=True):
            if isinstance(answer, Answer):
                assert width.most == certified(answer)
            else:
                assert came(answer)[0] <= width.least / shares(answer)[0] * (1 + 1e-12)
        assert session.new_draws(texts) == 0


@pytest.mark.parametrize("kind", GUESSED)
@pytest.mark.parametrize("outcome", ["confirmed", "failed"])
def test_a_guess_is_told_both_widths(kind: str, outcome: str) -> None:
    with opened(kind, **GUESSED[kind]) as session:
        for text, right, wrong in (
            ("x > 40", 0.6, 0.05),
            ("x > 50", 0.5, 0.95),
            ("mean(x, 0, 100, 0)", 50.0, 2.0),
        ):
            if text.startswith("mean") and kind not in MEANS_TOO:
                continue
            guess = right if outcome == "confirmed" else wrong
            told = session.price_of(text, guess=guess).width
            found = session.ask(text, guess=guess)
            assert session.price_of(text).failed == (outcome == "failed")
            assert certified(found) in (told.least, told.most)
            assert found.radius <= told.most
            assert session.price_of(text).width.most == certified(found)


def test_after_failed_guesses_the_told_width_grows_with_the_answers() -> None:
    with opened("checking", **GUESSED["checking"]) as session:
        widths = []
        for number in range(4):
            text = f"x > {30 + number}"
            widths.append(session.price_of(text, guess=0.01).width)
            failed = session.ask(text, guess=0.01)
            assert certified(failed) in (widths[-1].least, widths[-1].most)
        assert [each.most for each in widths] == sorted(each.most for each in widths)
        assert widths[0].most < widths[-1].most


def test_a_quotient_of_guesses_is_told_as_a_range() -> None:
    with peekproof.open(
        {"x": np.arange(4000) % 100, "y": np.arange(4000) % 2 == 0},
        mechanisms=[Checking],
        questions=50,
        ledger=":memory:",
        guesser=_Half(),
    ) as session:
        told = session.price_of("y given x < 80")
        found = session.conditional("y given x < 80")
        assert told.questions == 2
        assert not told.width.known
        assert found.radius <= told.width.least / shares(found)[0] * (1 + 1e-12)


@pytest.mark.parametrize("kind", ["checking", "limited-checking"])
def test_a_quotient_is_told_as_wide_as_if_its_first_guess_failed(kind: str) -> None:
    """It does fail here, and the second does not: what comes after a failure reaches further."""
    with opened(kind, **{**GUESSED[kind], "guesser": _Half()}) as session:
        told = session.price_of("x < 20 given x < 50")
        found = session.conditional("x < 20 given x < 50")
        assert (session.failures, found.under.value) == (1, 0.5)
        joint = Fraction(certified(found.over)) + Fraction(certified(found.under))
        assert joint <= Fraction(told.width.least)
        for most in (10, 20, 30):
            session.ask(f"x < {most + 1}")
        assert session.failures == 4  # with a limit of five, there is still a price for two
        assert session.price_of("x < 11.5 given x < 50.5").questions == 2


class _Half:
    """Guesses a half whatever is asked."""

    kind: ClassVar[str] = "half"

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}

    def guess(self, _: object) -> Fraction:
        return Fraction(1, 2)

    def learn(self, *_: object, **__: object) -> None:
        pass


@pytest.mark.parametrize("kind", ["gaussian", "checking"])
@pytest.mark.parametrize(
    "texts", [["x > 40", "x > 60", "y"], ["mean(x, 0, 100, 0)", "mean(x / 2, 0, 100, 0)"]]
)
def test_a_choice_is_told_how_much_better_the_best_can_be(kind: str, texts: list[str]) -> None:
    with opened(kind, **{**ASKED, **GUESSED}[kind]) as session:
        told = session.price_of_best(texts).width
        chosen: Choice = session.best(texts)
        assert chosen.gap <= told.most
        assert chosen.gap > told.most / 2
        assert session.price_of_best(texts).width == told


@pytest.mark.parametrize("kind", GUESSED)
def test_forms_that_are_not_served_have_no_price(kind: str) -> None:
    with opened(kind, **GUESSED[kind]) as session, pytest.raises(PeekproofError):
        session.price_of("histogram(x, (10, 50))", guess=0.5)


def rare(kind: str, **terms: object) -> Session:
    """So few rows in a group, and with a value, that what is drawn about them says nothing."""
    chance, size = np.random.default_rng(1), 5_000
    rows = {
        "x": np.full(size, np.nan),
        "g": np.where(chance.random(size) < 0.01, 1, 2),
        "y": chance.random(size) < 0.3,
    }
    return peekproof.open(
        rows,
        mechanisms=[every_mechanism()[kind]],
        ledger=":memory:",
        entropy=Seeded(7),
        **terms,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("kind", "terms"),
    [
        ("gaussian", {"questions": 300}),
        ("laplace", {"questions": 20}),
        ("truncation", {"questions": 20}),
        ("open-ended", {}),
    ],
)
@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("g = 1", "y given g = 1"),
        ("g = 1", "mean(g, 0, 50) given g = 1"),
        ("x is not null", "mean(x, 0, 100)"),
    ],
)
def test_a_quotient_that_nothing_is_left_of_is_refused_before_it_is_paid_for(
    kind: str, terms: dict[str, object], condition: str, text: str
) -> None:
    with rare(kind, **terms) as session:
        group = session.ask(condition)
        left = session.remaining
        for ask in (
            session.price_of,
            session.ask,
            session.conditional,
            lambda each: session.ask_many(["y", each]),
            lambda each: session.respond([each, "y"]),
        ):
            with pytest.raises(InvalidInput, match="group of at most") as refused:
                ask(text)
            assert decimal_up(group.high) in str(refused.value)
        assert session.remaining == left


def test_a_quotient_of_guesses_that_nothing_is_left_of_is_refused_too() -> None:
    with rare("checking", questions=100, guesser=_Half()) as session:
        session.ask("g = 1", guess=0.0)
        left = session.remaining
        for ask in (session.price_of, session.ask):
            with pytest.raises(InvalidInput, match="group of at most"):
                ask("y given g = 1")
        assert session.remaining == left


def test_a_quotient_that_costs_nothing_is_not_refused() -> None:
    """Its parts were drawn before anything was known, or are drawn for another question."""
    with rare("gaussian", questions=300) as session:
        whole = session.conditional("y given g = 1")
        assert (whole.low, whole.high) == (0, 1)
        assert session.conditional("y given g = 1").replayed
        assert session.price_of("y given g = 1").known
        session.ask("g < 1.5 and not y")
        session.respond(["not y given g < 1.5", "g < 1.5"])  # its share was not known
        session.ask("x is not null")
        session.respond(["mean(x, 0, 100)", "mean(x, 0, 100, 0)"])


def few(**terms: object) -> Session:
    """So few rows that a planned share says something, and what is drawn for more does not."""
    rows = {"x": np.arange(1000.0)}
    return peekproof.open(rows, ledger=":memory:", **terms)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "terms"),
    [
        ("histogram(x, (100, 500))", {}),
        ("x > 300 by x (100, 500)", {}),
        ("mean(x, 0, 1000) by x (100, 500)", {}),
        ("quantile(x, 0.5, 0, 1000)", {"loss": 0.6}),
    ],
)
def test_what_is_certain_to_say_nothing_is_refused_before_it_is_paid_for(
    asked: str, terms: dict[str, float]
) -> None:
    with few(questions=360, mechanisms=[every_mechanism()["gaussian"]]) as session:
        assert session.plan.radius < 0.5
        with pytest.raises(InvalidInput, match="one whose interval can say something"):
            session.price_of(asked, **terms)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="one whose interval can say something"):
            answered(session, Asked(asked, terms=terms))
        assert session.remaining == 360
