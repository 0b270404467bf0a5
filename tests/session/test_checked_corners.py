"""Corners of sessions that check guesses: threads, forgeries, guessers that know less."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.certificate import Target
from peekproof.core.errors import BudgetExhausted, InvalidInput, LedgerDamaged
from peekproof.guess.median.guesser import MedianParameters
from peekproof.ledger.entry import Body
from peekproof.ledger.ledger import Written
from peekproof.mechanisms.base import Ask, Past, recorded_draw
from peekproof.mechanisms.checking import Checking
from peekproof.query.question import Question, parse_question
from peekproof.session.queries import ANY_SHARE, InWords
from peekproof.session.records import offer_of
from peekproof.session.session import Session
from session.forging import forged

ROWS = 5_000
RNG = np.random.default_rng(1)
DATA = {"x": RNG.random(ROWS), "a": RNG.random(ROWS) < 0.9, "b": RNG.random(ROWS) < 0.2}
TARGET = Target(confidence=Fraction(19, 20), questions=10**6)


def checked(**arguments: object) -> Session:
    arguments = {"questions": 100, "ledger": ":memory:", **arguments}
    return peekproof.open(DATA, mechanisms=[peekproof.Checking], **arguments)  # type: ignore[arg-type]


def one_of_each(place: Path) -> None:
    with checked(ledger=place) as session:
        session.ask("x > 0.3", guess=0.5, tolerance=0.05)  # fails
        session.ask("x > 0.5", guess=0.5, tolerance=0.1)  # passes
        session.ask("x > 0.2", guess=0.5, tolerance=0.05)  # fails


def test_thousands_of_failures_can_be_recorded() -> None:
    past = Past(target=TARGET, draws=5_000, failures=1_600, values=711**1_600)
    draw = Checking(rows=10**6).offer(Ask(what=ANY_SHARE, guess=0.5), past)
    again = recorded_draw(json.loads(json.dumps(draw.record())), rows=10**6)
    assert again == draw
    again.check(Checking(rows=10**6), past)


def test_a_guess_of_thousands_of_digits_is_refused() -> None:
    with checked() as session:
        try:
            session.ask("x > 0.3", guess=Fraction(1, 10**5_000))  # type: ignore[arg-type]
        except InvalidInput:
            return


@pytest.mark.parametrize(
    ("question", "guess", "tolerance", "most"),
    [
        ("x > 0.3", 0.5, 0.5, "0.5"),
        ("x > 0.3", 0.25, 0.75, "0.75"),
        ("x > 0.3", 0, 1, "1"),
        ("mean(x, 0, 8, 0)", 6, 6.5, "6"),
        ("mean(x, 0, 0.001, 0)", 0, 1e308, "0.001"),
    ],
)
def test_a_tolerance_that_is_the_whole_scale_is_refused_and_costs_nothing(
    question: str, guess: float, tolerance: float, most: str
) -> None:
    with checked() as session:
        for ask in (session.ask, session.price_of):
            with pytest.raises(InvalidInput, match=f"tolerance must be below {most} for this"):
                ask(question, guess=guess, tolerance=tolerance)
        assert session.ledger.draws() == 0
        session.ask("x > 0.3", guess=0.5, tolerance=0.499)


def test_a_tolerance_that_is_the_whole_scale_does_not_take_an_answer_away() -> None:
    with checked() as session:
        first = session.ask("x > 0.3", guess=0.7, tolerance=0.2)
        assert session.ask("x > 0.3", guess=0.5, tolerance=0.5).value == first.value


def test_respond_takes_any_iterable() -> None:
    with checked() as session:
        session.ask("x > 0.5", guess=0.5, tolerance=0.1)
        assert len(session.respond(text for text in ["x > 0.5"])) == 1


def test_questions_that_do_not_fit_together_are_not_charged() -> None:
    with checked(questions=2, guesser=peekproof.Training(DATA)) as session:
        with pytest.raises(BudgetExhausted):
            session.ask_many(["x > 0.1", "x > 0.2", "x > 0.3"])
        assert session.remaining == 2


def test_a_failure_outside_the_domain_disturbs_no_later_question() -> None:
    weights = peekproof.learned_weights(peekproof.Domain({"a": (True, False)}))
    with checked(guesser=weights) as session:
        session.ask("x > 0.9", guess=0.9, tolerance=0.1)  # fails; x is not of the domain
        assert session.failures == 1
        session.ask("a")


def test_a_question_that_training_rows_lack_columns_for_is_refused() -> None:
    training = peekproof.Training({"x": np.zeros(3)})
    with checked(guesser=training) as session, pytest.raises(InvalidInput):
        session.ask("a")


class Watching:
    """A guesser during whose lesson another thread looks at the session."""

    kind = "watching"
    session: Session

    def guess(self, question: Question) -> Fraction:
        return Fraction(1, 2)

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        other = threading.Thread(target=lambda: self.session.failures)
        other.start()
        other.join(timeout=0.3)

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


def test_threads_do_not_lose_failures(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with checked(ledger=place) as first:
        first.ask("x > 0.3", guess=0.5, tolerance=0.05)  # fails
        first.ask("x > 0.5", guess=0.5, tolerance=0.1)  # passes
    guesser = Watching()
    with checked(ledger=place, guesser=guesser) as session:
        guesser.session = session
        session.ask("x > 0.2", guess=0.5, tolerance=0.05)  # fails
        session.ask("x > 0.1", guess=0.5, tolerance=0.05)  # fails
        with peekproof.open(DATA, ledger=place) as other:
            assert session.failures == other.failures == 3


def test_what_was_paid_for_and_never_answered_counts_beside_the_answer(tmp_path: Path) -> None:
    place, text = tmp_path / "l.peekproof", "x > 0.3"
    with checked(ledger=place) as one, peekproof.open(DATA, ledger=place) as other:
        asked = InWords(parse_question(text, one.schema))
        draw = other.plan.mechanism.offer(Ask(what=asked, guess=0.5, tolerance=0.05), other.past)
        slow = other.ledger.lose(
            {asked.digest: text}, offers=lambda _: [offer_of(draw, asked.span)]
        )
        assert isinstance(slow, Written)
        one.ask(text, guess=0.7, tolerance=0.1)  # passes, while the other one is under way
        assert one.failures == other.failures == 1
        other.ledger.recover(slow, {asked.digest: (Fraction(1, 3), Fraction(1))})
        assert other.ask(text).value == 0.7  # the first answer stands
        assert one.failures == other.failures == 1


def test_a_guess_uses_what_other_processes_released(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    domain = peekproof.Domain({"a": (True, False), "b": (True, False)})
    with (
        checked(ledger=place, guesser=peekproof.learned_weights(domain)) as one,
        checked(ledger=place, guesser=peekproof.learned_weights(domain)) as other,
    ):
        one.ask_many(["a", "b"])  # both fail and are learnt
        assert one.failures == 2
        other.ask("a and b")
        assert one.failures == 2


def _terms(change: Callable[[dict[str, str]], None]) -> Callable[[str, Body], None]:
    def changed(kind: str, body: Body) -> None:
        if kind == "answer":
            change(body["terms"])

    return changed


def _answers(change: Callable[[list[str]], None]) -> Callable[[str, Body], None]:
    def changed(kind: str, body: Body) -> None:
        if kind == "answer":
            for each in body["questions"]:
                change(each["value"])

    return changed


def _flag(value: list[str]) -> None:
    value[1] = "2"


def _other_guess(value: list[str]) -> None:
    if value[1] == "0":
        value[0] = "1/5"


def _off_the_middle(value: list[str]) -> None:
    if value[1] == "1":
        value[0] = "1/7"


@pytest.mark.parametrize("change", [_flag, _other_guess, _off_the_middle])
def test_an_answer_that_no_check_gives_is_damage(
    tmp_path: Path, change: Callable[[list[str]], None]
) -> None:
    place = tmp_path / "l.peekproof"
    one_of_each(place)
    forged(place, _answers(change))

    def looked_at() -> None:
        with peekproof.open(DATA, ledger=place) as session:
            for text in ("x > 0.3", "x > 0.5", "x > 0.2"):
                session.ask(text)

    with pytest.raises(LedgerDamaged):
        looked_at()


def _fewer_failures(terms: dict[str, str]) -> None:
    terms["failures"], terms["values"] = "0", "1"


def _wider_passes(terms: dict[str, str]) -> None:
    guess, tolerance = Fraction(terms["guess"]), Fraction(terms["tolerance"])
    terms["passes"] = f"{int((guess - tolerance) * ROWS)}:{int((guess + tolerance) * ROWS)}"


@pytest.mark.parametrize("change", [_fewer_failures, _wider_passes])
def test_a_check_at_another_level_than_its_past_is_damage(
    tmp_path: Path, change: Callable[[dict[str, str]], None]
) -> None:
    place = tmp_path / "l.peekproof"
    one_of_each(place)
    forged(place, _terms(change))
    with pytest.raises(LedgerDamaged), peekproof.open(DATA, ledger=place) as session:
        session.ask("x > 0.2").certificate.verify()


def _no_past(terms: dict[str, str]) -> None:
    del terms["questions"]


def test_a_check_without_a_past_is_damage(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    one_of_each(place)
    forged(place, _terms(_no_past))
    with pytest.raises(LedgerDamaged), peekproof.open(DATA, ledger=place) as session:
        session.ask("x > 0.3")


def test_a_certificate_of_the_other_outcome_does_not_verify() -> None:
    with checked() as session:
        session.ask("x > 0.3", guess=0.5, tolerance=0.05)  # fails
        settled = next(iter(session.ledger.answers().values()))
        value = settled.value
        assert isinstance(value, tuple)
        other = session.certificate(replace(settled, value=(value[0], Fraction(0))))
        with pytest.raises(LedgerDamaged):
            other.verify()


def test_a_refused_tolerance_of_a_mean_is_in_its_units() -> None:
    with checked() as session:
        with pytest.raises(InvalidInput) as refused:
            session.ask("mean(x, 0, 1000, 0)", guess=500, tolerance=5)
        assert refused.value.given == "5"
        assert "1000" in refused.value.accepted


@pytest.mark.parametrize("options", [[], ["--guess", "5"], ["--guess", "0.5", "--tolerance", "0"]])
def test_a_refused_guess_makes_no_ledger(tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "f.csv"
    file.write_text("x\n" + "\n".join(str(each) for each in DATA["x"]))
    with pytest.raises(SystemExit) as ended:
        main(["ask", str(file), "x > 0.5", "--mechanism", "checking", *options])
    assert ended.value.code != 0
    assert not Path(f"{file}.peekproof").exists()


def test_a_guess_for_an_answered_histogram_is_refused_as_input() -> None:
    with peekproof.open(DATA, mechanisms=[peekproof.Gaussian], questions=100) as session:
        session.histogram("histogram(x, (0.5))")
        with pytest.raises(InvalidInput):
            session.ask("histogram(x, (0.5))", guess=0.5)


class Saying:
    """A guesser that says something else than a share."""

    kind = "saying"

    def __init__(self, said: object) -> None:
        self.said = said

    def guess(self, question: Question) -> Fraction:
        return self.said  # type: ignore[return-value]

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        pass

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


@pytest.mark.parametrize("said", [Fraction(3, 2), float("nan"), "half"])
def test_a_guesser_that_says_no_share_is_named(said: object) -> None:
    with checked(guesser=Saying(said)) as session:
        with pytest.raises(InvalidInput) as refused:
            session.ask("x > 0.5")
        assert repr(said)[:8] in refused.value.given


def test_what_is_no_guesser_is_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="guesser"):
        checked(guesser="weights")


def test_a_median_on_absurdly_many_rows_is_refused() -> None:
    with pytest.raises(InvalidInput):
        MedianParameters.lecture(rows=10**400, questions=10, domain_size=10)
