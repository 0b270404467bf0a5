"""Behaviour that differs by kind is a method of that kind.

Outside of its own file nobody asks what a mechanism, a draw or a query is: a new one is then one
new file, and one that somebody forgot cannot be answered in another's way.
"""

import ast
from pathlib import Path

import peekproof.learn.score as score
import peekproof.session.queries as queries
from peekproof.mechanisms.base import Draw, Mechanism, Query, every_mechanism

SOURCE = Path(__file__).parents[2] / "src" / "peekproof"
CONTRACT = "peekproof.mechanisms.base"
QUERIES = {
    queries: ("InWords", "Best", "Measured", "Paired"),
    score: ("MeanScore", "PairScore", "LargestScore"),
}


def homes() -> dict[str, set[str]]:
    """The modules in which a class of this name is defined, for all kinds there are."""
    every_mechanism()
    found: dict[str, set[str]] = {}
    for base in (Mechanism, Draw):
        for kind in (base, *base.__subclasses__()):
            found.setdefault(kind.__name__, set()).add(kind.__module__)
    for module, names in QUERIES.items():
        for name in names:
            found.setdefault(name, set()).add(getattr(module, name).__module__)
    return found


HOMES = homes()


def module_of(file: Path) -> str:
    return ".".join(("peekproof", *file.relative_to(SOURCE).with_suffix("").parts))


def imported(tree: ast.Module) -> dict[str, str]:
    """Which module each name comes from, however it is called here."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def switches(text: str, *, module: str) -> list[str]:
    """Each place where a module asks which mechanism, draw or query something is."""
    tree = ast.parse(text)
    names, found = imported(tree), []

    def of_a_kind(node: ast.expr) -> bool:
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                home, _, name = names.get(each.id, f"{module}.{each.id}").rpartition(".")
                if home in HOMES.get(name, ()) and home not in (module, CONTRACT):
                    return True
        return False

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, kinds]):
                wrong = of_a_kind(kinds)
            case ast.MatchClass(cls=kind):
                wrong = of_a_kind(kind)
            case ast.Compare(left=left, comparators=[*others]):
                sides = [left, *others]
                # Two that are compared with each other are no switch.
                wrong = any(_of_mechanism(e) for e in sides) and not any(
                    isinstance(e, ast.Call) for e in sides
                )
                typed = [e for e in sides if isinstance(e, ast.Call) and _called(e) == "type"]
                wrong = wrong or (bool(typed) and any(of_a_kind(e) for e in sides))
            case _:
                continue
        if wrong:
            found.append(f"{module}:{node.lineno}")
    return found


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _of_mechanism(node: ast.expr) -> bool:
    """Whether it is the kind of a mechanism or a draw, by how the name before it is spelled."""
    if not isinstance(node, ast.Attribute) or node.attr != "kind":
        return False
    owner = node.value
    named = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return named in ("mechanism", "draw", "promise") or named in HOMES


def test_nobody_asks_of_which_kind_something_is() -> None:
    found = [
        line
        for file in sorted(SOURCE.rglob("*.py"))
        for line in switches(file.read_text(encoding="utf-8"), module=module_of(file))
    ]
    assert found == []


def test_a_switch_is_found() -> None:
    said = (
        "from peekproof.mechanisms.gaussian import Gaussian, Noisy as N\n"
        "def one(plan): return isinstance(plan.mechanism, Gaussian)\n"
        "def two(draw):\n"
        "    match draw:\n"
        "        case N(): return 1\n"
        "def three(plan): return plan.mechanism.kind == 'gaussian'\n"
        "def four(kind): return issubclass(kind, Gaussian | int)\n"
    )
    assert sorted(switches(said, module="peekproof.session.made_up")) == [
        f"peekproof.session.made_up:{line}" for line in (2, 5, 6, 7)
    ]
    assert switches(said, module="peekproof.mechanisms.gaussian") == [
        "peekproof.mechanisms.gaussian:6"
    ]


def test_a_switch_on_scores_is_found() -> None:
    said = (
        "from peekproof.learn.score import MeanScore, Score\n"
        "def one(score): return isinstance(score, MeanScore)\n"
        "def two(score: Score): return score.where is None\n"
    )
    assert switches(said, module="peekproof.client.made_up") == ["peekproof.client.made_up:2"]


def test_every_query_is_known() -> None:
    """What has all that the protocol of queries asks for, wherever it is defined."""
    members = {name for name in vars(Query) if not name.startswith("_")}
    found = set()
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and members <= _defined(node):
                found.add(node.name)
    assert found - {"Query"} == {name for names in QUERIES.values() for name in names}


def _defined(node: ast.ClassDef) -> set[str]:
    """The names of fields, constants and methods of a class."""
    found = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    targets = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    return found | {each.id for each in targets if isinstance(each, ast.Name)}


def test_what_everybody_has_may_be_asked() -> None:
    said = (
        "from peekproof.mechanisms.base import Mechanism\n"
        "def one(plan): return isinstance(plan, Mechanism) and plan.guesses\n"
    )
    assert switches(said, module="peekproof.session.made_up") == []


def test_there_are_kinds_to_look_for() -> None:
    assert {"Gaussian", "Noisy", "CheckedGuess", "Compared", "InWords", "MeanScore"} <= HOMES.keys()
