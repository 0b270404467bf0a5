import json
import re
from math import fsum

import pytest

import peekproof
from cli.running import Run
from peekproof.core.certificate import Target

FEEDBACK = re.compile(r"n ≥ ([\d,]+)(?: or at most ([\d,]+) questions)?")


def radius(*, rows: int, questions: int, confidence: float = 0.95) -> float:
    target = Target.of(confidence=confidence, questions=questions)
    return peekproof.plan(rows=rows, target=target).radius


def printed_radius(out: str) -> float:
    found = re.match(r"±(\d+\.\d+) ", out)
    assert found is not None
    return float(found[1])


def test_the_promised_radius_for_a_thousand_questions(run: Run) -> None:
    done = run("plan", "--rows", "100000", "--questions", "1000", "--confidence", "0.95", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (0, "")
    assert found["rows"] == 100_000
    assert found["questions"] == 1_000
    assert found["confidence"] == 0.95
    assert found["vacuous"] is False
    assert found["radius"] == radius(rows=100_000, questions=1_000)
    assert found["radius"] <= 0.0640


def test_the_certificate_in_json_adds_up(run: Run) -> None:
    found = json.loads(run("plan", "--rows", "3000", "--questions", "70", "--json").out)
    certificate = found["certificate"]
    parts = [part["radius"] for part in certificate["parts"]]

    assert certificate["radius"] == found["radius"]
    assert certificate["radius"] == pytest.approx(fsum(parts), rel=1e-15)
    assert len(parts) == 3
    assert certificate["assumptions"]
    assert {part["theorem"] for part in certificate["parts"]} < {
        line.partition(":")[0] for line in certificate["citations"]
    }


def test_the_printed_radius_is_the_planned_one(run: Run) -> None:
    done = run("plan", "--rows", "20000", "--questions", "50", "--confidence", "0.9")

    assert (done.code, done.err) == (0, "")
    expected = radius(rows=20_000, questions=50, confidence=0.9)
    assert printed_radius(done.out) == pytest.approx(expected, abs=1e-4)
    assert "50 adaptively chosen questions" in done.out
    assert "20,000 rows" in done.out
    assert "confidence 0.9\n" in done.out
    for theorem in ("T-noise", "T-drift-gauss", "T-rounding"):
        assert theorem in done.out


@pytest.mark.parametrize("rows", ["100000", "4000", "1000000000000"])
def test_the_printed_radius_is_never_below_the_planned_one(run: Run, rows: str) -> None:
    exact = json.loads(run("plan", "--rows", rows, "--json").out)["radius"]
    shown = printed_radius(run("plan", "--rows", rows).out)

    assert exact <= shown < exact + 1e-4


def test_the_printed_confidence_is_never_above_the_promised_one(run: Run) -> None:
    said = run("plan", "--rows", "100000", "--confidence", "0.999999999").out
    refused = run("plan", "--rows", "10", "--confidence", "0.999999999").err

    assert "confidence 0.999999999\n" in said
    assert "confidence 0.999999999 would" in refused


def test_rows_alone_plan_for_the_default_of_a_session(run: Run) -> None:
    alone = json.loads(run("plan", "--rows", "50000", "--json").out)

    assert alone["questions"] == 1_000
    assert alone["confidence"] == 0.95


def test_rows_and_radius_give_the_most_questions(run: Run) -> None:
    done = run("plan", "--rows", "20000", "--radius", "0.1", "--json")
    most = json.loads(done.out)["questions"]

    assert done.code == 0
    assert radius(rows=20_000, questions=most) <= 0.1 < radius(rows=20_000, questions=most + 1)


def test_questions_and_radius_give_the_fewest_rows(run: Run) -> None:
    done = run("plan", "--questions", "20", "--radius", "0.1", "--confidence", "0.8", "--json")
    fewest = json.loads(done.out)["rows"]

    assert done.code == 0
    assert radius(rows=fewest, questions=20, confidence=0.8) <= 0.1
    assert radius(rows=fewest - 1, questions=20, confidence=0.8) > 0.1


def test_the_advice_of_a_refusal_works_and_is_tight(run: Run) -> None:
    done = run("plan", "--rows", "100", "--questions", "1000")
    advice = FEEDBACK.search(done.err)
    assert advice is not None
    rows, questions = (int(number.replace(",", "")) for number in advice.groups())

    assert (done.code, done.out) == (3, "")
    assert run("plan", "--rows", f"{rows}", "--questions", "1000").code == 0
    assert run("plan", "--rows", f"{rows - 1}", "--questions", "1000").code == 3
    assert run("plan", "--rows", "100", "--questions", f"{questions}").code == 0
    assert run("plan", "--rows", "100", "--questions", f"{questions + 1}").code == 3


def test_the_advice_for_a_radius_out_of_reach_works_and_is_tight(run: Run) -> None:
    done = run("plan", "--rows", "100", "--radius", "0.05")
    advice = FEEDBACK.search(done.err)
    assert advice is not None
    rows = int(advice[1].replace(",", ""))

    assert (done.code, done.out) == (3, "")
    assert advice[2] is None
    assert run("plan", "--rows", f"{rows}", "--radius", "0.05").code == 0
    assert run("plan", "--rows", f"{rows - 1}", "--radius", "0.05").code == 3


def test_a_refusal_in_json_has_the_same_advice(run: Run) -> None:
    said = run("plan", "--rows", "100").err
    done = run("plan", "--rows", "100", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (3, "")
    assert found["error"] == "VacuousPlan"
    assert found["message"] == said.rstrip("\n")
    assert f"n ≥ {found['fields']['rows_needed']:,}" in said
    assert f"at most {found['fields']['questions_affordable']:,} questions" in said
    assert found["fields"]["confidence"] == 0.95


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("", "none of them"),
        ("--questions 5", "--questions"),
        ("--radius 0.1", "--radius"),
        ("--confidence 0.9", "none of them"),
        ("--rows 10 --questions 5 --radius 0.1", "--rows and --questions and --radius"),
    ],
)
def test_too_few_or_too_many_options_are_named(run: Run, arguments: str, given: str) -> None:
    done = run("plan", *arguments.split())

    assert (done.code, done.out) == (2, "")
    assert "two of --rows, --questions and --radius" in done.err
    assert done.err.endswith(f"got {given}\n")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--rows 1000 --confidence 1.5", "confidence"),
        ("--rows 1000 --confidence 1", "confidence"),
        ("--rows 1000 --confidence nan", "confidence"),
        ("--rows 1000 --confidence 1.5 --radius 0.1", "confidence"),
        ("--questions 5 --confidence 0 --radius 0.1", "confidence"),
        ("--rows 1000 --questions 0", "questions"),
        ("--questions 0 --radius 0.1", "questions"),
        ("--rows -5", "rows"),
        ("--rows 0 --radius 0.1", "rows"),
        ("--rows 1000 --radius 0.9", "radius"),
        ("--rows 1000 --radius nan", "radius"),
        ("--questions 5 --radius nan", "radius"),
        ("--questions 5 --radius -0.1", "radius"),
        ("--questions 5 --radius inf", "radius"),
        ("--questions 5 --radius 1e-12", "radius"),
    ],
)
def test_a_value_out_of_range_is_named_with_what_was_given(
    run: Run, arguments: str, named: str
) -> None:
    words = arguments.split()
    given = float(words[words.index(f"--{named}") + 1])
    done = run("plan", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{named} must be ")
    assert re.search(rf"got {re.escape(f'{given:g}')}(\.0)?[;\n]", done.err)


def test_words_for_numbers_are_a_usage_error(run: Run) -> None:
    done = run("plan", "--rows", "many")

    assert (done.code, done.out) == (2, "")
    assert "--rows" in done.err
    assert "'many'" in done.err


@pytest.mark.parametrize(
    "given",
    [
        "--rows 66230 --questions 1000",
        "--rows 66230 --radius 0.02",
        "--questions 1000 --radius 0.02",
    ],
)
def test_known_rounds_are_planned_for(run: Run, given: str) -> None:
    # √(ln(2·1000/0.05)/(2·13246)) = 0.02000; fewer rows or more questions would exceed it.
    done = run("plan", *given.split(), "--rounds", "5", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (0, "")
    assert found["mechanism"] == {"kind": "fresh-rows", "rounds": 5}
    assert found["radius"] == pytest.approx(0.02, rel=1e-4)
    assert found["rows"] == 66230
    assert "in 5 adaptively chosen rounds" in run("plan", *given.split(), "--rounds", "5").out


def test_more_rounds_than_questions_are_refused(run: Run) -> None:
    done = run("plan", "--rows", "100000", "--questions", "5", "--rounds", "6")

    assert done.code == 2
    assert "rounds must be at most the number of questions, 5" in done.err
