"""Theorems as pure functions: no data, no clock, no randomness."""
