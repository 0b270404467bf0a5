"""What theorems are about: the order in which pages list them, by the modules they live in."""

from dataclasses import dataclass
from types import MappingProxyType

from peekproof.core.theorem import Theorem


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A heading, the name of its page of proofs, and what it is about."""

    title: str
    slug: str
    about: str


NOISE = Subject(
    title="Answers with noise",
    slug="noise",
    about="To the population: what noise hides, how far questions drift, and both together.",
)
COUNTING = Subject(
    title="Answers that say little",
    slug="counting",
    about="Bins, fresh rows, checked guesses, ladders: all possible conversations are counted.",
)
MECHANISMS = Subject(
    title="What mechanisms lose, and how far they err",
    slug="mechanisms",
    about="Single releases, choices, sparse vectors and guessers, as functions of the sample.",
)
FILTERS = Subject(
    title="Filters",
    slug="filters",
    about="Bounds for losses that are chosen on the way. Only these may gate a session.",
)
COMPOSITION = Subject(
    title="Composition",
    slug="composition",
    about="Bounds for losses that are fixed in advance, while questions may adapt.",
)
CONVERSIONS = Subject(
    title="Conversions between losses",
    slug="conversions",
    about="Total variation, (ε, δ), Rényi, concentrated and Gaussian privacy; groups.",
)
PUBLISHED = Subject(
    title="Published routes to the population",
    slug="published",
    about="Transfer theorems of others, to compare with.",
)
AUDITS = Subject(
    title="Monitors and audits",
    slug="audits",
    about="What an experiment may conclude about a mechanism.",
)

SUBJECTS = (
    NOISE, COUNTING, MECHANISMS, FILTERS, COMPOSITION, CONVERSIONS, PUBLISHED, AUDITS,
)  # fmt: skip

_POPULATION = "theory.generalization."
_MODULES = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "derive",
                *(
                    f"{_POPULATION}{name}"
                    for name in (
                        "choice", "discrete_laplace", "drift", "fixed_point", "gaussian", "noise",
                        "open_ended", "statistic", "thresholdout",
                    )
                ),
            ),
            NOISE,
        ),
        **dict.fromkeys(
            (
                f"{_POPULATION}{name}"
                for name in (
                    "checking", "description_length", "ladder", "limited_checking", "pairs",
                    "splitting", "truncation",
                )
            ),
            COUNTING,
        ),
        **dict.fromkeys(
            (
                f"{_POPULATION}{name}"
                for name in (
                    "bassily", "chains", "jung", "max_information", "mutual_information",
                    "variation",
                )
            ),
            PUBLISHED,
        ),
        **dict.fromkeys(
            (
                "theory.discrete_noise", "theory.median", "theory.selection",
                "theory.sparse_vector", "theory.weights",
            ),
            MECHANISMS,
        ),
        **dict.fromkeys(("theory.conversion", "theory.divergence", "theory.group"), CONVERSIONS),
        **dict.fromkeys(
            (
                "accounting.accountants", "theory.azuma", "theory.composition", "theory.loss_law",
                "theory.optimal_composition",
            ),
            COMPOSITION,
        ),
        **dict.fromkeys(
            (f"{_POPULATION}monitor", f"{_POPULATION}monitor_pick", "theory.one_run"), AUDITS
        ),
        "accounting": FILTERS,
    }
)  # fmt: skip


def subject_of(theorem: Theorem) -> Subject:
    """The subject of the module, or of the nearest package, that a theorem lives in."""
    parts = theorem.function.split(".")[1:]
    while parts:
        if found := _MODULES.get(".".join(parts)):
            return found
        parts.pop()
    raise KeyError(f"docs/theorem_subjects.py has no subject for {theorem.function}")


def by_subject(theorems: tuple[Theorem, ...]) -> dict[Subject, list[Theorem]]:
    """Theorems below their subjects, in the order of pages."""
    found: dict[Subject, list[Theorem]] = {subject: [] for subject in SUBJECTS}
    for theorem in theorems:
        found[subject_of(theorem)].append(theorem)
    return found
