"""`peekproof plan --compare` and `--chains`: what they print, draw and refuse."""

import json
import re
from pathlib import Path

import pytest

from cli.running import Run
from peekproof.audit.growth import growth
from peekproof.audit.routes import OURS, REFERENCE, ROUNDS, SPLIT, TRUNCATION, quotes
from peekproof.cli import plan
from peekproof.core.certificate import Target


@pytest.fixture(autouse=True)
def _few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "COUNTS", (1, 10, 1000))
    monkeypatch.setattr(plan, "CHAIN_COUNTS", (1, 100))


def table(out: str) -> list[tuple[str, float, str]]:
    """Mark, radius and what follows, of every row."""
    found = re.findall(r"^(.)  (\d\.\d{4})  (.*)$", out, re.M)
    return [(mark, float(radius), rest) for mark, radius, rest in found]


def compared(rows: int, questions: int, rounds: int | None = None) -> list[str]:
    target = Target.of(confidence=0.95, questions=questions)
    return [quote.route for quote in quotes(rows=rows, target=target, rounds=rounds)]


def test_every_route_is_printed_in_order_and_one_is_taken(run: Run) -> None:
    done = run("plan", "--rows", "100000", "--compare")
    rows = table(done.out)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Radius for 1,000 adaptively chosen questions on 100,000 rows")
    expected = compared(100_000, 1000)
    assert len(rows) == len(expected) == 19
    for (_, _, rest), route in zip(rows, expected, strict=True):
        assert rest.startswith(f"{route} ")
    assert rows[0][0] == "→"
    assert [mark for mark, _, _ in rows].count("→") == 1
    assert [rest.partition("  ")[0] for mark, _, rest in rows if mark == "·"] == [TRUNCATION, SPLIT]
    assert [mark for mark, _, _ in rows[-3:]] == ["✗"] * 3
    assert "(only if nothing adapts)" in rows[-1][2]
    assert "T-joint-variance, T-noise, T-drift-gauss, T-rounding" in rows[0][2]
    assert "sigma 0.00714" in rows[0][2]


def test_the_printed_radius_is_not_below_the_quoted_one(run: Run) -> None:
    printed = table(run("plan", "--rows", "5000", "--questions", "20", "--compare").out)
    target = Target.of(confidence=0.95, questions=20)
    exact = [quote.radius for quote in quotes(rows=5000, target=target)]

    for (_, shown, _), radius in zip(printed, exact, strict=True):
        assert radius <= shown < radius + 1e-4


@pytest.mark.parametrize(("questions", "best"), [("8", SPLIT), ("10", OURS)])
def test_the_mark_moves_to_what_is_best_to_run(run: Run, questions: str, best: str) -> None:
    done = run("plan", "--rows", "100000", "--questions", questions, "--compare")

    assert [rest.partition("  ")[0] for mark, _, rest in table(done.out) if mark == "→"] == [best]


def test_known_rounds_add_a_route_that_shares_fresh_rows(run: Run) -> None:
    done = run("plan", "--rows", "100000", "--compare", "--rounds", "5", "--json")
    found = json.loads(done.out)
    added = next(quote for quote in found["quotes"] if quote["route"] == ROUNDS)

    assert (found["rounds"], found["taken"]) == (5, ROUNDS)
    assert added["parameters"] == {"rounds": 5, "rows_per_round": 20_000}
    assert added["radius"] < 0.02


def test_where_nothing_says_anything_nothing_is_marked(run: Run) -> None:
    done = run("plan", "--rows", "100", "--compare")

    assert done.code == 0
    assert "→" not in done.out
    assert "No route that a session can run says anything here" in done.out
    assert "does not apply" in done.out


def test_explain_says_why_for_every_route(run: Run) -> None:
    plain = run("plan", "--rows", "3000", "--compare").out
    explained = run("plan", "--rows", "3000", "--compare", "--explain").out
    target = Target.of(confidence=0.95, questions=1000)

    assert explained.startswith(plain)
    for quote in quotes(rows=3000, target=target):
        assert f"{quote.route}: {quote.why}\n" in explained
        assert quote.why not in plain


