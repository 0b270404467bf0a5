import json
from itertools import pairwise
from pathlib import Path

import pytest

from cli.running import Run

ACCOUNTANTS = ["PLD", "numerical", "optimal", "Rényi", "zCDP", "advanced", "basic"]


def test_every_theorem_is_compared_in_one_table(run: Run) -> None:
    done = run("account", "compose", "1,000 * laplace(scale=100)")
    lines = done.out.splitlines()

    assert (done.code, done.err) == (0, "")
    assert lines[0] == "1,000 answers at delta 1e-06, the tightest bound first:"
    assert [line.split()[1] for line in lines[2:]] == ACCOUNTANTS
    epsilons = [float(line.split()[0]) for line in lines[2:]]
    assert epsilons == sorted(epsilons)
    assert 1.3629 < epsilons[0] < epsilons[2] < 1.3655
    assert epsilons[-1] == 10


def test_events_from_a_file_are_those_of_the_arguments(run: Run, tmp_path: Path) -> None:
    (tmp_path / "events.txt").write_text(
        "# two kinds\n\n20 x laplace(10)\ngaussian(sigma=5) # one\n"
    )
    from_file = run("account", "compose", "--file", str(tmp_path / "events.txt"), "--json")
    given = run(
        "account", "compose", "gaussian(5)", "20*laplace(scale=10, sensitivity=1)", "--json"
    )

    assert json.loads(from_file.out) == json.loads(given.out)
    assert json.loads(given.out)["answers"] == 21
    assert json.loads(given.out)["neighbours"] == "replace one record"


def test_the_way_back_gives_at_most_the_delta_it_came_from(run: Run) -> None:
    there = json.loads(run("account", "compose", "50 * gaussian(20)", "--json").out)
    epsilons = {row["accountant"]: row["epsilon"] for row in there["bounds"]}
    exact = epsilons["Gaussian, exact"]
    back = json.loads(
        run("account", "compose", "50*gaussian(20)", "--epsilon", str(exact), "--json").out
    )
    deltas = {row["accountant"]: row["delta"] for row in back["bounds"]}

    assert deltas["Gaussian, exact"] == pytest.approx(1e-6, rel=1e-9)
    assert deltas["zCDP"] > 2e-6


def test_poisson_samples_state_their_own_relation(run: Run) -> None:
    sampled = json.loads(run("account", "compose", "sampled-gaussian(1, 0.01)", "--json").out)
    mixed = run("account", "compose", "sampled-gaussian(1, 0.01)", "gaussian(3)")
    stated = run(
        "account", "compose", "sampled-gaussian(1, 0.01)", "gaussian(3)",
        "--neighbours", "add-or-remove", "--json",
    )  # fmt: skip

    assert sampled["neighbours"] == "add or remove one record"
    assert {row["accountant"] for row in sampled["bounds"]} == {"PLD", "moments"}
    assert (mixed.code, "one neighbouring relation" in mixed.err) == (2, True)
    assert stated.code == 0


