"""Writes docs/reference/mechanisms.md from the code: python docs/generate_mechanisms.py

What a mechanism releases, guarantees, proves and keeps secret is in its docstring; what one use
costs and how far it errs is computed here by calling it; docs/mechanism_table.py adds the rest.
"""

import pkgutil
import re
from dataclasses import fields
from importlib import import_module
from types import MappingProxyType

from generate_theorems import ROOT, import_all
from mechanism_about import About, Choosing, Example, Share, Sparse
from mechanism_table import table

import peekproof.mechanisms
from lab.figures.mechanisms import BETA, EPSILON, QUESTIONS, RHO, ROWS, TARGET
from peekproof.core.certificate import Target
from peekproof.core.charge import GDP, ZCDP, Draws, PureDP
from peekproof.core.numerics import decimal_up
from peekproof.core.theorem import lookup
from peekproof.mechanisms.base import Draw
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.ladder import Ladder
from peekproof.mechanisms.laplace import LaplaceVector
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout

ONE, TWICE = float(EPSILON), float(2 * EPSILON)
HEAD = f"""# Mechanisms

What turns an exact number into something that may be told. Generated from the code by
`docs/generate_mechanisms.py` (`make mechanisms`).

## What the same cost buys

One use of each on {ROWS:,} rows, at ρ = {float(RHO):g} in zero-concentrated differential privacy:

- pure ε-DP costs ρ = ε²/2, so ε = {ONE};
- Gaussian noise costs ρ = μ²/2, so μ = {ONE};
- the exponential mechanism costs ρ = ε²/8 ([T-bounded-range](../theorems.md#t-bounded-range)), so
  ε = {TWICE};
- mechanisms that cost draws have no ρ, and open-ended noise has a price for each stage: they are as
  planned for {QUESTIONS:,} questions at confidence {float(TARGET.confidence)}.

The radius is what one use errs by from the sample, except with probability β = {float(BETA)}, as
a share of the rows: all cells of a vector and all verdicts of a conversation together. The last
column is what a session of {QUESTIONS:,} uses promises for the population, all together, if it is
certified by this mechanism alone; from 0.5 on that says nothing.

| mechanism | releases | one use | costs | radius | population |
|---|---|---|---|---|---|
"""
AFTER = f"""
A session pays by its own clock, in which a choice costs more than its ρ: the exponential mechanism
μ² = ε² ([T-drift-choice](../theorems.md#t-drift-choice)), anything else that is ε-private 4ε²
([T-drift-private](../theorems.md#t-drift-private)). So a choice at ε = {TWICE} is worth
four shares at μ = {ONE}; `price_of` and `price_of_best`
[say so beforehand](../how-to/ask-more-than-shares.md).

![The chance of an error beyond t. Left, for a share: bins never err by more than half of one,
Gaussian noise comes next, then Laplace noise, and far behind fresh rows. Right, for a choice
of 100: at the same cost the exponential mechanism loses half as much as the
others.](../figures/mechanisms.png)

Drawn by `python -m lab.figures.mechanisms FILE` from the exact laws: for a share of ½
(which lies anywhere in its bin), and for choices in the hardest case, where all others lie equally
far behind the best.

`UnsafeEmpirical` has no kind and no cost: it releases shares as they are, for audits to attack, and
no session can be built on it.
"""

UNITS = MappingProxyType({GDP: "μ²", PureDP: "ε", ZCDP: "ρ", Draws: "draws"})
SHOWN = (
    "sigma", "scale", "epsilon", "bins", "parts", "rounds", "cells", "candidates", "level",
    "answers", "corrections", "questions", "failures",
)  # fmt: skip


def kinds() -> dict[str, type]:
    """Every mechanism in the package of them, by its kind; not the draws, which are recorded."""
    found: dict[str, type] = {}
    for module in pkgutil.iter_modules(peekproof.mechanisms.__path__):
        name = f"peekproof.mechanisms.{module.name}"
        for each in vars(import_module(name)).values():
            kind = getattr(each, "kind", None)
            if isinstance(kind, str) and each.__module__ == name and not issubclass(each, Draw):
                found[kind] = each
    return found


