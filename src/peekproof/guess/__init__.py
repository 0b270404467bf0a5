"""Guesses of answers that never touch the data that is checked."""
