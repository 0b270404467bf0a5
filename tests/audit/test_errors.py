"""Every channel besides the answers is compared, and nothing else raises an alarm."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Iterator
from typing import TextIO

import pytest

from audit.leaks import LEAKS, Leak
from peekproof.audit.channels import Calls, Public, compare_channels, listen
from peekproof.core.errors import InvalidInput

ONE, OTHER = "common", "secret"


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """A logger that nobody would hear."""
    logger = logging.getLogger("quiet")
    logger.propagate, logger.disabled = False, True
    logger.setLevel(logging.CRITICAL)
    yield
    logger.propagate, logger.disabled = True, False
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_cell_is_found_on_the_channel_that_tells_it(leak: Leak) -> None:
    def run(cell: str) -> Calls:
        yield "harmless", lambda: None
        yield "leak", lambda: leak(cell)

    found = compare_channels(run, ONE, OTHER)

    assert found.tells
    assert found.calls == 2
    assert {each.label for each in found.differences} == {"leak"}
    assert LEAKS[leak] in {each.channel for each in found.differences}
    assert not compare_channels(run, ONE, ONE).tells


def test_both_texts_are_reported_around_what_differs() -> None:
    def run(cell: str) -> Calls:
        yield "printing", lambda: sys.stdout.write("x" * 1000 + cell + "y" * 1000)

    found = compare_channels(run, ONE, OTHER)
    (difference,) = found.differences

    assert ONE in difference.one
    assert OTHER in difference.other
    assert ONE in str(found)
    assert OTHER in str(found)
    assert len(str(difference)) < 500
    kept = json.loads(json.dumps(found.to_dict()))
    assert kept["differences"][0]["channel"] == "stdout"


def test_answers_may_differ() -> None:
    found = compare_channels(lambda cell: [("answer", lambda: cell)], ONE, OTHER)

    assert not found.tells
    assert str(found) == "calls: 1, and nothing is told besides the answers"


class Plain:
    """An object whose repr is its address."""


def test_addresses_and_identities_raise_no_alarm() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            return f"error {id(self)}"

    kept: list[object] = []  # so that no address is used twice

    def fails() -> None:
        kept.append(Plain())
        logging.getLogger("engine").info("%r", kept[-1])
        warnings.warn(f"{kept[-1]!r}", stacklevel=1)
        sys.stderr.write(repr(kept[-1]))
        error = Odd(kept[-1])
        kept.append(error)
        raise error

    found = compare_channels(lambda _: [("failing", fails)], ONE, OTHER)

    assert len({id(each) for each in kept}) == 4
    assert found.differences == ()


def test_what_looks_like_a_number_in_hexadecimal_is_a_cell() -> None:
    def run(cell: str) -> Calls:
        yield "printing", lambda: sys.stdout.write(cell)

    assert compare_channels(run, "0x7f0000000001", "0x7f0000000002").tells


def test_what_is_told_before_a_call_is_heard_with_it() -> None:
    def run(cell: str) -> Calls:
        sys.stdout.write(f"opening {cell}")
        yield "first", lambda: None

    (difference,) = compare_channels(run, ONE, OTHER).differences
    assert (difference.label, difference.channel) == ("first", "stdout")


def test_what_is_told_behind_the_last_call_is_heard() -> None:
    def run(cell: str) -> Calls:
        yield "first", lambda: None
        logging.getLogger("engine").info("closing %s", cell)

    (difference,) = compare_channels(run, ONE, OTHER).differences
    assert (difference.label, difference.channel) == ("before call 2", "log")


def test_data_that_cannot_be_opened_is_heard() -> None:
    def run(cell: str) -> Calls:
        if cell == OTHER:
            raise ValueError(cell)
        return [("first", lambda: None)]

    (difference,) = compare_channels(run, ONE, OTHER).differences
    assert (difference.label, difference.channel) == ("first", "calls")


def test_a_call_more_is_a_difference() -> None:
    def run(cell: str) -> Calls:
        yield "first", lambda: None
        if cell == OTHER:
            yield "second", lambda: None

    for pair in ((ONE, OTHER), (OTHER, ONE)):
        (difference,) = compare_channels(run, *pair).differences
        assert difference.channel == "calls"
        assert {difference.one, difference.other} == {"nothing", "second"}


def test_an_interruption_is_not_swallowed() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        listen(lambda _: [("interrupted", interrupted)], ONE)


def test_everything_is_as_it_was_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    out, err, root = sys.stdout, sys.stderr, logging.getLogger()
    state = (root.level, list(root.handlers), logging.Logger.callHandlers, list(warnings.filters))
    loud = logging.StreamHandler(sys.stderr)
    root.addHandler(loud)
    logging.disable(logging.WARNING)
    try:
        for leak in LEAKS:
            listen(lambda cell, leak=leak: [("leak", lambda: leak(cell))], OTHER)  # type: ignore[misc]
        assert logging.Logger.manager.disable == logging.WARNING
    finally:
        logging.disable(logging.NOTSET)
        root.removeHandler(loud)
    sys.stdout.write("still here")

    assert (sys.stdout, sys.stderr) == (out, err)
    assert state == (
        root.level, root.handlers, logging.Logger.callHandlers, list(warnings.filters),
    )  # fmt: skip
    assert logging.getLogger("quiet").level == logging.CRITICAL
    assert logging.getLogger("quiet").disabled
    assert capfd.readouterr() == ("still here", "")


def test_whoever_kept_the_stream_of_a_call_can_go_on_writing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    handlers: list[logging.StreamHandler[TextIO]] = []

    def configures() -> None:
        handlers.append(logging.StreamHandler(sys.stderr))

    listen(lambda _: [("configuring", configures)], ONE)
    handlers[0].stream.write("later\n")

    assert capfd.readouterr() == ("", "later\n")


def test_bytes_that_are_no_text_are_compared() -> None:
    def run(cell: bytes) -> Calls:
        yield "printing", lambda: sys.stdout.buffer.write(cell)

    assert compare_channels(run, b"\xff\x00", b"\xfe\x00").tells


def test_public_values_are_compared_with_their_kind() -> None:
    assert compare_channels(lambda value: [("p", lambda: Public(value))], 1, "1").tells
    assert not compare_channels(lambda value: [("p", lambda: Public(value))], 1, 1).tells


@pytest.mark.parametrize("given", [3, [1, 2], [("label", "no call")], [(1, print)]])
def test_what_makes_no_calls_is_an_error_and_not_silence(given: object) -> None:
    with pytest.raises(InvalidInput, match="yields pairs of label and call"):
        compare_channels(lambda _: given, ONE, OTHER)  # type: ignore[arg-type, return-value]
