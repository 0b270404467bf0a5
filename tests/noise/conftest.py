"""Fixtures that make rare events of the samplers common."""

from noise.exhaustion import ideal_integers, one_bit_at_a_time

__all__ = ["ideal_integers", "one_bit_at_a_time"]
