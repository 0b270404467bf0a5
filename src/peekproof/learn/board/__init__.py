"""Leaderboards whose scores hold: a public phase that checks claims, and a final on fresh rows."""
