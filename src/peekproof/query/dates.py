"""Dates and moments as people write them, and as the numbers that trees hold.

A date is its number of days since 1970-01-01, and a moment its number of microseconds since
then in UTC, both in the proleptic Gregorian calendar and as doubles. Doubles hold microseconds
exactly from 1685 to 2254; outside, a moment is rounded to the nearest double, as data are.
"""

import re
from datetime import date, timedelta

DAY = "day"
MICROSECOND = "microsecond"
PER_SECOND = 1_000_000
PER_DAY = 86_400 * PER_SECOND

ACCEPTED = "write '2013-06-01', '2013-06-01 12:30' or '2013-06-01T12:30:05.25Z'"

_EPOCH = date(1970, 1, 1)
_WRITTEN = re.compile(
    r"""(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})
    (?:[Tt ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])
       (?::(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]{1,6}))?)?
       (?:[Zz]|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3]):(?P<minutes>[0-5][0-9]))?)?""",
    re.VERBOSE,
)


def read_time(text: str) -> tuple[float, str]:
    """The number that `text` stands for, and its unit: days without a clock, else microseconds.

    Raises ValueError for anything else, and for days that the calendar does not have.
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise ValueError("neither a date nor a date and time")
    days = (date.fromisoformat(match["date"]) - _EPOCH).days
    if match["hour"] is None:
        return float(days), DAY
    seconds = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + int(match["second"] or 0)
    if match["sign"]:
        offset = int(match["hours"]) * 3600 + int(match["minutes"]) * 60
        seconds -= offset if match["sign"] == "+" else -offset
    fraction = int((match["fraction"] or "").ljust(6, "0"))
    return float(days * PER_DAY + seconds * PER_SECOND + fraction), MICROSECOND


def shown_time(value: float, unit: str) -> str:
    """The shortest way to write a number of this unit as a date, or as a date and time.

    Raises OverflowError outside the years 1 to 9999.
    """
    whole = round(value * (PER_DAY if unit == DAY else 1))
    days, rest = divmod(whole, PER_DAY)
    day = (_EPOCH + timedelta(days=days)).isoformat()
    seconds, fraction = divmod(rest, PER_SECOND)
    if fraction:
        decimals = f"{fraction:06}".rstrip("0")
        return f"{day} {_clock(seconds)}:{seconds % 60:02}.{decimals}"
    if seconds % 60:
        return f"{day} {_clock(seconds)}:{seconds % 60:02}"
    return f"{day} {_clock(seconds)}" if seconds else day


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
