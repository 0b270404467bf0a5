"""What the gateway of these tests serves: one data set for every mechanism."""

from __future__ import annotations

from typing import Any

# Small, and different: one ledger a data set, and no two of the same rows.
SERVED: dict[str, dict[str, Any]] = {
    "gaussian": {"questions": 400},
    "laplace": {"questions": 20},
    "truncation": {"questions": 20},
    "fresh-rows": {"questions": 12},
    "rounds": {"mechanism": "fresh-rows", "questions": 40, "rounds": 8},
    "checking": {"questions": 100},
    "limited-checking": {"questions": 100, "failures": 4, "tolerance": 0.05},
    "thresholdout": {"questions": 100, "failures": 4},
    "open-ended": {"questions": None},
}
