from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query.times import DAY, MICROSECOND, PER_DAY, read_time, shown_time

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@given(st.dates())
def test_a_date_is_its_number_of_days(date: dt.date) -> None:
    days = float((date - EPOCH.date()).days)
    assert read_time(date.isoformat()) == (days, DAY)
    assert shown_time(days, DAY) == date.isoformat()


OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(
    lambda minutes: dt.timezone(dt.timedelta(minutes=minutes))
)


@given(st.datetimes(min_value=dt.datetime(1700, 1, 1), max_value=dt.datetime(2200, 1, 1)), OFFSETS)
def test_a_moment_is_its_number_of_microseconds_in_utc(
    local: dt.datetime, zone: dt.timezone
) -> None:
    moment = local.replace(tzinfo=zone)
    value = float((moment - EPOCH) // dt.timedelta(microseconds=1))
    assert read_time(moment.isoformat()) == (value, MICROSECOND)
    assert read_time(moment.isoformat(sep=" ")) == (value, MICROSECOND)
    shown = shown_time(value, MICROSECOND)
    number, unit = read_time(shown)
    assert number * (PER_DAY if unit == DAY else 1) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1970-01-01 00:00", 0.0),
        ("1970-01-01T00:00Z", 0.0),
        ("1970-01-01t00:01:00z", 60e6),
        ("1970-01-01 00:00:00.5", 0.5e6),
        ("1970-01-01 00:00:00.000001", 1.0),
        ("1970-01-01 02:00+02:00", 0.0),
        ("1969-12-31 18:30-05:30", 0.0),
        ("0001-01-01 00:00", -62135596800e6),
        ("9999-12-31 23:59-23:59", 253402300740e6 + 86340e6),
    ],
)
def test_clocks_and_offsets(text: str, value: float) -> None:
    assert read_time(text) == (value, MICROSECOND)


@pytest.mark.parametrize(
    "text",
    [
        "", "2013", "2013-06", "2013-6-1", "20130601", "2013/06/01", "01.06.2013", "June 1",
        "2013-02-29", "2013-13-01", "2013-00-01", "2013-06-31", "0000-01-01", "10000-01-01",
        " 2013-06-01", "2013-06-01 ", "2013-06-01\n", "2013-06-01 24:00", "2013-06-01 12:60",
        "2013-06-01 12:30:60", "2013-06-01 12", "2013-06-01 12:30:05.",
        "2013-06-01 12:30:05.1234567",
        "2013-06-01Z", "2013-06-01 12:30+2", "2013-06-01 12:30+24:00", "2013-06-01 12:30 UTC",
        "２０13-06-01", "-2013-06-01", "2013-06-01T12:30:05,25", "now",
    ],
)  # fmt: skip
def test_anything_else_is_no_date(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_time(text)


def test_parts_of_a_day_are_shown_with_a_clock() -> None:
    assert shown_time(0.5, DAY) == "1970-01-01 12:00"
    assert shown_time(-1.0, MICROSECOND) == "1969-12-31 23:59:59.999999"
    assert shown_time(5e6, MICROSECOND) == "1970-01-01 00:00:05"
    with pytest.raises(OverflowError):
        shown_time(1e300, DAY)
