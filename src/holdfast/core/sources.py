"""Where theorems come from. Keys are those of docs/references.bib; a test keeps them equal."""

SOURCES = {
    "holdfast": "Holdfast, docs/explanation/certificate.md",
    "rockafellar-uryasev-2000": (
        "R. T. Rockafellar, S. Uryasev. Optimization of conditional value-at-risk. "
        "Journal of Risk 2(3), 2000"
    ),
    "whitehouse-ramdas-rogers-wu-2023": (
        "J. Whitehouse, A. Ramdas, R. Rogers, Z. S. Wu. Fully-adaptive composition in "
        "differential privacy. ICML 2023"
    ),
}
