from __future__ import annotations

import numpy as np
import pytest

from peekproof.core.errors import InvalidInput
from peekproof.data.table import PublicTable
from peekproof.guess.domain import Domain, Ranges, Weighing
from peekproof.guess.weights import _KEPT, ProductValues, Values, mentioned
from peekproof.query.question import parse_question

DOMAIN = Domain(
    {
        "age": Ranges([0, 18, 65, 100]),
        "sex": ["f", "m", None],
        "member": [True, False, None],
        "score": [1, 2.5, None],
        "other": [3, 4],
    }
)
QUESTIONS = {
    "age > 40": {"age"},
    "sex = 'f' and not member": {"sex", "member"},
    "score is null or other < 4": {"score", "other"},
    "score + other > 5": {"score", "other"},
    "member": {"member"},
    "member is null": {"member"},
    "sex in ('m', 'f')": {"sex"},
    "age > score and sex != 'm' and member = true and other = 3": set(DOMAIN.columns),
    "mean(age / 2 + score, 0, 60, 0)": {"age", "score"},
    "mean(other, 0, 3.5, 0)": {"other"},
}


def by_table(columns: dict[str, np.ndarray]) -> Values:
    return PublicTable(columns).values


@pytest.mark.parametrize("text", QUESTIONS)
def test_values_are_those_of_all_cells(text: str) -> None:
    question = parse_question(text, DOMAIN.schema)
    whole = PublicTable(DOMAIN.columns_as_arrays()).values(question)
    found = ProductValues(DOMAIN, by_table)(question)

    assert found.dtype == whole.dtype
    assert found.tobytes() == whole.tobytes()
    assert 0 < found.sum() < DOMAIN.cells


@pytest.mark.parametrize(("text", "names"), QUESTIONS.items())
def test_only_the_columns_that_are_mentioned_are_evaluated(text: str, names: set[str]) -> None:
    made: list[set[str]] = []

    def noted(columns: dict[str, np.ndarray]) -> Values:
        made.append(set(columns))
        return by_table(columns)

    question, values = parse_question(text, DOMAIN.schema), ProductValues(DOMAIN, noted)
    values(question)
    values(question)

    assert mentioned(question) == names
    assert made == [names]


def test_the_tables_that_are_kept_are_the_last_used() -> None:
    made: list[str] = []

    def noted(columns: dict[str, np.ndarray]) -> Values:
        made.extend(columns)
        return by_table(columns)

    domain = Domain({f"c{number}": [1, 2] for number in range(_KEPT + 1)})
    values = ProductValues(domain, noted)

    def ask(number: int) -> Weighing:
        return values(parse_question(f"c{number} > 1", domain.schema))

    for number in range(_KEPT):
        ask(number)
    ask(0)  # now c1 is the one that was not used for longest
    ask(_KEPT)
    ask(0)
    ask(1)

    assert made == [*(f"c{number}" for number in range(_KEPT + 1)), "c1"]


def test_other_forms_and_other_columns_are_refused() -> None:
    values = ProductValues(DOMAIN, by_table)
    wider = Domain({**DOMAIN.columns, "extra": [1, 2]}).schema
    with pytest.raises(InvalidInput, match="about extra"):
        values(parse_question("extra > 1 and age > 5", wider))
    for text in ("histogram(age, (18, 65))", "quantile(age, 0.5, 0, 100)"):
        with pytest.raises(InvalidInput, match="a share or a mean"):
            values(parse_question(text, DOMAIN.schema))
