"""Worked examples, experiments, forcing attacks, figures: beside the package, not in it."""
