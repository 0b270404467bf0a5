"""What no code says of every mechanism: when to take it, its formulas in words, an example.

The examples cost the same where that can be said; docs/generate_mechanisms.py tells how.
"""

from mechanism_about import About
from mechanism_shares import shares
from mechanism_verdicts import verdicts


def table() -> dict[str, About]:
    """Every mechanism by its kind: shares first, then vectors, choices and conversations."""
    return {about.example.kind: about for about in (*shares(), *verdicts())}
