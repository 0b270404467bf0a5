"""From one notion of stability to another. Each function is one theorem.

A conversion may lose, never gain: the result holds for every mechanism that satisfies the input.
"""
