"""An ordinary table: some columns have to do with each other, most have not."""

from __future__ import annotations

import numpy as np

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.exploration import DrillDown, Exploring
from peekproof.audit.population import Listed

ROWS = 3_000


def people() -> Columns:
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, ROWS)
    education = rng.choice(["school", "college", "master's"], ROWS, p=[0.5, 0.3, 0.2])
    raised = 1 + 0.4 * (education == "master's") + (age - 18) / 200
    return {
        "age": age,
        "education": education,
        "income": np.round(rng.lognormal(10, 0.5, ROWS) * raised),
        "member": rng.random(ROWS) < 0.3 + 0.003 * (age - 18),
        "children": rng.poisson(1.2, ROWS),
        "hours a week": np.round(rng.normal(38, 8, ROWS)),
        "region": rng.choice(list("NESW"), ROWS),
        "score": rng.random(ROWS),
        "visits": rng.poisson(3, ROWS),
        "city": rng.random(ROWS) < 0.6,
    }


def drilling(*, rows: int, questions: int) -> Exploring:
    table = people()
    return Exploring(
        population=Listed(table),
        strategy=DrillDown(table, questions=questions),
        rows=rows,
        questions=questions,
    )