def test_json_has_every_route_with_its_numbers(run: Run) -> None:
    done = run("plan", "--rows", "1000", "--questions", "10", "--confidence", "0.9", "--compare",
               "--json")  # fmt: skip
    found = json.loads(done.out)
    target = Target.of(confidence=0.9, questions=10)
    exact = quotes(rows=1000, target=target)

    assert (done.code, done.err) == (0, "")
    assert found["quotes"] == [json.loads(json.dumps(quote.to_dict())) for quote in exact]
    assert (found["rows"], found["questions"], found["confidence"]) == (1000, 10, 0.9)
    assert found["rounds"] is None
    assert found["taken"] == TRUNCATION
    assert found["quotes"][-1]["route"] == REFERENCE
    assert found["quotes"][-1]["simultaneous"] is False


@pytest.mark.parametrize("rounds", ["", " --rounds 3"])
def test_the_comparison_is_drawn(run: Run, tmp_path: Path, rounds: str) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "routes.svg"
    done = run("plan", "--rows", "3000", "--compare", *rounds.split(), "--plot", str(picture))

    assert (done.code, done.err) == (0, "")
    assert f"Figure: {picture}" in done.out
    drawn = picture.read_text(encoding="utf-8")
    assert f"peekproof plan --rows 3000 --compare --confidence 0.95{rounds} --plot FILE" in drawn
    assert (ROUNDS in drawn) == bool(rounds)


def test_chains_show_the_rows_needed_and_what_they_do_not_promise(run: Run) -> None:
    done = run("plan", "--chains", "--radius", "0.2", "--confidence", "0.9")
    found = growth(target=Target.of(confidence=0.9, questions=100), radius=0.2)

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Rows needed for ±0.2")
    (row,) = re.findall(r"^100 .*$", done.out, re.M)
    assert row.split() == [f"{number:,}" for number in found.to_dict().values()]
    assert "not simultaneous" in done.out
    assert "Only the last column holds for all answers together" in done.out


def test_chains_in_json_and_beyond_reach(run: Run) -> None:
    found = json.loads(run("plan", "--chains", "--radius", "1e-6", "--json").out)
    shown = run("plan", "--chains", "--radius", "1e-6").out

    assert (found["radius"], found["confidence"]) == (1e-6, 0.95)
    assert [row["questions"] for row in found["rows_needed"]] == [1, 100]
    assert found["rows_needed"][1]["one_by_variation"] is None
    assert "over 10^18" in shown


def test_chains_are_drawn(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "chains.png"
    done = run("plan", "--chains", "--plot", str(picture))

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Rows needed for ±0.1")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_page_shows_what_the_command_prints(run: Run) -> None:
    page = Path(__file__).parents[2] / "docs/how-to/compare-routes.md"
    (block,) = re.findall(r"^```console\n\$ peekproof (.*?)^```", page.read_text(), re.M | re.S)
    command, _, printed = block.partition("\n")
    shown = run(*command.split()).out.splitlines()
    lines = [line for line in printed.splitlines() if line.strip() != "…"]

    assert len(lines) == 8
    assert [line for line in lines if line not in shown] == []
    in_rounds = run("plan", "--rows", "100000", "--compare", "--rounds", "5").out
    assert f"0.0163  {ROUNDS}" in in_rounds
    assert f"{ROUNDS}: 0.0163" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--compare", "--compare must be used with --rows"),
        ("--rows 100 --radius 0.1 --compare", "--compare must be used with --rows and without"),
        ("--rows 100 --explain", "--explain must be used with --compare"),
        ("--rows 100 --plot x.png", "--plot must be used with --compare or --chains"),
        ("--chains --rounds 3", "--rounds must be used with --compare, got --rounds with --chains"),
        ("--chains --explain", "--explain must be used with --compare"),
        ("--chains --rows 10", "--chains must be used without --rows"),
        ("--chains --questions 10", "--chains must be used without --rows and --questions"),
        ("--chains --compare", "the options must be one of --compare and --chains"),
        ("--chains --radius 0.7", "radius must be at most 0.5"),
        ("--chains --radius nan", "radius must be a finite number"),
        ("--chains --confidence 2", "confidence must be"),
        ("--rows 100 --compare --plot x.jpg", "--plot must be a .png"),
        ("--chains --plot nowhere/x.png", "--plot must be a .png"),
        ("--rows 100 --questions 5 --compare --rounds 6", "rounds must be at most the number"),
        ("--rows 100 --compare --rounds 0", "rounds must be an integer of at least 1"),
        ("--rows 0 --compare", "rows must be an integer of at least 1"),
    ],
)
def test_options_that_do_not_fit_are_named(run: Run, arguments: str, complaint: str) -> None:
    done = run("plan", *arguments.split())

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(complaint)
