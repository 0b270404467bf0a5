"""The fields of dates and moments, from numbers since 1970-01-01."""

import numpy as np
import numpy.typing as npt

from peekproof.data.piece import Doubles

_Wholes = npt.NDArray[np.int64]

_MICROSECONDS = 86_400_000_000
_LAST = 2.0**63 - 1024  # the last double that 64 bits hold: 2⁶³ has the same fields


def part_of(times: Doubles, field: str, unit: str) -> Doubles:
    """A field of each time in the unit "day" or "microsecond"; NaN stays."""
    missing = np.isnan(times)
    whole = np.where(missing, 0.0, np.minimum(times, _LAST)).astype(np.int64)
    days, rest = (whole, whole * 0) if unit == "day" else np.divmod(whole, _MICROSECONDS)
    return np.where(missing, np.nan, _field(field, days, rest // 1_000_000))


def _field(field: str, days: _Wholes, seconds: _Wholes) -> _Wholes:
    match field:
        case "weekday":
            return (days + 3) % 7 + 1  # 1970-01-01 was a Thursday
        case "hour":
            return seconds // 3600
        case "minute":
            return seconds // 60 % 60
        case "second":
            return seconds % 60
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    match field:
        case "year":
            return months.astype(np.int64) // 12 + 1970
        case "month":
            return months.astype(np.int64) % 12 + 1
        case _:
            since: _Wholes = (dates - months.astype("datetime64[D]")).astype(np.int64)
            return since + 1
