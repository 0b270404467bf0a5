"""Worked examples: what an analyst is told plainly, what Holdfast tells, and the truth."""
