"""The two outcomes of a gate are values with their own type."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from peekproof.accounting.filters import Admitted, Refused
from peekproof.core.charge import GDP

ONE = GDP(Fraction(1))


def test_admission_and_refusal_are_never_equal() -> None:
    assert Admitted(ONE) == Admitted(ONE)
    assert Refused(ONE) == Refused(ONE)
    assert len({Admitted(ONE), Refused(ONE)}) == 2


def test_an_outcome_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Admitted(ONE).spent = ONE  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Refused(ONE).limit = ONE  # type: ignore[misc]
