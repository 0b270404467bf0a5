"""Sources of rows: the only code that reads them."""

from peekproof.data.load import load
from peekproof.data.table import Table

__all__ = ["Table", "load"]
