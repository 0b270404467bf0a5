"""What several mechanisms cost together, when their parameters are fixed in advance.

The questions may adapt to earlier answers; the parameters and their number may not. So nothing
here may gate a session: an analyst who picks the next ε after seeing answers is outside these
theorems. Bounds that survive that are filters.
"""
