"""Exact noise: integer arithmetic on random bits, no floating point anywhere."""
