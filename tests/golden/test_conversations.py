"""The kept conversations come out as they did, and leave nothing out that a session can do."""

from __future__ import annotations

import ast
import doctest
import re

import pytest

import peekproof
from golden.talk import SEED, names, said_again, written

# Errors that no session of rows in files or memory raises by itself, and why.
NOT_RAISED = {
    "PeekproofError": "the root of all",
    "Refusal": "the root of those that refuse",
    "LedgerError": "the root of those about ledgers",
    "GatewayError": "between clients and gateways, as are the next ten",
    "GatewayUnavailable": "of gateways",
    "KeyInUse": "of gateways",
    "Malformed": "of gateways",
    "NotAllowed": "of gateways",
    "NotServed": "of gateways",
    "NotThisWay": "of gateways",
    "TooLarge": "of gateways",
    "TooManyRequests": "of gateways",
    "TooSlow": "of gateways",
    "Unauthenticated": "of gateways",
    "LedgerMoved": "ledgers only move to or from PostgreSQL, which needs a server",
}

# How the conversations of holdouts, boards, gateways and commands are named.
OTHERS = ("holdout-", "board-", "gateway-", "command-")


def of_sessions() -> list[str]:
    return [each for each in names() if not each.startswith(OTHERS)]


@pytest.mark.one_budget
@pytest.mark.parametrize("name", names())
def test_a_conversation_comes_out_as_it_did(name: str) -> None:
    text = written(name)
    assert said_again(text) == text


def test_another_seed_is_noticed() -> None:
    text = written("gaussian")
    assert said_again(text, seed=SEED + 1) != text


def test_every_error_that_a_session_can_raise_is_told() -> None:
    everything = "\n".join(map(written, of_sessions()))
    told = set(re.findall(r"^(?:error )?([A-Z]\w+)(?::|,|$)", everything, flags=re.MULTILINE))
    told |= set(re.findall(r'^  "error": "(\w+)"', everything, flags=re.MULTILINE))
    assert _public_errors() - told == set(NOT_RAISED)


def test_no_statement_is_misspelled() -> None:
    """A name that is not there would be told as if it were the answer."""
    everything = "\n".join(map(written, of_sessions()))
    assert not re.findall(
        r"^(?:NameError|SyntaxError|AttributeError|KeyError).*", everything, re.MULTILINE
    )


def test_every_mechanism_is_named() -> None:
    public = {
        name
        for name in peekproof.__all__
        if str(getattr(peekproof, name).__module__).startswith("peekproof.mechanisms.")
    }
    assert public - _attributes_of("peekproof") == set()


def test_every_member_of_a_session_is_used() -> None:
    members = {name for name in dir(peekproof.Session) if not name.startswith("_")}
    members |= {"plan", "ledger", "schema", "analyst"}  # set when it is made
    assert members - _attributes_of("data") == set()


def _public_errors() -> set[str]:
    return {
        name
        for name in peekproof.__all__
        if isinstance(each := getattr(peekproof, name), type)
        and issubclass(each, peekproof.PeekproofError)
    }


def _attributes_of(name: str) -> set[str]:
    """What is taken of this name in any conversation."""
    trees = [
        ast.parse(example.source)
        for each in of_sessions()
        for example in doctest.DocTestParser().get_examples(written(each))
    ]
    return {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }
