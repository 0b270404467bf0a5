"""Sessions by Thresholdout: rounds, who may go on with them, and what is paid for them."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from contextlib import suppress
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

import peekproof
from adversary.attacks import LABEL, Told, draw_sample, features, leanings, vote
from backends import here
from peekproof.audit.analysts.correlation import agreement
from peekproof.cli.main import main
from peekproof.core.errors import (
    BudgetExhausted,
    EvaluationFailed,
    InvalidInput,
    LedgerMismatch,
    LedgerUnavailable,
    RoundsExhausted,
)
from peekproof.data.table import Table
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import SqliteStore
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.noise.entropy import Seeded
from peekproof.query.question import Question
from peekproof.session.session import Session
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
ROWS = 50_000
RNG = np.random.default_rng(1)
X = RNG.random(ROWS)
DATA = {"x": X, "a": RNG.random(ROWS) < 0.9, "b": RNG.random(ROWS) < 0.2}
TRAINING = {"x": RNG.random(ROWS), "a": RNG.random(ROWS) < 0.9, "b": RNG.random(ROWS) < 0.2}


def held(**arguments: object) -> Session:
    arguments = {"questions": 200, "ledger": ":memory:", "entropy": Seeded(1), **arguments}
    return peekproof.open(DATA, mechanisms=[peekproof.Thresholdout], **arguments)  # type: ignore[arg-type]


def mechanism_of(session: Session) -> Thresholdout:
    assert isinstance(session.plan.mechanism, Thresholdout)
    return session.plan.mechanism


def rounds_used(session: Session) -> int:
    return mechanism_of(session).corrections - (session.remaining_rounds or 0)


def paid(session: Session) -> list[tuple[str, Fraction]]:
    """The round and the cost of every answer, in the order of the ledger."""
    reserved = [entry.body for entry in session.ledger.entries() if entry.kind == "answer"]
    return [(body["terms"]["round"], Fraction(body["cost"])) for body in reserved]


def test_guesses_that_stand_cost_one_round_together() -> None:
    with held() as session:
        each = mechanism_of(session).one_round.cost()
        first = session.ask("x > 0.4", guess=0.61)
        second = session.ask("x > 0.3", guess=0.69)

        assert (first.cost, second.cost) == (each, each * 0)
        assert (first.released, second.released) == (Fraction(61, 100), Fraction(69, 100))
        assert not first.replayed
        assert not second.replayed
        assert session.ask("x > 0.3").replayed
        assert (session.failures, session.remaining, session.remaining_rounds) == (0, 198, 9)
        assert (
            first.certificate.parts
            == mechanism_of(session).certify_standing(session.plan.target).parts
        )
        assert second.certificate.verify() == second.certificate
        assert "0 of at most 10 corrected, 198 left in 9 more rounds" in repr(session)


def test_a_bad_guess_is_corrected_and_ends_its_round() -> None:
    truth = float(np.mean(X > 0.3))
    with held() as session:
        session.ask("x > 0.4", guess=0.61)
        told = session.ask("x > 0.3", guess=0.2)

        assert told.cost == mechanism_of(session).one_round.cost() * 0
        assert abs(told.value - truth) < 0.1
        assert told.value != 0.2
        assert truth in told
        assert (
            told.certificate.parts
            == mechanism_of(session).certify_corrected(session.plan.target).parts
        )
        assert told.certificate.verify() == told.certificate
        assert (session.failures, session.remaining_rounds) == (1, 9)
        after = session.ask("x > 0.35", guess=0.65)
        assert after.cost == mechanism_of(session).one_round.cost()
        assert [number for number, _ in paid(session)] == ["0", "0", "1"]


def test_the_ledger_never_pays_more_than_the_mechanism_costs() -> None:
    with held(failures=3) as session:
        for number in range(3):
            session.ask(f"x > 0.{number}01", guess=0.0)
        assert session.ledger.spent() == mechanism_of(session).cost() == session.plan.budget
        assert session.failures == 3
        with pytest.raises(RoundsExhausted) as refused:
            session.ask("x > 0.5", guess=0.5)
        assert refused.value.fields() == {"asked": 1, "rounds": 3, "of_several": False}
        assert (session.remaining, session.remaining_rounds) == (0, 0)
        assert session.ask("x > 0.001").replayed
        assert session.ledger.spent() == mechanism_of(session).cost()


def test_the_last_round_goes_on_until_its_correction(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with held(failures=1, ledger=place) as session, held(ledger=place) as other:
        for number in range(1, 30):
            session.ask(f"x > 0.5{number:02}", guess=0.5 - number / 1000)
        assert (session.remaining, other.remaining) == (171, 0)
        with pytest.raises(RoundsExhausted):
            other.ask("x > 0.9", guess=0.1)
        assert session.ask("x > 0.9", guess=0.1).value == 0.1
        session.ask("x > 0.1", guess=0.1)
        with pytest.raises(RoundsExhausted):
            session.ask("x > 0.2", guess=0.8)
        assert session.remaining == 0


def test_questions_run_out_before_rounds_do() -> None:
    with held(questions=2, guesser=peekproof.Training(TRAINING)) as session:
        with pytest.raises(BudgetExhausted):
            session.ask_many(["x > 0.1", "x > 0.2", "x > 0.3"])
        session.ask_many(["x > 0.1", "x > 0.2", "x > 0.1"])
        assert session.remaining == 0
        with pytest.raises(BudgetExhausted) as refused:
            session.ask("x > 0.3")
        assert refused.value.fields() == {
            "asked": 1,
            "remaining": 0,
            "questions": 2,
            "of_several": False,
        }


def test_a_restart_costs_one_round_and_keeps_the_answers(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with held(ledger=place) as session:
        answer = session.ask("x > 0.4", guess=0.61)
        session.ask("x > 0.3", guess=0.1)
        session.ask("x > 0.2", guess=0.8)
        assert rounds_used(session) == 2
    with held(ledger=place, questions=None) as session:
        assert rounds_used(session) == 2
        assert session.ask("x > 0.4").released == answer.released
        assert rounds_used(session) == 2
        session.ask("x > 0.25", guess=0.75)
        session.ask("x > 0.26", guess=0.74)
        assert rounds_used(session) == 3
        assert session.failures == 1
        assert [number for number, _ in paid(session)] == ["0", "0", "1", "2", "2"]


def test_two_sessions_on_one_file_close_each_others_rounds(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with held(ledger=place) as one, held(ledger=place) as other:
        for number, session in enumerate([one, one, other, other, one, other]):
            session.ask(f"x > 0.4{number}", guess=0.6 - number / 100)
        each = mechanism_of(one).one_round.cost().amount
        opened = [("0", each), ("0", 0), ("1", each), ("1", 0), ("2", each), ("3", each)]
        assert paid(one) == opened
        assert other.ledger.spent().amount == 4 * each
        assert other.ask("x > 0.40").replayed
        one.ask("x > 0.45").certificate.verify()


def test_a_round_whose_last_comparison_is_on_no_record_is_over(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with held(ledger=place) as session:
        session.ask("x > 0.4", guess=0.6)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Ledger, "write", _crash)
            with pytest.raises(OSError, match="disk"):
                session.ask("x > 0.3", guess=0.7)
        assert session.failures == 0  # nobody was told anything
        assert rounds_used(session) == 1
        session.ask("x > 0.2", guess=0.8)  # not in the round of which something may be drawn
        assert rounds_used(session) == 2
        session.ask("x > 0.3", guess=0.7)
        assert [number for number, _ in paid(session)] == ["0", "1", "1"]
        session.ask("x > 0.2").certificate.verify()


def test_a_comparison_that_was_paid_for_and_never_made_ends_its_round(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with held(ledger=place) as session:
        session.ask("x > 0.4", guess=0.6)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Table, "totals", _crash)
            with pytest.raises(EvaluationFailed):
                session.ask("x > 0.3", guess=0.7)
        assert session.failures == 1  # nobody can be sure
        assert rounds_used(session) == 1
        session.ask("x > 0.2", guess=0.8)  # not in the round whose outcome nobody knows
        assert rounds_used(session) == 2
        session.ask("x > 0.2").certificate.verify()
    with held(ledger=place) as session:
        assert session.failures == 1


def _crash(*_: object, **__: object) -> None:
    raise OSError("disk")


def test_a_refused_round_is_not_owned(tmp_path: Path) -> None:
    """A write that is rolled back must not leave a claim to the number it would have had."""
    place = tmp_path / "l.peekproof"
    with held(ledger=place) as one, held(ledger=place) as other:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SqliteStore, "commit", _crash)
            with pytest.raises(OSError, match="disk"):
                one.ask("x > 0.4", guess=0.6)
        other.ask("x > 0.4", guess=0.6)
        one.ask("x > 0.3", guess=0.7)
        assert [number for number, _ in paid(one)] == ["0", "1"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SqliteStore, "commit", _crash)
            with pytest.raises(OSError, match="disk"):
                one.ask("x > 0.2", guess=0.8)
        one.ask("x > 0.2", guess=0.8)  # what was drawn in the round may be on no record
        assert [number for number, _ in paid(one)] == ["0", "1", "2"]


def test_threads_of_one_session_take_turns() -> None:
    with held(guesser=peekproof.Training(TRAINING)) as session:
        texts = [f"x > 0.{number:02}" for number in range(10, 90)]

        def ask(mine: list[str]) -> None:
            for text in mine:
                session.ask(text)

        threads = [threading.Thread(target=ask, args=(texts[each::4],)) for each in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(session.ledger.answers()) == 80
        assert rounds_used(session) == session.failures + 1
        session.ask(texts[0]).certificate.verify()


def test_a_fork_or_a_copy_cannot_answer_from_the_same_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with held() as session:
        session.ask("x > 0.4", guess=0.6)
        for copied in (copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                copied(here(session)._run._run)  # type: ignore[attr-defined]
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(LedgerUnavailable):
            session.ask("x > 0.3", guess=0.7)
        monkeypatch.undo()
        assert session.ask("x > 0.3", guess=0.7).cost == mechanism_of(session).cost() * 0


def test_what_it_does_not_take_is_refused_and_costs_nothing() -> None:
    with held() as session:
        for refused in (
            lambda: session.ask("x > 0.5"),
            lambda: session.ask("x > 0.5", guess=1.5),
            lambda: session.ask("x > 0.5", guess=float("nan")),
            lambda: session.ask("x > 0.5", guess=0.5, tolerance=0.1),
            lambda: session.ask("x > 0.5", guess=0.5, radius=0.1),
            lambda: session.ask("mean(x, 0, 1, 0)", guess=0.5),
            lambda: session.histogram("histogram(x, (0.5))"),
            lambda: session.quantile("quantile(x, 0.5, 0, 1)"),
            lambda: session.best(["x > 0.5", "x > 0.6"]),
            lambda: session.price(0.1),
            lambda: session.price_of("x > 0.5"),
        ):
            with pytest.raises(InvalidInput):
                refused()
        assert (session.remaining, session.remaining_rounds) == (200, 10)
        with pytest.raises(InvalidInput, match="a share, in a session by Thresholdout"):
            session.ask("mean(x, 0, 1, 0)", guess=0.5)


def test_failures_are_part_of_the_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "l.peekproof"
    held(ledger=place, failures=4).close()
    held(ledger=place, failures=4).close()
    with pytest.raises(LedgerMismatch, match="records failures 4, but this session has 5"):
        held(ledger=place, failures=5)
    for failures in (0, True, 1.5):
        with pytest.raises(InvalidInput, match=r"^failures must be"):
            held(failures=failures)
    with pytest.raises(InvalidInput, match=r"^failures must be left out"):
        peekproof.open(DATA, failures=3)
    other = tmp_path / "m.peekproof"
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "elsewhere"))
    peekproof.open(DATA, ledger=other).close()
    with pytest.raises(LedgerMismatch, match="without a limit"):
        peekproof.open(DATA, ledger=other, failures=3)


def test_training_rows_guess_and_findings_that_fit_them_alone_are_corrected() -> None:
    with held(guesser=peekproof.Training(TRAINING)) as session:
        answers = session.ask_many([f"x > 0.{number}" for number in range(1, 10)])
        for number, answer in enumerate(answers, 1):
            assert 1 - number / 10 in answer
            assert answer.radius < 0.2
        assert (session.failures, rounds_used(session)) == (0, 1)
        assert session.ask("x > 0.55", guess=0.9).value == pytest.approx(0.45, abs=0.1)
        assert session.failures == 1


class Half:
    """A guesser that learns nothing."""

    kind = "half"

    def guess(self, question: Question) -> Fraction:
        return Fraction(1, 2)

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        pass

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


CHANCES = {"a": 0.95, "b": 0.1, "c": 0.9}


def conjunctions() -> list[tuple[str, float]]:
    """All conjunctions of two or three signed columns, and their shares of the population."""
    parts = {
        name: [("", 1.0), (name, chance), (f"not {name}", 1 - chance)]
        for name, chance in CHANCES.items()
    }
    found = []
    for one in parts["a"]:
        for two in parts["b"]:
            for three in parts["c"]:
                names = [name for name, _ in (one, two, three) if name]
                if len(names) > 1:
                    found.append((" and ".join(names), one[1] * two[1] * three[1]))
    return found


def test_weights_learn_privately_and_improve(tmp_path: Path) -> None:
    """Private multiplicative weights: a few corrections teach what the rest needs."""
    rng = np.random.default_rng(4)
    rows = {name: rng.random(200_000) < chance for name, chance in CHANCES.items()}
    domain = peekproof.Domain(dict.fromkeys(CHANCES, (True, False)))
    place = tmp_path / "l.peekproof"

    def opened(guesser: object, **arguments: object) -> Session:
        return peekproof.open(
            rows,
            mechanisms=[peekproof.Thresholdout],
            guesser=guesser,  # type: ignore[arg-type]
            **arguments,  # type: ignore[arg-type]
        )

    new: dict[str, object] = {"questions": 100, "failures": 7, "entropy": Seeded(3)}
    with opened(peekproof.learned_weights(domain), ledger=place, **new) as session:
        session.ask_many(["a", "b", "c"])
        assert session.failures == 3  # equal weights guess one half
        shares = conjunctions()
        answers = session.ask_many([text for text, _ in shares])
        assert session.failures <= 5  # of 20 more, and 2 to spare
        errors = [
            abs(answer.value - share) for answer, (_, share) in zip(answers, shares, strict=True)
        ]
        untaught = [abs(0.5 ** (text.count("and") + 1) - share) for text, share in shares]
        assert sum(errors) < sum(untaught) / 4
        assert all(share in answer for answer, (_, share) in zip(answers, shares, strict=True))
        learnt = session.ask("a and b").released
    fresh = peekproof.learned_weights(domain)
    with opened(fresh, ledger=place, entropy=Seeded(3)) as session:
        assert session.ask("a and b").released == learnt
        again = session.ask("a and not b and c or b and not c")
        assert fresh.updates == session.failures <= 6
        assert 0.95 * 0.9 * 0.9 + 0.1 * 0.1 in again
    with opened(Half(), ledger=":memory:", **new) as session, pytest.raises(RoundsExhausted):
        session.ask_many([text for text, _ in conjunctions()])


def test_a_ledger_can_be_asked_and_shown_by_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.csv"
    file.write_text("x\n" + "\n".join(str(each) for each in DATA["x"]))
    with peekproof.open(file, mechanisms=[peekproof.Thresholdout], questions=50) as session:
        session.ask("x > 0.4", guess=0.6)
        session.ask("x > 0.3", guess=0.1)

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        assert ended.value.code == 0
        return capsys.readouterr().out

    assert "47 new questions left in 8 more rounds" in run(
        "ask", str(file), "x > 0.5", "--guess", "0.5"
    )
    shown = run("ledger", "show", str(file))
    assert "3 of 50 questions asked, 47 more as planned in 8 more rounds" in shown
    assert "0.6000" in shown
    with pytest.raises(SystemExit) as ended:
        main(["ask", str(file), "x > 0.7"])
    assert ended.value.code == 2


def attack(session: Session, training: dict[str, np.ndarray]) -> Told:
    """Agreements guessed a little too high, the corrected ones believed, and a vote of all."""
    names = features(session.plan.target.questions - 1)
    lie = 0.9 * mechanism_of(session).threshold / session.plan.rows
    told: Told = []
    for number, name in enumerate(names):
        trained = float(np.mean(training[name] == training[LABEL]))
        off = 0.3 if number % 5 == 0 and session.remaining_rounds else lie
        try:
            told.append((session.ask(agreement(name, LABEL), guess=trained + off), 0.5))
        except RoundsExhausted:
            return told
    question, truth = vote(names, leanings([answer.value for answer, _ in told]))
    with suppress(RoundsExhausted):
        told.append((session.ask(question, guess=0.5), truth))
    return told


@statistical(false_alarm=FALSE_ALARM)
def test_intervals_cover_under_attack() -> None:
    """The mutant's intervals are those of exact shares of questions fixed in advance."""
    rows, questions, sessions = 4_000, 13, 40
    rng = np.random.default_rng(6)
    naive = sqrt(log(2 * questions / 0.05) / (2 * rows))
    missed = fooled = corrected = 0
    for number in range(sessions):
        with peekproof.open(
            draw_sample(rows, questions, rng),
            questions=questions,
            mechanisms=[peekproof.Thresholdout],
            failures=3,
            entropy=Seeded(number),
            ledger=":memory:",
        ) as session:
            told = attack(session, draw_sample(10 * rows, questions, rng))
            corrected += session.failures
            assert session.plan.radius < 0.25
        missed += any(truth not in answer for answer, truth in told)
        fooled += any(abs(answer.value - truth) > naive for answer, truth in told)

    assert corrected > 2 * sessions
    assert excess_p_value(missed, trials=sessions, probability=0.05) > FALSE_ALARM
    assert excess_p_value(fooled, trials=sessions, probability=0.05) < FALSE_ALARM
