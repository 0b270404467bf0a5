"""Models scored on one holdout, again and again: scores, comparisons, searches, leaderboards."""
