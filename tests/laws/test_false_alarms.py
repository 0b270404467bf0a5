"""The whole suite fails by bad luck at most once in a million runs.

Modules declare their tests on import, and pytest imports all that it collects before it runs any.
"""

from collections import Counter

import pytest

from peekproof.testing.statistics import declared_false_alarms

MOST = 1e-6


def test_the_total_of_all_declared_false_alarms_is_small() -> None:
    assert sum(declared_false_alarms().values()) <= MOST


def test_every_declared_share_is_spent_only_once(request: pytest.FixtureRequest) -> None:
    # A parametrised test would spend its declared share once for every case.
    cases = Counter(
        f"{item.function.__module__}.{item.function.__qualname__}"
        for item in request.session.items
        if isinstance(item, pytest.Function)
    )

    for name in declared_false_alarms():
        assert cases[name] <= 1, name
