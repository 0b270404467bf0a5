"""Behaviour that differs by kind is a method of that kind.

Outside of its own file nobody asks what a mechanism, a draw or a query is: a new one is then one
new file, and one that somebody forgot cannot be answered in another's way. Not by its class, not
by its `kind`, not by a member that only some have, and not by what its record says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import final

import pytest

import peekproof.learn.score as score
import peekproof.session.queries as queries
from contract.test_layers import RANKS
from peekproof.mechanisms.base import UNITS, Draw, Mechanism, Query, every_mechanism

SOURCE = Path(__file__).parents[2] / "src" / "peekproof"
CONTRACT = "peekproof.mechanisms.base"
QUERIES = {
    queries: ("InWords", "Best", "Measured", "Paired"),
    score: ("MeanScore", "PairScore", "LargestScore"),
}

# Where the kind of a mechanism is told to people. There it may stand in a text or be a value of
# what is printed; asking what it is, is a switch there too.
DISPLAYS = {
    "peekproof.audit.opponents.sessions": "opponents are called as their mechanisms",
    "peekproof.cli.plan": "a comparison names the narrower one",
    "peekproof.cli.serve": "what is served is listed when a gateway begins",
    "peekproof.ledger.html": "a ledger knows no more of its mechanism than the record",
    "peekproof.server.routes.history": "the summary of a data set says how it is answered",
    "peekproof.server.runner": "a refusal of workers says what cannot be shared",
}

# Modules and functions that read or check records of all kinds.
EXEMPT = {
    CONTRACT: "reads and writes the records",
    "peekproof.mechanisms.every": "the one list of our own",
    "peekproof.testing.conversations": "a suite that names the kind that it checks",
    "peekproof.testing.ledgers": "a suite that damages entries, each of a kind",
    "peekproof.testing.mechanisms": "a suite that takes records apart",
}

# What is called like this is a mechanism or a draw, a record of one, or has a kind of another sort.
OF_A_KIND = {"mechanism", "draw", "promise"}
RECORDS = {"terms", "described"}
OF_OTHERS = {
    "analyst": "of attacks",
    "dtype": "of arrays",
    "entry": "of ledgers",
    "phases": "of the labels of a leaderboard",
}

# What makes one of them.
MAKES_KINDS = {"offer", "recorded_draw", "recorded_mechanism", "drawn"}
MAKES_RECORDS = {"record", "shown", "dict"}


def classes() -> Iterator[type]:
    """The mechanisms and the draws."""
    every_mechanism()
    for base in (Mechanism, Draw):
        yield from (base, *base.__subclasses__())


def homes() -> dict[str, set[str]]:
    """The modules in which a class of this name is defined, for all kinds there are."""
    found: dict[str, set[str]] = {}
    for kind in classes():
        found.setdefault(kind.__name__, set()).add(kind.__module__)
    for module, names in QUERIES.items():
        for name in names:
            found.setdefault(name, set()).add(getattr(module, name).__module__)
    return found


HOMES = homes()
# What some have and neither the contract promises, nor anything that Python knows as a mapping.
MEMBERS = {name for kind in classes() for name in dir(kind)} - {
    name for known in (Mechanism, Draw, dict) for name in dir(known)
}
NAMES = {str(kind.kind) for kind in every_mechanism().values()}


def tables(text: str, *, module: str) -> dict[str, str]:
    """The tuples of such classes that a module defines, by full names, and the module."""
    found = {}
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=several)) if any(
                isinstance(each, ast.Name) and each.id in HOMES for each in several
            ):
                found[f"{module}.{name}"] = module
    return found


def module_of(file: Path) -> str:
    return ".".join(("peekproof", *file.relative_to(SOURCE).with_suffix("").parts))


FILES = {module_of(file): file.read_text("utf-8") for file in sorted(SOURCE.rglob("*.py"))}
TABLES = {
    name: home
    for module, text in FILES.items()
    for name, home in tables(text, module=module).items()
}


@final
class Switches(ast.NodeVisitor):
    """The lines on which a module asks which mechanism, draw or query something is.

    It follows names: what they were imported from, what they were assigned, how parameters are
    annotated. What a name stands for is "kind" (or may be one), "record", "key" (of a record),
    "other", or "" where nobody knows.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self.lines: set[int] = set()
        self._paths: dict[str, str] = {}  # what names were imported from
        self._tables: set[str] = set()  # names of tuples of classes
        self._names: list[dict[str, str]] = [{}]  # what names stand for, by scopes
        self._told: set[int] = set()  # what stands in a text, or is a value of what is printed
        # Below the mechanisms nobody can have one: what has a kind there is something else.
        self._above = RANKS.get(module.split(".")[1], 0) >= RANKS["mechanisms"]
        self._own = module.startswith("peekproof.mechanisms.")

    def _found(self, node: ast.AST, wrong: bool) -> None:
        if wrong and isinstance(node, ast.expr | ast.stmt | ast.pattern):
            self.lines.add(node.lineno)

    # What a name or an expression stands for.

    def _path(self, node: ast.expr) -> str:
        """The full name of what is named, as far as imports tell."""
        match node:
            case ast.Name(id=name):
                return self._paths.get(name, f"{self.module}.{name}")
            case ast.Attribute(value=owner, attr=name):
                return f"{self._path(owner)}.{name}"
        return ""

    def _is_class(self, node: ast.expr) -> bool:
        """Whether it is a class of some kind, or has one in it."""
        match node:
            case ast.Name() | ast.Attribute():
                path = self._path(node)
                home, _, name = path.rpartition(".")
                if home == self.module and name in self._tables:
                    return True
                if path in TABLES and TABLES[path] != self.module:
                    return True
                # The package itself hands out what its modules define.
                known = HOMES.get(name, set())
                return (home in known or (home == "peekproof" and bool(known))) and not (
                    {self.module, CONTRACT} & known
                )
            case ast.Tuple(elts=several) | ast.List(elts=several) | ast.Set(elts=several):
                return any(map(self._is_class, several))
            case ast.BinOp(left=left, right=right):
                return self._is_class(left) or self._is_class(right)
            case ast.Starred(value=inner):
                return self._is_class(inner)
            case ast.Call(func=ast.Name("tuple" | "set" | "frozenset" | "list"), args=[inner]):
                return self._is_class(inner)
        return False

    def _sort(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                for scope in reversed(self._names):
                    if scope.get(name):
                        return scope[name]
                # What is imported is known, and classes of kinds are looked for elsewhere.
                return "other" if name in self._paths else self._sort_named(name)
            case ast.Attribute(attr=name):
                return self._sort_named(name)
            case ast.Subscript(value=_, slice=ast.Constant(value=str(name))):
                return self._sort_named(name) if name in RECORDS else ""
            case ast.Call(func=func, args=args):
                called = getattr(func, "attr", getattr(func, "id", ""))
                if called == "type" and len(args) == 1:
                    return self._sort(args[0])
                if called == "get" and args and self._text(args[0]) in RECORDS:
                    return "record"
                if called in MAKES_KINDS:
                    return "kind"
                if called == "record":
                    return "record"
                if called in MAKES_RECORDS and args:
                    return self._sort(args[0])
            case ast.NamedExpr(value=inner) | ast.Await(value=inner):
                return self._sort(inner)
            case ast.BoolOp(values=several):
                return next(filter(None, map(self._sort, several)), "")
            case ast.IfExp(body=one, orelse=other):
                return self._sort(one) or self._sort(other)
        return ""

    def _sort_named(self, name: str) -> str:
        if name in OF_A_KIND:
            return "kind"
        if name in RECORDS:
            return "record"
        return "other" if name in OF_OTHERS else ""

    def _sort_annotated(self, argument: ast.arg) -> str:
        if argument.arg in ("self", "cls"):
            return "other"
        if argument.annotation is None:
            return "kind"  # nobody says what it is
        text = ast.unparse(argument.annotation)
        named = {
            each.id if isinstance(each, ast.Name) else each.attr
            for each in ast.walk(ast.parse(text.strip("'\""), mode="eval"))
            if isinstance(each, ast.Name | ast.Attribute)
        }
        if named & (HOMES.keys() | {"Query"}):
            return "" if named & {"Collection", "Sequence", "Iterable", "list"} else "kind"
        return "" if named & {"Any", "object", "Mapping", "dict"} else "other"

    @staticmethod
    def _text(node: ast.expr) -> str:
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""

    def _is_shown(self, node: ast.expr) -> bool:
        """Whether it is told to people, where that is allowed."""
        return self.module in DISPLAYS and id(node) in self._told

    def _is_type(self, node: ast.expr) -> bool:
        """Whether it is the class of something, or its name."""
        match node:
            case ast.Call(func=ast.Name("type"), args=[_]) | ast.Attribute(attr="__class__"):
                return True
            case ast.Attribute(value=inner, attr="__name__" | "__qualname__"):
                return self._is_type(inner)
        return False

    def _is_type_of_kind(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute) and node.attr in ("__name__", "__qualname__"):
            node = node.value
        if isinstance(node, ast.Attribute):
            return node.attr == "__class__" and self._sort(node.value) == "kind"
        return self._is_type(node) and self._sort(node) == "kind"

    def _is_field(self, owner: ast.expr, key: ast.expr) -> bool:
        """Whether it is one field of a record, besides the units, which all have."""
        sort, text = self._sort(owner), self._text(key)
        return text not in UNITS if sort == "record" else sort == "kind" and bool(text)

    # What is defined, and where it is known.

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._paths[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._paths[name] = alias.name if alias.asname else name

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if f"{self.module}.{node.name}" in EXEMPT:
            return
        given = node.args
        several = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        self._names.append({each.arg: self._sort_annotated(each) for each in several})
        self.generic_visit(node)
        self._names.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign(node.target, node.value)
        self.generic_visit(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                if self._is_class(value):
                    self._tables.add(name)
                self._names[-1][name] = self._sort(value)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._assign(one, other)

    def visit_For(self, node: ast.For) -> None:
        self._iterate(node.target, node.iter)
        self.generic_visit(node)

    def _iterate(self, target: ast.expr, over: ast.expr) -> None:
        """The names in a record are its keys."""
        match over:
            case ast.Call(func=ast.Name("sorted" | "list" | "tuple" | "dict"), args=[inner, *_]):
                self._iterate(target, inner)
            case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys")):
                self._iterate(target, owner)
            case _ if self._sort(over) in ("record", "kind"):
                first = target.elts[0] if isinstance(target, ast.Tuple) else target
                if isinstance(first, ast.Name):
                    self._names[-1][first.id] = "key"

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> None:
        self._names.append({})
        for each in node.generators:
            self._iterate(each.target, each.iter)
        self.generic_visit(node)
        self._names.pop()

    visit_ListComp = visit_SetComp = _visit_comprehension  # noqa: N815 (as Python calls them)
    visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    # What is a switch.

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, kinds]):
                self._found(node, self._is_class(kinds))
            case ast.Call(func=ast.Name("getattr" | "hasattr"), args=[owner, name, *_]):
                sort, text = self._sort(owner), self._text(name)
                unsaid = sort == "" and text in MEMBERS | {"kind"}
                self._found(node, sort == "kind" or unsaid)
            case ast.Call(func=ast.Attribute(value=owner, attr="get" | "pop"), args=[key, *_]):
                shown = self._is_shown(node) and self._text(key) == "kind"
                wrong = self._is_field(owner, key) and not shown
                self._found(node, wrong or self._is_type_of_kind(key))
            case ast.Call(func=ast.Name("vars" | "fields" | "asdict"), args=[owner]):
                self._found(node, self._sort(owner) == "kind")
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self._found(node, self._is_class(node.cls))
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        subject = node.subject
        of_record = self._sort(subject) in ("record", "key")
        self._found(node, of_record or self._is_type_of_kind(subject))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        texts = {self._text(each) for side in sides for each in (side, *_parts(side))}
        named = any(_last(each) in (*OF_A_KIND, "kind") for each in sides)
        within = isinstance(node.ops[0], ast.In | ast.NotIn) and bool(self._text(node.left))
        self._found(
            node,
            any(map(self._is_class, sides))
            or (any(map(self._is_type, sides)) and bool(texts & HOMES.keys()))
            or (any(map(self._is_type_of_kind, sides)) and bool(texts - {""}))
            or (named and bool(texts & NAMES))
            or (within and self._is_field(sides[-1], sides[0]))
            or (
                any(self._sort(each) == "key" for each in sides)
                and not any(_last(each) == "UNITS" for each in sides)
            ),
        )
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        key = node.slice
        self._found(node, self._is_field(node.value, key) or self._is_type_of_kind(key))
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        keys = [each for each in node.keys if each is not None]
        self._found(node, any(map(self._is_class, keys)) or self._listed(keys))
        self._told |= {id(each) for value in node.values for each in (value, *_branches(value))}
        self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> None:
        self._found(node, self._listed(node.elts))
        self.generic_visit(node)

    visit_List = visit_Set = visit_Tuple  # noqa: N815

    def _listed(self, several: list[ast.expr]) -> bool:
        """Whether it is a list of mechanisms by their names; of two, the noise may be meant."""
        return len({self._text(each) for each in several} & NAMES) > 2

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        self._told.add(id(node.value))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "kind" and self._above and not self._own:
            known = self._sort(node.value) == "other" and not self._is_class(node.value)
            self._found(node, not known and not self._is_shown(node))
        self._found(node, node.attr in ("__mro__", "__bases__", "__subclasses__") and self._above)
        self.generic_visit(node)


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else []


def _branches(node: ast.expr) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else []


def _last(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def switches(text: str, *, module: str = "peekproof.session.made_up") -> list[int]:
    """The lines on which a module asks which mechanism, draw or query something is."""
    if module in EXEMPT:
        return []
    found = Switches(module)
    found.visit(ast.parse(text))
    return sorted(found.lines)


def found_in_the_package() -> list[str]:
    return [
        f"{module}:{line}"
        for module, text in FILES.items()
        for line in switches(text, module=module)
    ]


def test_nobody_asks_of_which_kind_something_is() -> None:
    assert found_in_the_package() == []


@pytest.mark.parametrize("allowed", [EXEMPT, DISPLAYS], ids=["exempt", "displays"])
def test_nothing_is_allowed_that_nobody_does(
    allowed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = list(allowed)
    for name in names:
        monkeypatch.delitem(allowed, name)
    found = {each.rpartition(":")[0] for each in found_in_the_package()}
    assert [each for each in names if not {each, each.rpartition(".")[0]} & found] == []


# One line each, in a function of `m`, of which nobody says what it is.
SWITCHES = """
isinstance(m, peekproof.Gaussian)
isinstance(m, Laplace)
isinstance(m, gaussian.Noisy)
isinstance(m, (int, N))
isinstance(m, int | N)
isinstance(m, KINDS)
issubclass(m, Renamed)
m is peekproof.Gaussian
m.kind == "gaussian"
m.kind in ("checking",)
"checking" != m.kind
plan.mechanism.kind in TABLE
TABLE[plan.mechanism.kind]
TABLE.get(plan.mechanism.kind)
(kind := plan.mechanism.kind)
[each.kind for each in plan.draws]
m not in (None, Checking.kind)
settings.mechanism == "checking"
settings.mechanism in ("gaussian", "laplace")
["gaussian", "laplace", "fresh-rows"]
getattr(m, "kind")
getattr(plan.mechanism, name)
hasattr(m, "corrections")
hasattr(answer.draw, "anything")
hasattr(plan.found, "corrections")
type(m).__name__ == "Gaussian"
type(plan.found).__name__ in ("Gaussian", "Laplace")
type(m) is N
type(m) == peekproof.Gaussian
m.__class__ in KINDS
TABLE[type(m)]
TABLE[type(m).__name__]
TABLE.get(type(plan.mechanism))
{Laplace: 1, N: 2}.get(type(m))
Laplace in type(m).__mro__
N in base.Draw.__subclasses__()
m.record()["kind"]
"pairs" in m.record()
plan.draw.record().get("candidates")
plan.mechanism.described["sigma"]
answer.terms["guess"]
answer.terms.get("candidates")
"guess" in receipt.terms
"guess" in settled["terms"]
"guess" in body.get("terms", {})
dict(answer.terms).pop("bins")
opening.mechanism.get("kind")
opening.mechanism["kind"]
m.get("candidates")
[n for n, said in answer.terms.items() if n not in APART]
[n for n in sorted(answer.terms) if n == "guess"]
[answer.terms[n] for n in ("sigma", "step")]
vars(m)["sigma"]
""".strip().splitlines()

BLOCKS = [
    "match m:\n        case N(): return 1",
    "match m:\n        case gaussian.Noisy(sigma=s): return s",
    "match plan.mechanism.kind:\n        case 'gaussian': return 1",
    "match m.record():\n        case {'sigma': s}: return s",
    "kind = plan.mechanism.kind\n    return kind == 'gaussian'",
    "said = plan.draw.record()\n    return said['pairs']",
    "for n in answer.terms:\n        if n == 'guess': return 1",
    "draw = plan.mechanism.offer(m, m)\n    return draw.kind",
]

IMPORTED = (
    "import peekproof; import peekproof.mechanisms.base as base\n"
    "from peekproof import Laplace; from peekproof.mechanisms import gaussian\n"
    "from peekproof.mechanisms.gaussian import Noisy as N\n"
    "from peekproof.mechanisms.checking import Checking\n"
    "from peekproof.session.queries import Paired; Renamed = Paired; KINDS = (Paired, N)\n"
)


@pytest.mark.parametrize("said", [*SWITCHES, *BLOCKS])
def test_a_switch_is_found(said: str) -> None:
    assert switches(f"{IMPORTED}def found(m):\n    {said}\n")


@pytest.mark.parametrize("module", DISPLAYS)
def test_a_switch_is_found_where_kinds_are_told(module: str) -> None:
    said = "def found(it: Opening):\n    it.mechanism.get('kind') == 'x'\n"
    assert switches(said, module=module) == [2]
    assert switches(said.replace(" == 'x'", " in TABLE"), module=module) == [2]
    assert switches("def told(it: Opening): return f'{it.mechanism.kind}'", module=module) == []


def test_a_parameter_is_what_it_says() -> None:
    said = (
        "def one(it: Mechanism): return it.kind\n"
        "def two(it: 'type[Mechanism] | None'): return hasattr(it, 'corrections')\n"
        "def three(it: Entry): return it.kind\n"
        "def four(it: Guesser | None): return getattr(it, 'guess', None)\n"
    )
    assert switches(said) == [1, 2]


# What belongs to anybody, compares two with each other, or is of another sort.
HONEST = """
isinstance(it, base.Mechanism) and it.guesses
isinstance(it, Answer | Choice)
entry.kind == "answer"
array.dtype.kind in "iuf"
{Share: "share", Mean: "mean"}[type(asked.form)]
_SHAPES[type(question.form)]
type(agreed.mechanism) not in mechanisms
f"a {type(plan.mechanism).__name__}"
each.mechanism is mechanism
getattr(asked, name)
hasattr(frame, "columns") and hasattr(frame, "values")
type(cell).__name__ in ("NAType", "NaTType")
plan.mechanism.takes >= {"share"} and "share" in plan.mechanism.takes
shown(answer.terms)
Fraction(terms["low"])
"most" in terms
[n for n, said in terms.items() if n not in UNITS]
{n: int(said) for n, said in answer.terms.items()}
said["guess"] or said.get("questions")
("laplace", "gaussian", "discrete-gaussian")
noise == "laplace"
[peekproof.Gaussian, Laplace]
open(rows, mechanisms=[Checking])
Checking(rows=10).level(past)
self.kind
""".strip().splitlines()


@pytest.mark.parametrize("said", HONEST)
def test_what_is_no_switch_is_not_found(said: str) -> None:
    assert switches(f"{IMPORTED}def honest(self) -> None:\n    {said}\n") == []


def test_its_own_file_may_ask() -> None:
    said = "def one(it: Draw): return isinstance(it, Noisy) and Gaussian in (it,)\n"
    own = f"class Gaussian: ...\nclass Noisy: ...\n{said}"
    assert switches(own, module="peekproof.mechanisms.gaussian") == []
    asked = f"from peekproof.mechanisms.gaussian import Gaussian, Noisy\n{said}"
    assert switches(asked, module="peekproof.mechanisms.laplace") == [2]


def test_a_table_of_another_module_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    home = "peekproof.session.queries"
    found = tables("class Paired: ...\nDRAWN = (Paired, int)\n", module=home)
    monkeypatch.setitem(TABLES, *next(iter(found.items())))
    said = f"from {home} import DRAWN\ndef one(it: object): return isinstance(it, DRAWN)\n"
    assert switches(said) == [2]
    assert switches("def one(it: object): return isinstance(it, DRAWN)\n", module=home) == []


def test_a_switch_on_scores_is_found() -> None:
    said = (
        "from peekproof.learn.score import MeanScore, Score\n"
        "def one(it: Score): return isinstance(it, MeanScore)\n"
        "def two(it: Score): return it.where is None\n"
    )
    assert switches(said, module="peekproof.client.made_up") == [2]


def test_every_query_is_known() -> None:
    """What has all that the protocol of queries asks for, wherever it is defined."""
    members = {name for name in vars(Query) if not name.startswith("_")}
    found = set()
    for text in FILES.values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and members <= _defined(node):
                found.add(node.name)
    assert found - {"Query"} == {name for names in QUERIES.values() for name in names}


def _defined(node: ast.ClassDef) -> set[str]:
    """The names of fields, constants and methods of a class."""
    found = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    targets = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    return found | {each.id for each in targets if isinstance(each, ast.Name)}


def test_there_are_kinds_to_look_for() -> None:
    assert {"Gaussian", "Noisy", "CheckedGuess", "Compared", "InWords", "MeanScore"} <= HOMES.keys()
    assert {"sigma", "corrections", "guess", "candidates"} <= MEMBERS
    assert {"gaussian", "fresh-rows", "open-ended"} <= NAMES
