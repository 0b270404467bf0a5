"""Proof by attempt: scripted analysts, and holdouts for them to attack."""
