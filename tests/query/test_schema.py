from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from peekproof.query.schema import Kind, Schema


def test_kinds_are_named_in_words_for_people() -> None:
    names = {"number", "text", "true/false", "date", "date and time", "unsupported"}
    assert {kind.value for kind in Kind} == names


def test_a_schema_cannot_be_exchanged_under_a_session() -> None:
    schema = Schema({"age": Kind.NUMBER})
    with pytest.raises(FrozenInstanceError):
        schema.columns = {}  # type: ignore[misc]
    assert schema.columns == {"age": Kind.NUMBER}
