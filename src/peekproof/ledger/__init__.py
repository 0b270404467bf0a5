"""The memory of what was spent: append-only, hash-chained, durable."""

from peekproof.ledger.ledger import Ledger

__all__ = ["Ledger"]
