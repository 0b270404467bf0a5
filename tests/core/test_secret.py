"""An exact value shows nothing of itself, whatever is tried."""

import copy
import json
import math
import operator
import pickle
from collections.abc import Callable

import pytest

from peekproof.core.secret import Exact

VALUE = 271828
SECRET = Exact(VALUE)


@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        ascii,
        format,
        lambda secret: f"{secret}",
        lambda secret: f"{secret!r:>40}",
        lambda secret: f"{[secret]}",
        lambda secret: "%s" % secret,  # noqa: UP031 (the old form is one more way out)
        lambda secret: str(Exact(secret)),
    ],
)
def test_text_is_the_same_for_all_values(show: Callable[[object], str]) -> None:
    assert show(SECRET) == show(Exact("another value"))
    assert str(VALUE) not in show(SECRET)


ATTEMPTS: dict[str, Callable[..., object]] = {
    "==": lambda secret: secret == VALUE,
    "== another": lambda secret: secret == Exact(VALUE),
    "!=": lambda secret: secret != VALUE,
    "<": lambda secret: secret < VALUE,
    "<=": lambda secret: secret <= VALUE,
    ">": lambda secret: secret > VALUE,
    ">=": lambda secret: secret >= VALUE,
    "bool": bool,
    "not": operator.not_,
    "hash": hash,
    "dictionary key": lambda secret: {secret: 1},
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "floor": math.floor,
    "round": round,
    "abs": abs,
    "bytes": bytes,
    "range": range,
    "iteration": iter,
    "list": list,
    "len": len,
    "in": lambda secret: VALUE in secret,
    "subscript": lambda secret: secret[0],
    "sum": lambda secret: sum([secret]),
    "addition": lambda secret: secret + 0,
    "number format": lambda secret: f"{secret:d}",
    "percent format": lambda secret: "%d" % secret,  # noqa: UP031
    "json": json.dumps,
    "vars": vars,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "reduce": lambda secret: secret.__reduce__(),
    "oldest pickle": lambda secret: pickle.dumps(secret, 0),
    "pickle": pickle.dumps,
    "newest pickle": lambda secret: pickle.dumps(secret, pickle.HIGHEST_PROTOCOL),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_every_other_use_fails_without_naming_the_value(
    attempt: Callable[[Exact[int]], object],
) -> None:
    with pytest.raises(TypeError) as caught:
        attempt(SECRET)

    assert str(VALUE) not in str(caught.value)


def test_there_is_no_state_to_take() -> None:
    with pytest.raises(TypeError):
        SECRET.__getstate__()


def test_a_mechanism_can_reveal_it() -> None:
    assert SECRET.reveal() == VALUE


def test_nothing_can_be_hung_on_it() -> None:
    with pytest.raises(AttributeError):
        SECRET.note = VALUE  # type: ignore[attr-defined]
