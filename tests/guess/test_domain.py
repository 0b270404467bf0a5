from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.guess.domain import MOST_CELLS, Domain, Ranges, Value
from peekproof.query.schema import Kind

SMALL = Domain(
    {
        "age": Ranges([0, 18, 65, 100]),
        "sex": ["f", "m", None],
        "member": [True, False],
        "score": [1, 2.5],
        "maybe": [None, True],
    }
)

COLUMNS = st.one_of(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=3, unique=True),
    st.lists(st.text(max_size=3), min_size=1, max_size=3, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
    st.lists(st.integers(-99, 99), min_size=2, max_size=4, unique=True).map(sorted).map(Ranges),
)


def same(left: object, right: object) -> bool:
    missing = [each is None or each != each for each in (left, right)]
    return all(missing) if any(missing) else left == right and type(left) is type(right)


@given(columns=st.dictionaries(st.text(max_size=3), COLUMNS, min_size=1, max_size=4))
def test_cells_are_all_combinations_with_the_last_column_fastest(
    columns: dict[str, list[Value] | Ranges],
) -> None:
    domain = Domain(columns)
    points: list[list[Value]] = [
        [(low + high) / 2 for low, high in itertools.pairwise(held.edges)]
        if isinstance(held, Ranges)
        else list(held)
        for held in columns.values()
    ]
    arrays = domain.columns_as_arrays()

    assert domain.cells == math.prod(map(len, points))
    assert list(arrays) == list(columns)
    for cell, values in enumerate(itertools.product(*points)):
        found = [
            array[cell].item() if array.dtype != object else array[cell]
            for array in arrays.values()
        ]
        assert all(map(same, found, values))
    assert all(len(array) == domain.cells for array in arrays.values())
    assert Domain.from_json(domain.to_json()) == domain


def test_a_small_domain_in_full() -> None:
    arrays = SMALL.columns_as_arrays()

    assert SMALL.cells == 3 * 3 * 2 * 2 * 2
    assert SMALL.schema.columns == {
        "age": Kind.NUMBER,
        "sex": Kind.TEXT,
        "member": Kind.FLAG,
        "score": Kind.NUMBER,
        "maybe": Kind.FLAG,
    }
    assert sorted(set(arrays["age"].tolist())) == [9.0, 41.5, 82.5]
    assert arrays["sex"][:25:8].tolist() == ["f", "m", None, "f"]
    assert arrays["score"][:6].tolist() == [1.0, 1.0, 2.5, 2.5, 1.0, 1.0]
    assert repr(SMALL) == "Domain(age, sex, member, score, maybe: 72 cells)"


def test_a_missing_number_is_not_a_number() -> None:
    (held,) = Domain({"x": [1, None, 3]}).columns_as_arrays().values()

    assert np.isnan(held[1])
    assert held.dtype == np.float64


def test_the_written_form_keeps_everything() -> None:
    again = Domain.from_json(SMALL.to_json())

    assert again == SMALL
    assert hash(again) == hash(SMALL)
    assert again != Domain({"sex": ["f"]})
    assert again != SMALL.to_json()
    assert again != Domain(dict(reversed(SMALL.columns.items())))
    assert again.columns["age"] == Ranges([0, 18, 65, 100])


@given(low=st.floats(-1e308, 1e308), steps=st.integers(1, 3))
def test_the_point_of_a_range_lies_in_it_however_narrow(low: float, steps: int) -> None:
    high = low
    for _ in range(steps):
        high = math.nextafter(high, math.inf)
    (point,) = Ranges([low, high]).points

    assert low <= point < high


def test_the_widest_range_has_a_point() -> None:
    assert Ranges([-1.7e308, 1.7e308]).points == (0.0,)


def test_some_of_the_columns_keep_their_order() -> None:
    assert list(SMALL.only({"score", "age"}).columns) == ["age", "score"]


def test_the_largest_domain_is_allowed_and_no_larger_one() -> None:
    assert Domain({"a": list(range(2**12)), "b": list(range(2**12))}).cells == MOST_CELLS
    with pytest.raises(InvalidInput, match="combinations"):
        Domain({"a": list(range(2**12)), "b": list(range(2**12 + 1))})
    with pytest.raises(InvalidInput, match=r"10\^30"):
        Domain({str(number): [True, False] for number in range(200)})


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"a": []},
        {"a": [None]},
        {"a": [1, 1]},
        {"a": [0.0, -0.0]},
        {"a": [1, "x"]},
        {"a": [1, True]},
        {"a": ["x", True]},
        {"a": [math.nan]},
        {"a": [math.inf]},
        {"a": [10**400]},
        {"a": "text"},
        {"a": 5},
        {"a": {1, 2}},
        {"a": [[1]]},
    ],
)
def test_absurd_declarations_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidInput):
        Domain(columns)


@pytest.mark.parametrize(
    "edges", [[], [1], [1, 1], [2, 1], [0, math.nan], [0, math.inf], [0, True], ["a", "b"]]
)
def test_absurd_edges_are_refused(edges: Any) -> None:
    with pytest.raises(InvalidInput):
        Ranges(edges)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"columns": 3}',
        '{"columns": [{"name": "a"}]}',
        '{"columns": [{"name": "a", "edges": [1, 0]}]}',
        '{"columns": [{"name": "a", "values": [1]}, {"name": "a", "values": [2]}]}',
        '{"columns": [{"name": ["a"], "values": [1]}]}',
        '{"columns": [{"name": 3, "values": [1]}]}',
        '{"columns": [{"name": "a", "values": [NaN]}]}',
        "[" * 100_000,
    ],
)
def test_text_that_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Domain.from_json(text)
