"""Shared by all tests: the printed total of false alarms, and a strict example budget."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from holdfast.testing.statistics import declared_false_alarms

# Machines are noisy: how long an example takes says nothing, and examples must repeat in CI.
settings.register_profile(
    "holdfast",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("holdfast")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    total = sum(declared_false_alarms().values())
    if total:
        terminalreporter.write_line(f"total false alarm of the statistical tests: {total:.2e}")