def test_growth_shows_every_theorem_at_every_power_of_ten(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "growth.svg"
    done = run("account", "growth", "pure(epsilon=0.1)", "--most", "1000", "--plot", str(picture))
    lines = done.out.splitlines()

    assert done.code == 0
    assert [line.split()[0] for line in lines[2:6]] == ["1", "10", "100", "1,000"]
    assert float(lines[5].split()[-1]) == 100  # basic: Σε, the largest
    assert "<svg" in picture.read_text()
    assert lines[-1] == f"Figure: {picture}"


def test_growth_in_json_is_the_curves(run: Run) -> None:
    found = json.loads(run("account", "growth", "gaussian(10)", "--most", "20", "--json").out)

    assert set(found["curves"]) == {"zCDP", "Rényi", "Gaussian, exact", "numerical"}
    assert [count for count, _ in found["curves"]["zCDP"]] == [1, 2, 3, 5, 10, 20]


def test_conversions_name_their_theorems(run: Run) -> None:
    found = json.loads(run("account", "convert", "pure(epsilon=1)", "--json").out)
    by_theorem = {row["theorem"]: row for row in found["implies"]}

    assert by_theorem["T-pure-zcdp-sharp"]["rho"] == pytest.approx(0.46211715726, rel=1e-9)
    assert by_theorem["T-pure-tv"]["distance"] == pytest.approx(0.46211715726, rel=1e-9)
    assert by_theorem["T-pure-rdp"]["order"] == 2
    for loss in (
        "approximate(1, 1e-9)",
        "zcdp(0.1)",
        "rdp(order=3, epsilon=1)",
        "tv(0.1)",
        "gdp(1)",
    ):
        done = run("account", "convert", loss)
        assert (done.code, "T-" in done.out) == (0, True)


def test_calibration_gives_the_known_noise(run: Run) -> None:
    target = ("--epsilon", "1", "--delta", "1e-6")
    gaussian = json.loads(
        run("account", "calibrate", "gaussian", *target, "--count", "1000", "--json").out
    )
    laplace = json.loads(run("account", "calibrate", "laplace", "--epsilon", "1/2", "--json").out)
    fits = json.loads(
        run("account", "calibrate", "gaussian", *target, "--size", "133.597", "--json").out
    )

    assert gaussian["sigma"] == pytest.approx(133.596, abs=1e-3)
    assert laplace["scale"] == 2
    assert fits["answers"] == 1000
    for noise in ("laplace", "discrete-gaussian"):
        done = run("account", "calibrate", noise, *target, "--size", "50")
        assert (done.code, "answers with" in done.out) == (0, True)
        assert run("account", "calibrate", noise, *target, "--count", "7").code == 0


def test_the_comparison_tables_have_the_powers_of_the_notes(run: Run) -> None:
    found = json.loads(run("account", "tables", "--json").out)
    dimensions, answers = found["dimensions"], found["answers"]

    for less, more in pairwise(dimensions):
        assert more["laplace"] / less["laplace"] == pytest.approx(10**1.5, rel=1e-9)
        assert more["gaussian"] / less["gaussian"] == pytest.approx(10, rel=1e-6)
    for less, more in pairwise(answers[2:]):
        assert more["basic"] / less["basic"] == pytest.approx(10, rel=1e-9)
        assert more["advanced"] / less["advanced"] == pytest.approx(10**0.5, rel=0.02)
        assert more["gaussian"] / less["gaussian"] == pytest.approx(10**0.5, rel=1e-6)
    assert "K^1.5 against K" in run("account", "tables").out


def test_loss_variables_are_listed_and_drawn(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "loss.png"
    done = run("account", "loss", "laplace(1)", "gaussian(1)", "pure(1)", "--plot", str(picture))
    found = json.loads(run("account", "loss", "laplace(1)", "--json").out)

    assert done.code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert found["losses"][0]["mean"] == pytest.approx(0.36787944, abs=1e-8)  # e^−1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("compose",), "events must be at least one"),
        (("compose", "laplac(1)"), "did you mean laplace?"),
        (("compose", "laplace(nan)"), "scale must be a number"),
        (("compose", "laplace(0)"), "scale must be a positive Fraction"),
        (("compose", "laplace()"), "laplace must be given scale"),
        (("compose", "laplace(1, 2, 3)"), "laplace must be given scale, sensitivity, each once"),
        (("compose", "0 * laplace(1)"), "count must be an integer of at least 1"),
        (("compose", "laplace(1)", "--delta", "0"), "events must be covered"),
        (("compose", "laplace(1)", "--delta", "1e-6x"), "--delta must be a number"),
        (("compose", "zcdp(1)", "approximate(1, 1e-9)"), "events must be covered"),
        (("compose", "--file", "nowhere.txt"), "--file must be a text file"),
        (("convert", "pure(1)", "--order", "1"), "order must be a Fraction above 1"),
        (("convert", "nonsense"), "loss must be one of"),
        (("calibrate", "gaussian", "--epsilon", "1"), "--delta must be given"),
        (("calibrate", "laplace", "--epsilon", "0"), "epsilon must be a positive Fraction"),
        (("growth", "laplace(1)", "--plot", "x.jpg"), "--plot must be a .png"),
        (("loss", "zcdp(1)"), "event must be laplace, gaussian or pure"),
    ],
)
def test_bad_input_is_explained(run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    done = run("account", *arguments)

    assert (done.code, done.out) == (2, "")
    assert complaint in done.err
