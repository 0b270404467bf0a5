"""Adaptive analysts who make exact answers lie about a population that is known."""
