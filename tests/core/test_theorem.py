"""The registry refuses claims without proviso, source or a key of their own."""

import re

import pytest

from peekproof.accounting import filters
from peekproof.core import theorem as registry
from peekproof.core.theorem import SOURCES, Theorem, lookup, registered, theorem
from peekproof.theory.generalization import drift, gaussian, noise

PROVIDERS = (filters, drift, gaussian, noise)  # imported so that their theorems register


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Theorems made up here must not reach the tests that list the real ones."""
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))


def claim() -> int:
    """One.

    Holds when: the moon
    is full.
    Rounds: not at all.
    """
    return 1


def rival() -> None:
    """Two.

    Holds when: always.
    """


def without_proviso() -> None:
    """Something."""


def with_two_provisos() -> None:
    """Something.

    Holds when: so.
    Holds when: also so.
    """


def without_statement() -> None:
    """Holds when: always."""


def test_a_claim_is_registered_and_stays_the_function_it_was() -> None:
    assert theorem("T-moon", "peekproof", "Full moons")(claim) is claim
    assert lookup("T-moon") == Theorem(
        key="T-moon",
        source="peekproof",
        locator="Full moons",
        statement="One.",
        holds_when="the moon is full.",
        function=f"{__name__}.claim",
    )
    assert lookup("T-moon").citation == f"{SOURCES['peekproof']} (Full moons)"
    assert lookup("T-moon") in registered()


def test_a_module_may_be_imported_again() -> None:
    theorem("T-moon", "peekproof", "Full moons")(claim)
    theorem("T-moon", "peekproof", "Full moons, revised")(claim)

    assert lookup("T-moon").locator == "Full moons, revised"


def test_a_key_is_used_once() -> None:
    theorem("T-moon", "peekproof", "Full moons")(claim)
    with pytest.raises(TypeError, match=r"^theorem T-moon is registered twice$"):
        theorem("T-moon", "peekproof", "Full moons")(rival)

    assert lookup("T-moon").statement == "One."


@pytest.mark.parametrize("function", [without_proviso, with_two_provisos, lambda: None])
def test_a_claim_has_exactly_one_proviso(function: object) -> None:
    with pytest.raises(TypeError, match=r"needs a docstring with one 'Holds when:' paragraph$"):
        theorem("T-moon", "peekproof", "Full moons")(function)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        lookup("T-moon")


def test_a_claim_has_a_statement() -> None:
    with pytest.raises(TypeError):
        theorem("T-moon", "peekproof", "Full moons")(without_statement)


def test_a_source_is_known() -> None:
    with pytest.raises(TypeError, match=r"claim cites an unknown source 'hearsay'$"):
        theorem("T-moon", "hearsay", "Full moons")(claim)
    with pytest.raises(KeyError):
        lookup("T-moon")


def test_the_real_theorems_are_complete() -> None:
    assert {found.key for found in registered()} >= {
        "T-clock",
        "T-drift-gauss",
        "T-drift-mean",
        "T-joint",
        "T-noise",
        "T-rounding",
    }
    for found in registered():
        assert re.fullmatch(r"T(-[a-z]+)+", found.key)
        assert found.statement
        assert found.holds_when
        assert found.locator
        assert found.function.startswith("peekproof.")


def test_theorems_are_listed_by_key() -> None:
    keys = [found.key for found in registered()]

    assert keys == sorted(keys)
    assert all(lookup(found.key) is found for found in registered())
