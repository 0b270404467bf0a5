import struct
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from audit.small import CHECKPOINTS, FEATURES, shrink
from peekproof.audit.demonstration import Climb, Story
from peekproof.audit.figures.demo import draw
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.answer import Answer
from peekproof.core.certificate import Target
from peekproof.core.charge import FREE
from peekproof.core.errors import BudgetExhausted
from peekproof.mechanisms.plan import plan

pytest.importorskip("matplotlib")

CERTIFICATE = plan(rows=2_000, target=Target(confidence=Fraction(9, 10), questions=8)).certificate


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)


def answer(number: int, share: Fraction) -> Answer:
    return Answer(
        question=f"x{number} = y", released=share, certificate=CERTIFICATE, cost=FREE, remaining=0
    )


def a_story(*, strongest: Fraction) -> Story:
    """Claims that nobody made; every feature but the fifth answers one half."""
    shares = {number: Fraction(1, 2) for number in range(1, FEATURES + 1)} | {5: strongest}
    climbs = [
        Climb(
            name=name,
            replies=tuple((size, Reply(value, value - 0.1, value + 0.1)) for size in CHECKPOINTS),
        )
        for name, value in (("plain holdout", 0.83), ("noise only", 0.71), ("Peekproof", 0.52))
    ]
    signals = [answer(number, share) for number, share in shares.items()]
    return Story(
        radius=CERTIFICATE.radius,
        confidence=0.9,
        climbs=tuple(climbs),
        signals=tuple(signals),
        refusal=BudgetExhausted(asked=1, remaining=0, questions=8),
        data=Path("no_signal.parquet"),
        repeated=signals[0],
    )


def words(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_both_files_are_written_and_are_what_they_are_called(tmp_path: Path) -> None:
    png, svg = draw(a_story(strongest=Fraction(9, 10)), tmp_path, seed=4)
    signature, width, height = png.read_bytes()[:8], *struct.unpack(">II", png.read_bytes()[16:24])

    assert sorted(tmp_path.iterdir()) == [png, svg]
    assert (png.name, svg.name) == ("peekproof-demo.png", "peekproof-demo.svg")
    assert signature == b"\x89PNG\r\n\x1a\n"
    assert width > 2 * height > 1_000
    assert svg.stat().st_size > 10_000


def test_the_picture_says_what_the_story_says(tmp_path: Path) -> None:
    _, svg = draw(a_story(strongest=Fraction(9, 10)), tmp_path, seed=4)
    written = words(svg)

    for text in (
        "Data without any signal",
        "Data with one real signal",
        "83%",
        "71%",
        "52%",
        "truth 50%",
        "found: x5",
        "plain holdout, textbook interval",
        "noisy answer, interval for the noise only",
        "Peekproof, interval for the population",
    ):
        assert written.count(text) == 1
    (caption,) = (text for text in written if "--seed" in text)
    assert caption.startswith(
        "600 rows, 8 features; textbook and noise intervals 95% each, Peekproof's 90%"
    )
    assert caption.endswith("peekproof demo --seed 4")


def test_nothing_found_is_drawn_as_nothing_found(tmp_path: Path) -> None:
    _, svg = draw(a_story(strongest=Fraction(1, 2)), tmp_path, seed=4)

    assert not any("found" in text for text in words(svg))


def test_the_same_story_gives_the_same_bytes_over_what_was_there(tmp_path: Path) -> None:
    told = a_story(strongest=Fraction(9, 10))
    first = [path.read_bytes() for path in draw(told, tmp_path, seed=4)]
    again = [path.read_bytes() for path in draw(told, tmp_path, seed=4)]
    other = [path.read_bytes() for path in draw(told, tmp_path, seed=5)]

    assert first == again
    assert all(before != after for before, after in zip(first, other, strict=True))
