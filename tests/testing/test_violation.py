"""What a broken law raises."""

import pytest

from peekproof.testing.statistics import Violation, require


def test_what_holds_is_silent() -> None:
    for holds in (True, 1, [0], "no"):
        require(holds, "unused")


@pytest.mark.parametrize("holds", [False, None, 0, [], ""])
def test_what_does_not_is_shown_by_every_runner(holds: object) -> None:
    with pytest.raises(Violation, match=r"^ε fell$") as caught:
        require(holds, "ε fell")
    assert isinstance(caught.value, AssertionError)
