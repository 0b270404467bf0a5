"""Mechanisms: the only code that opens an exact value. One file each."""
