"""Rows on a Spark cluster: executors add them up, and only totals come back."""
