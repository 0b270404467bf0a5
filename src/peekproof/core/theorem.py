"""The registry of theorems: each claim, its source, and the function that computes it.

`SOURCES` lists the papers and books that theorems come from. Its keys are those of
docs/references.bib; a test keeps the two equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, final

SOURCES = {
    "peekproof": "Peekproof, docs/explanation/certificate.md",
    "abadi-et-al-2016": (
        "M. Abadi, A. Chu, I. Goodfellow, H. B. McMahan, I. Mironov, K. Talwar, L. Zhang. "
        "Deep learning with differential privacy. CCS 2016"
    ),
    "rockafellar-uryasev-2000": (
        "R. T. Rockafellar, S. Uryasev. Optimization of conditional value-at-risk. "
        "Journal of Risk 2(3), 2000"
    ),
    "whitehouse-ramdas-rogers-wu-2023": (
        "J. Whitehouse, A. Ramdas, R. Rogers, Z. S. Wu. Fully-adaptive composition in "
        "differential privacy. ICML 2023"
    ),
    "bun-steinke-2016": (
        "M. Bun, T. Steinke. Concentrated differential privacy: simplifications, extensions, and "
        "lower bounds. TCC 2016-B"
    ),
    "canonne-kamath-steinke-2020": (
        "C. L. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. "
        "NeurIPS 2020"
    ),
    "dong-roth-su-2022": (
        "J. Dong, A. Roth, W. J. Su. Gaussian differential privacy. "
        "Journal of the Royal Statistical Society B 84(1), 2022"
    ),
    "dwork-roth-2014": (
        "C. Dwork, A. Roth. The algorithmic foundations of differential privacy. "
        "Foundations and Trends in Theoretical Computer Science 9(3-4), 2014"
    ),
    "kairouz-oh-viswanath-2015": (
        "P. Kairouz, S. Oh, P. Viswanath. The composition theorem for differential privacy. "
        "ICML 2015"
    ),
    "mironov-2017": "I. Mironov. Rényi differential privacy. CSF 2017",
    "murtagh-vadhan-2016": (
        "J. Murtagh, S. Vadhan. The complexity of computing the optimal composition of "
        "differential privacy. TCC 2016-A"
    ),
    "zhu-dong-wang-2022": (
        "Y. Zhu, J. Dong, Y.-X. Wang. Optimal accounting of differential privacy via "
        "characteristic function. AISTATS 2022"
    ),
    "bassily-et-al-2016": (
        "R. Bassily, K. Nissim, A. Smith, T. Steinke, U. Stemmer, J. Ullman. Algorithmic "
        "stability for adaptive data analysis. STOC 2016"
    ),
    "dwork-et-al-2015": (
        "C. Dwork, V. Feldman, M. Hardt, T. Pitassi, O. Reingold, A. Roth. Generalization "
        "in adaptive data analysis and holdout reuse. NIPS 2015"
    ),
    "feldman-steinke-2018": (
        "V. Feldman, T. Steinke. Calibrating noise to variance in adaptive data analysis. COLT 2018"
    ),
    "jung-et-al-2020": (
        "C. Jung, K. Ligett, S. Neel, A. Roth, S. Sharifi-Malvajerdi, M. Shenfeld. A new "
        "analysis of differential privacy's generalization guarantees. ITCS 2020"
    ),
    "rogers-et-al-2020": (
        "R. Rogers, A. Roth, A. Smith, N. Srebro, O. Thakkar, B. Woodworth. Guaranteed "
        "validity for empirical approaches to adaptive data analysis. AISTATS 2020"
    ),
    "dwork-et-al-generalization-2015": (
        "C. Dwork, V. Feldman, M. Hardt, T. Pitassi, O. Reingold, A. Roth. Generalization "
        "in adaptive data analysis and holdout reuse. NIPS 2015"
    ),
    "hoeffding-1963": (
        "W. Hoeffding. Probability inequalities for sums of bounded random variables. "
        "Journal of the American Statistical Association 58(301), 1963"
    ),
    "blum-hardt-2015": (
        "A. Blum, M. Hardt. The ladder: a reliable leaderboard for machine learning "
        "competitions. ICML 2015"
    ),
    "steinke-nasr-jagielski-2023": (
        "T. Steinke, M. Nasr, M. Jagielski. Privacy auditing with one (1) training run. "
        "NeurIPS 2023"
    ),
}


P = ParamSpec("P")
R = TypeVar("R")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A statement that the package relies on."""

    key: str
    source: str
    locator: str
    statement: str
    holds_when: str
    function: str

    @property
    def citation(self) -> str:
        return f"{SOURCES[self.source]} ({self.locator})"


_registry: dict[str, Theorem] = {}


def theorem(key: str, source: str, locator: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function as the code of the theorem `key`.

    The statement is the first line of its docstring, the proviso its `Holds when:` paragraph;
    a function without them, or a key used twice, is a programming error.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name = f"{function.__module__}.{function.__qualname__}"
        paragraphs = (function.__doc__ or "").split("Holds when:")
        if len(paragraphs) != 2 or not paragraphs[0].strip():
            raise TypeError(f"{name} needs a docstring with one 'Holds when:' paragraph")
        if key in _registry and _registry[key].function != name:
            raise TypeError(f"theorem {key} is registered twice")
        if source not in SOURCES:
            raise TypeError(f"{name} cites an unknown source {source!r}")
        _registry[key] = Theorem(
            key=key,
            source=source,
            locator=locator,
            statement=paragraphs[0].strip().splitlines()[0],
            holds_when=" ".join(paragraphs[1].split("Rounds:")[0].split()),
            function=name,
        )
        return function

    return register


def lookup(key: str) -> Theorem:
    """The registered theorem with this key."""
    return _registry[key]


def registered() -> tuple[Theorem, ...]:
    """All theorems whose modules have been imported, by key."""
    return tuple(_registry[key] for key in sorted(_registry))
