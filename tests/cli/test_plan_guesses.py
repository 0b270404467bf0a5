"""`peekproof plan --guesses`: both plans, which is narrower, and from when on the other is."""

import json

import pytest

from cli.running import Run
from peekproof.audit.guesses import HALF, best_guessing, split_guessing
from peekproof.cli.plan import from_training
from peekproof.core.certificate import Target
from peekproof.core.numerics import decimal_up
from peekproof.mechanisms.plan import plan

ARGUMENTS = ("plan", "--rows", "100000", "--questions", "1000", "--guesses", "training")
TARGET = Target.of(confidence=0.95, questions=1_000)


def test_guesses_stand_beside_the_usual_plan(run: Run) -> None:
    usual = run(*ARGUMENTS[:5])
    done = run(*ARGUMENTS, "--expected-failures", "10")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(usual.out)
    assert (
        "\n±0.0480 for the same if 50,000 of the rows guess, the other 50,000 check the guesses, "
        "and at most 10 fail\n"
    ) in done.out
    assert "Guesses are narrower; from 23 failures on Gaussian noise is.\n" in done.out
    assert "With only 25,000 rows guessing it would be ±0.0439.\n" in done.out


def test_no_failure_is_expected_unless_some_are(run: Run) -> None:
    done = run(*ARGUMENTS)

    assert "±0.0249 for the same" in done.out
    assert "and none fails\n" in done.out
    assert run(*ARGUMENTS, "--expected-failures", "0") == done


def test_json_holds_both_plans_and_the_turning_point(run: Run) -> None:
    usual = json.loads(run(*ARGUMENTS[:5], "--json").out)
    found = json.loads(run(*ARGUMENTS, "--expected-failures", "10", "--json").out)
    guesses = found.pop("guesses")

    assert found == usual
    expected = split_guessing(rows=100_000, share=HALF, target=TARGET, failures=10)
    assert guesses["radius"] == expected.radius <= 0.048
    assert guesses["certificate"]["radius"] == expected.radius
    assert guesses["from"] == "training"
    assert (guesses["rows"], guesses["guessing_rows"], guesses["failures"]) == (50_000, 50_000, 10)
    assert guesses["narrower"] == "guesses"
    assert guesses["plan_narrower_from"] == 23
    best = best_guessing(rows=100_000, target=TARGET, failures=10)
    assert guesses["best_split"]["radius"] == best.radius


@pytest.mark.parametrize(("failures", "narrower"), [(22, "guesses"), (23, "gaussian")])
def test_the_verdict_turns_where_it_says(run: Run, failures: int, narrower: str) -> None:
    found = json.loads(run(*ARGUMENTS, "--expected-failures", str(failures), "--json").out)
    shorter = found["guesses"]["radius"] <= found["radius"]

    assert found["guesses"]["narrower"] == narrower
    assert shorter == (narrower == "guesses")
    assert found["guesses"]["plan_narrower_from"] == 23


@pytest.mark.parametrize(
    ("rows", "questions", "failures", "verdict"),
    [
        (100_000, 1_000, 400, "With so many failures Gaussian noise is narrower, as it is from 23"),
        (100_000, 20, 0, "Guesses are narrower; from the first failure on Gaussian noise is."),
        (100_000, 5, 0, "Here giving every question fresh rows is narrower, even if no guess"),
        (300, 5, 0, "Here cutting answers to bins is narrower, even if no guess fails."),
        (1_000, 1_000, 15, "Only guesses say something here, and from 16 failures on they do not"),
    ],
)
def test_the_verdict_names_the_narrower(
    run: Run, rows: int, questions: int, failures: int, verdict: str
) -> None:
    done = run(
        "plan", "--rows", str(rows), "--questions", str(questions),
        "--guesses", "training", "--expected-failures", str(failures),
    )  # fmt: skip

    assert done.code == 0
    assert f"\n{verdict}" in done.out


def test_where_the_usual_plan_says_nothing_it_is_not_narrower_ever(run: Run) -> None:
    arguments = ("plan", "--rows", "1000", "--questions", "1000", "--guesses", "training")
    found = json.loads(run(*arguments, "--expected-failures", "15", "--json").out)

    assert found["vacuous"] is True
    assert found["guesses"]["vacuous"] is False
    assert found["guesses"]["narrower"] == "guesses"
    assert found["guesses"]["plan_narrower_from"] is None


def test_two_plans_that_say_nothing_are_refused(run: Run) -> None:
    done = run("plan", "--rows", "1000", "--guesses", "training", "--expected-failures", "16")

    assert done.code == 3
    assert "you need n ≥" in done.err


def test_batches_serve_the_usual_plan_only(run: Run) -> None:
    done = run(*ARGUMENTS, "--rounds", "3")
    usual = plan(rows=100_000, target=TARGET, rounds=3)

    assert done.out.startswith(f"±{decimal_up(usual.radius)} for all")
    assert "±0.0249 for the same" in done.out
    assert "giving every round fresh rows" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rows", "9000", "--expected-failures", "3"), "must be used with --guesses"),
        (("--guesses", "training"), "must be used with --rows and without --radius"),
        (("--rows", "9000", "--radius", "0.1", "--guesses", "training"), "without --radius"),
        (("--rows", "9000", "--compare", "--guesses", "training"), "one of --compare and --gu"),
        (("--chains", "--guesses", "training"), "one of --chains and --guesses"),
        (("--chains", "--expected-failures", "1"), "used with --guesses"),
        (("--rows", "9000", "--guesses", "training", "--explain"), "used with --compare"),
        (("--rows", "9000", "--guesses", "training", "--plot", "x.png"), "used with --compare"),
        (("--rows", "1", "--questions", "1", "--guesses", "training"), "rows must be at least 2"),
        (("--rows", "9000", "--guesses", "oracle"), "oracle"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run("plan", *arguments)

    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize("failures", ["-1", "1001"])
def test_no_more_failures_than_questions_can_be_expected(run: Run, failures: str) -> None:
    done = run(*ARGUMENTS, "--expected-failures", failures)

    assert done.code == 2
    assert "--expected-failures must be from 0 to the number of questions, 1,000" in done.err


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("rows", [3_000, 100_000])
def test_if_all_guesses_fail_the_usual_plan_is_narrower(rows: int, confidence: float) -> None:
    for questions in (1, 2, 5, 20, 100, 700):
        target = Target.of(confidence=confidence, questions=questions)
        beside = from_training(rows, target, rounds=None, failures=questions)
        turn = beside.to_dict()["plan_narrower_from"]

        assert beside.guessing.radius > beside.plan.radius
        assert isinstance(turn, int)
        assert turn <= questions
