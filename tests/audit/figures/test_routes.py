"""The pictures of routes and chains: every line named, ours bold, nothing hidden."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from peekproof.audit.figures.chains import draw_chains
from peekproof.audit.figures.routes import DRAWN, draw_routes
from peekproof.audit.growth import RowsNeeded
from peekproof.audit.routes import OURS, REFERENCE, quotes
from peekproof.core.certificate import Target

pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"


def curves() -> dict[str, list[tuple[int, float]]]:
    """Made-up radii, a line a route, some of which end in 1."""
    return {
        route: [(1, 0.01 * number), (30, min(1.0, 0.02 * number)), (1000, min(1.0, 0.1 * number))]
        for number, route in enumerate(DRAWN, 1)
    }


def draw(path: Path, *, command: str = "peekproof plan", without: tuple[str, ...] = ()) -> Path:
    kept = {route: curve for route, curve in curves().items() if route not in without}
    return draw_routes(kept, path, rows=5000, confidence=0.9, command=command)


def words(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def widths(path: Path) -> list[float]:
    """The widths of all lines, in points."""
    text = path.read_text(encoding="utf-8")
    return [float(width) for width in re.findall(r"stroke-width: ([0-9.]+)", text)]


def test_every_route_that_is_quoted_has_a_line() -> None:
    target = Target.of(confidence=0.95, questions=10)
    quoted = {quote.route for quote in quotes(rows=1000, target=target, rounds=2)}

    assert set(DRAWN) == quoted
    assert len(DRAWN) == len(quoted)


def test_files_are_what_they_are_called(tmp_path: Path) -> None:
    png, pdf = (draw(tmp_path / name) for name in ("routes.png", "routes.pdf"))
    width, height = struct.unpack(">II", png.read_bytes()[16:24])

    assert png.read_bytes().startswith(b"\x89PNG")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert width > height > 800


def test_the_picture_names_every_route_and_the_region_that_says_nothing(tmp_path: Path) -> None:
    written = words(draw(tmp_path / "routes.svg", command="peekproof plan --compare"))

    for route in DRAWN:
        # Two lines are also named where they are drawn.
        assert written.count(route) == (2 if route in (OURS, REFERENCE) else 1)
    assert "says nothing: radius ≥ 0.5" in written
    assert "5,000 rows, confidence 0.9: the radius that each route promises" in written
    assert "peekproof plan --compare" in written


def test_our_line_is_the_widest(tmp_path: Path) -> None:
    drawn = widths(draw(tmp_path / "routes.svg"))
    without = widths(draw(tmp_path / "without.svg", without=(OURS,)))

    assert drawn.count(max(drawn)) == 2  # the line and its place in the legend
    assert max(without) < 0.75 * max(drawn)


def test_a_route_that_is_absent_is_not_named(tmp_path: Path) -> None:
    written = words(draw(tmp_path / "routes.svg", without=(REFERENCE, OURS)))

    assert REFERENCE not in written
    assert OURS not in written


def test_a_radius_beyond_use_is_not_named_on_its_line(tmp_path: Path) -> None:
    vacuous = {OURS: [(1, 0.6), (30, 0.9), (1000, 1.0)]}
    path = draw_routes(vacuous, tmp_path / "x.svg", rows=5, confidence=0.9, command="x")

    assert words(path).count(OURS) == 1


def test_the_same_curves_give_the_same_bytes(tmp_path: Path) -> None:
    first = draw(tmp_path / "a.svg").read_bytes()

    assert draw(tmp_path / "b.svg").read_bytes() == first
    assert draw(tmp_path / "c.svg", command="other").read_bytes() != first


def needed(questions: int, one_by_variation: int | None) -> RowsNeeded:
    return RowsNeeded(
        questions=questions,
        average_by_variation=100 * questions,
        average_by_privacy=200,
        one_by_variation=one_by_variation,
        one_by_privacy=10**5 * questions,
        certified=300,
    )


def test_chains_are_named_with_what_they_do_not_promise(tmp_path: Path) -> None:
    rows = [needed(1, 10**4), needed(10, 10**6)]
    path = draw_chains(rows, tmp_path / "x.svg", radius=0.1, confidence=0.9, command="peekproof x")
    written = words(path)

    for label in (
        "one question, TV added: k²",
        "one question, private: k",
        "on average, TV added: k",
        "on average, private: √k",
        "Peekproof, all answers together: √k",
        "Rows for ±0.1: what grows like k, and what like √k",
        "peekproof x",
    ):
        assert written.count(label) == 1
    assert any("are not simultaneous and certify nothing" in text for text in written)
    drawn = widths(path)
    assert drawn.count(max(drawn)) == 2


def test_a_chain_beyond_reach_is_not_drawn(tmp_path: Path) -> None:
    rows = [needed(1, None), needed(10, None)]
    path = draw_chains(rows, tmp_path / "x.svg", radius=0.1, confidence=0.9, command="x")

    assert "one question, TV added: k²" not in words(path)