def section(kind: type, name: str) -> str:
    """What a docstring says under a name such as "Proof:", on one line."""
    ends = r"(?=\s(?:Proof|Public|Secret): |\n\n|\Z)"
    text = re.search(rf"{name}: (.*?){ends}", kind.__doc__ or "", re.S)
    return " ".join(text[1].split()) if text else ""


def cost(example: Example) -> str:
    """What one use costs, with its unit."""
    if isinstance(example, OpenEnded):
        return cost(example.noise(example.stage_of(QUESTIONS)))
    charged = example.cost()
    (amount,) = (getattr(charged, field.name) for field in fields(charged))
    if isinstance(charged, Draws):
        return "1 draw" if amount == 1 else f"{int(amount):,} draws"
    return f"{UNITS[type(charged)]} = {float(amount):.3g}"


def radius(example: Example) -> str:
    """How far one use errs from the sample, as a share."""
    if isinstance(example, OpenEnded):
        return decimal_up(example.noise(example.stage_of(QUESTIONS)).radius(beta=BETA))
    if isinstance(example, Checking | LimitedChecking):
        return "–"
    found = example.radius(beta=BETA)
    if not found:
        return "0, from its own rows"
    return decimal_up(found / ROWS if isinstance(example, Choosing | Sparse) else found)


def promise(example: Example) -> str:
    """What a session promises for the population, if one is certified by it alone."""
    if isinstance(example, OpenEnded):
        return f"±{decimal_up(example.certify_stage(example.stage_of(QUESTIONS), TARGET).radius)}"
    if isinstance(example, Checking):
        return f"±{decimal_up(example.certify(TARGET).radius)} before the first failure"
    if isinstance(example, LimitedChecking):
        return f"±{decimal_up(example.certify(TARGET).radius)}"
    if isinstance(example, Thresholdout | Ladder):
        target = Target(confidence=TARGET.confidence, questions=example.questions)
        certify = example.certify if isinstance(example, Ladder) else example.certify_standing
        return f"±{decimal_up(certify(target).radius)}, {example.questions:,} of them"
    if isinstance(example, Share | LaplaceVector) and not isinstance(example, DiscreteGaussian):
        return f"±{decimal_up(example.certify(TARGET).radius)}"
    return "–"


def setting(example: Example) -> str:
    """The fields that matter."""
    if isinstance(example, OpenEnded):
        return f"draw {QUESTIONS:,} of {example.most_questions:,}"
    given = {field.name: getattr(example, field.name) for field in fields(example)}
    return ", ".join(f"{name} {float(given[name]):,.6g}" for name in SHOWN if name in given)


def entry(kind: type, about: About) -> str:
    """The part of the page that is about one mechanism."""
    rests = (f"[{lookup(key).key}](../theorems.md#{key.lower()})" for key in about.theorems)
    file = f"src/{kind.__module__.replace('.', '/')}.py"
    lines = [
        f"- **Guarantees** {section(kind, 'Guarantees')}",
        f"- **Proof** {section(kind, 'Proof')}",
        f"- **Public** {section(kind, 'Public')} **Secret** {section(kind, 'Secret')}",
        f"- **Costs** {about.cost}. **Errs** {about.errs}.",
        f"- **Use it** {about.use}.",
        f"- **Theorems** {', '.join(rests)}. **Code** [{kind.__module__}](../../{file})",
    ]
    kept = "\n".join(line for line in lines if line != "- **Proof** ")
    releases = (kind.__doc__ or "").splitlines()[0]
    return f"\n## {kind.__name__}\n\n`{about.example.kind}` releases: {releases}\n\n{kept}\n"


def page() -> str:
    """The whole page."""
    import_all()
    found, abouts = kinds(), table()
    if odd := found.keys() ^ abouts.keys():
        raise KeyError(f"not in the table, or not in the package: {sorted(odd)}")
    rows = []
    for kind, about in abouts.items():
        name, example = found[kind].__name__, about.example
        link = f"[{name}](#{name.lower()})"
        cells = [link, about.releases, setting(example), cost(example), radius(example)]
        rows.append(f"| {' | '.join(cells)} | {promise(example)} |\n")
    entries = [entry(found[kind], about) for kind, about in abouts.items()]
    return HEAD + "".join(rows) + AFTER + "".join(entries)


if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "mechanisms.md").write_text(page())
