"""Worked examples: what an analyst is told plainly, what Peekproof tells, and the truth."""
