"""Sources of rows: the only code that reads them."""

from holdfast.data.load import load
from holdfast.data.table import Table

__all__ = ["Table", "load"]
