"""The memory of what was spent: append-only, hash-chained, durable."""

from holdfast.ledger.ledger import Ledger

__all__ = ["Ledger"]
