"""Worked examples of holdouts that are scored on again and again, and their figures."""
