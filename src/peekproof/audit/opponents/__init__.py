"""Whoever answers an analyst: controls that claim too much, and everything that is certified."""
