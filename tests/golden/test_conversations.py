"""The kept conversations come out as they did, and leave nothing out that can be said publicly."""

from __future__ import annotations

import ast
import contextlib
import doctest
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import signature
from pathlib import Path

import click
import pytest

import peekproof
from golden.equipment import gateway
from golden.talk import SEED, names, said_again, written
from peekproof.cli.main import cli
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.mechanisms.base import SHAPES, Mechanism, every_mechanism, is_foreign
from peekproof.query.question import parse_question
from peekproof.session.queries import InWords

# Errors that are told by no conversation, and why.
NOT_RAISED = {
    "PeekproofError": "the root of all",
    "Refusal": "the root of those that refuse",
    "LedgerError": "the root of those about ledgers",
    "GatewayError": "the root of those between clients and gateways",
    "MechanismMissing": "a package was there and is gone: tests/mechanisms/test_packages.py",
    "LedgerMoved": "ledgers only move to or from PostgreSQL, which needs a server",
}

# Which calls take a question of each form.
TAKEN_BY = {
    "share": ("ask", "price_of"),
    "mean": ("ask", "price_of"),
    "cells": ("histogram", "ask", "price_of"),
    "quantile": ("quantile", "ask", "price_of"),
    "choice": ("best", "price_of_best"),
    "statistic": ("measure",),
    "pairs": ("ask",),
}
# What can be said with a question, where a call takes it.
SAID = ("radius", "loss", "guess", "tolerance", "trained_on")
EVERY_FORM = "every-form-"

# How the conversations of gateways are named, and of all that is no session.
GATEWAYS = ("gateway-", "client-")
OTHERS = ("holdout-", "board-", "command-", *GATEWAYS)


def of_gateways() -> list[str]:
    return [each for each in names() if each.startswith(GATEWAYS)]


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
    told = _errors_told(of_sessions())
    assert _public_errors() - told == set(NOT_RAISED) | _errors_between()


def test_every_error_between_clients_and_gateways_is_told() -> None:
    assert _errors_between() - _errors_told(of_gateways()) == set()


def test_no_statement_is_misspelled() -> None:
    """A name that is not there would be told as if it were the answer."""
    wrong = r"^(?:Name|Syntax|Attribute|Key|Index|JSONDecode)Error: .*"
    found = {each: re.findall(wrong, written(each), re.MULTILINE) for each in names()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_every_route_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the gateway itself lists them."""
    monkeypatch.chdir(tmp_path)
    Path("some.csv").write_text("age\n" + "1\n2\n" * 200, encoding="utf-8")
    with contextlib.ExitStack() as closing:
        gate = gateway(closing, some={"source": "some.csv", "questions": 2})
        document = gate.get("/v1/openapi.json")["body"]
    asked, left_out = set(_requests(of_gateways())), []
    for path, methods in document["paths"].items():
        like = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        for method in methods:
            if not any(how == method and like.fullmatch(where) for how, where in asked):
                left_out.append(f"{method} {path}")
    assert left_out == []


def test_every_command_is_run() -> None:
    said = list(_texts([each for each in names() if each.startswith(("command-", "board-"))]))
    commands = [" ".join(each) for each in _commands(cli)]
    assert len(commands) > 30
    assert [
        each for each in commands if not any(f"{line} ".startswith(f"{each} ") for line in said)
    ] == []


def test_every_mechanism_is_named() -> None:
    public = {
        name
        for name in peekproof.__all__
        if isinstance(each := getattr(peekproof, name), type) and issubclass(each, Mechanism)
    }
    assert len(public) > 7
    assert public - _attributes_of("peekproof") == set()


def test_every_mechanism_is_asked_every_form_with_all_that_can_be_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What cannot be had is refused, and the refusal is kept too."""
    own = [name for name, kind in every_mechanism().items() if not is_foreign(kind)]
    wanted = {
        (name, shape, said)
        for name in own
        for shape, calls in TAKEN_BY.items()
        for said in ("nothing", *SAID)
        if said == "nothing" or any(said in _parameters(call) for call in calls)
    }
    assert TAKEN_BY.keys() == SHAPES.keys()
    assert len(wanted) > 200

    asked: set[tuple[str, str, str]] = set()
    for call in {each for calls in TAKEN_BY.values() for each in calls}:
        monkeypatch.setattr(peekproof.Session, call, _noting(call, asked))
    for name in names():
        if name.startswith(EVERY_FORM):
            said_again(written(name))
    assert wanted - asked == set()


def _parameters(call: str) -> Mapping[str, object]:
    return signature(getattr(peekproof.Session, call)).parameters


def _noting(call: str, asked: set[tuple[str, str, str]]) -> Callable[..., object]:
    """The call, which notes the mechanism, the form of the question, and what is said with it."""
    original = getattr(peekproof.Session, call)

    def noted(data: peekproof.Session, what: object, **said: object) -> object:
        shape = _shape(data, what)
        for name in said or ("nothing",):
            asked.add((data.plan.mechanism.kind, shape, name))
        return original(data, what, **said)

    return noted


def _shape(data: peekproof.Session, what: object) -> str:
    if isinstance(what, str):
        return InWords(parse_question(what, data.schema)).shape
    if isinstance(what, PairStatistic):
        return "pairs"
    return "statistic" if isinstance(what, Statistic) else "choice"


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


def _errors_between() -> set[str]:
    """Those that only gateways and their clients raise."""
    root = peekproof.GatewayError
    return {each for each in _public_errors() if issubclass(getattr(peekproof, each), root)} - {
        root.__name__
    }


def _errors_told(conversations: Iterable[str]) -> set[str]:
    """By name, or as the type of a problem."""
    everything = "\n".join(map(written, conversations))
    told = set(re.findall(r"^(?:error )?([A-Z]\w+)(?::|,|$)", everything, flags=re.MULTILINE))
    told |= set(re.findall(r'^  "error": "(\w+)"', everything, flags=re.MULTILINE))
    types = re.findall(r"^[^>]*/v1/problems/([a-z-]+)", everything, flags=re.MULTILINE)
    return told | {each.title().replace("-", "") for each in types}


def _requests(conversations: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Methods and paths; what is put in for a part of a path is written as one letter."""
    for node in _nodes(conversations):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method, given = node.func.attr, [*map(_text, node.args), ""]
            if method == "header":
                method, given = given[1].lower(), given[2:]
            elif method == "send":
                method, given = given[0].lower(), given[1:]
            if given[0].startswith("/"):
                yield method, given[0].partition("?")[0]


def _texts(conversations: Iterable[str]) -> Iterator[str]:
    return filter(None, map(_text, _nodes(conversations)))


def _text(node: ast.AST) -> str:
    """What stands there as a text, with a letter for each part that is worked out."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(each) or "x" for each in parts)
        case ast.BinOp(left=left, op=ast.Add()):
            return _text(left) + "x"
        case _:
            return ""


def _commands(group: click.Command, *before: str) -> Iterator[tuple[str, ...]]:
    """All commands that are no groups, by the words that lead to them."""
    if not isinstance(group, click.Group):
        yield before
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield from _commands(found, *before, name)


def _nodes(conversations: Iterable[str]) -> Iterator[ast.AST]:
    for each in conversations:
        for example in doctest.DocTestParser().get_examples(written(each)):
            yield from ast.walk(ast.parse(example.source))


def _attributes_of(name: str) -> set[str]:
    """What is taken of this name in any conversation of a session."""
    return {
        node.attr
        for node in _nodes(of_sessions())
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }
