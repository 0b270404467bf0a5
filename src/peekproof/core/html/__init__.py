"""What notebooks show of answers and certificates: tables and small pictures, no scripts."""

from peekproof.core.html.answers import (
    answer_html,
    cells_html,
    choice_html,
    derived_html,
    histogram_html,
    quantile_html,
)
from peekproof.core.html.certificate import certificate_html

__all__ = [
    "answer_html", "cells_html", "certificate_html", "choice_html", "derived_html",
    "histogram_html", "quantile_html",
]  # fmt: skip
