import json
from pathlib import Path

import pytest

from cli.running import Run

SMALL = ("--rows", "10", "--questions", "10", "--samples", "2", "--repeats", "3")


def test_a_table_and_a_verdict(run: Run) -> None:
    done = run("monitor", "--mechanism", "half-noise", *SMALL)
    lines = done.out.splitlines()

    assert (done.code, done.err) == (0, "")
    assert lines[0] == (
        "correlation against half-noise: 10 rows, up to 10 questions, 6 conversations, one of "
        "every 2 picked."
    )
    assert lines[1].split() == ["overfitting", "mean", "between", "allowed", "by", "verdict"]
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        "every conversation",
        "pick by answers",
        "pick by scores",
        "error of answers",
    ]
    assert lines[6] == "No sign that half-noise overfits more than it claims to allow."


def test_json_holds_every_option_and_repeats(run: Run) -> None:
    words = (
        "monitor", "--json", "--mechanism", "noise", "--attack", "boosting", *SMALL,
        "--epsilon", "1/2", "--confidence", "0.9", "--level", "0.01", "--seed", "7",
    )  # fmt: skip
    done, again = run(*words), run(*words)
    found = json.loads(done.out)

    assert (done.code, done.err) == (0, "")
    assert done.out == again.out
    assert found["mechanism"] == "noise"
    assert found["analyst"] == "boosting"
    for name, value in (
        ("rows", 10), ("samples", 2), ("repeats", 3), ("epsilon", 0.5), ("confidence", 0.9),
        ("level", 0.01), ("seed", 7), ("flagged", False),
    ):  # fmt: skip
        assert found[name] == value
    assert [each["count"] for each in found["measures"]] == [6, 3, 3, 6]


def test_a_certified_session_is_held_to_its_own_promise(run: Run) -> None:
    done = run("monitor", "--json", "--questions", "5", "--samples", "2", "--repeats", "2")
    found = json.loads(done.out)

    assert (done.code, done.err) == (0, "")
    assert found["mechanism"] == "gaussian"
    assert found["claim"].keys() == {"mu_squared"}
    named = [set(each["allowances"]) for each in found["measures"]]
    assert named == [
        {"T-monitor", "T-monitor-drift"},
        {"T-monitor", "T-monitor-drift"},
        {"T-monitor", "T-monitor-drift-choice"},
        {"the certificate"},
    ]


def test_a_picture_can_be_drawn(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "found.svg"
    done = run("monitor", "--mechanism", "noise", *SMALL, "--plot", str(picture))

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"Figure: {picture}"
    assert "peekproof monitor --attack correlation --mechanism noise" in picture.read_text()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--epsilon", "0"),
        ("--epsilon", "much"),
        ("--level", "2"),
        ("--confidence", "1"),
        ("--samples", "0"),
        ("--mechanism", "prayer"),
        ("--attack", "charm"),
        ("--questions", "1"),
        ("--plot", "found.txt"),
    ],
)
def test_bad_options_are_named(run: Run, option: str, value: str) -> None:
    done = run("monitor", "--mechanism", "noise", *SMALL, option, value)

    assert (done.code, done.out) == (2, "")
    assert option.lstrip("-") in done.err


def test_a_session_that_would_promise_nothing_is_refused(run: Run) -> None:
    done = run("monitor", *SMALL)

    assert (done.code, done.out) == (3, "")
    assert "rows" in done.err


def test_more_than_memory_holds_is_refused(run: Run) -> None:
    done = run("monitor", "--rows", "99999999999")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rows times questions must be at most")
