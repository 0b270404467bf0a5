"""Where theorems come from. Keys are those of docs/references.bib; a test keeps them equal."""

SOURCES = {
    "holdfast": "Holdfast, docs/explanation/certificate.md",
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
}
