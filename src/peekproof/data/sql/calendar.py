"""Fields of dates and moments by whole numbers, which every engine divides alike.

Days are counted from a 1 March of a year that is a multiple of 400, so far back that no count is
negative. With the leap day at the end of a year, centuries, years of a century, months and days
are linear functions of a count, rounded down: (4·n + 3)/146097 is the century of day n,
(4·n + 3)/1461 the year of day n of a century, and (2141·n + 197913)/2¹⁶ the month of day n of a
year, 3 for March and 13 for January. The division by 1461 is a multiplication by 2939745/2³²,
whose remainder gives the day of the year. So every field says its operand a few times only.
"""

from peekproof.data.sql.ground import Value
from peekproof.data.sql.operations import Operations

_ERA = 146_097  # days of 400 years
_ERAS = 20_000  # more days than 32 bits count
_TO_1970 = 719_468  # from 0000-03-01
_DAY = 86_400_000_000
# The last moments of 64 bits are 2⁶³ as a double, which 64 bits do not hold. In every field they
# are like the double before.
_BEYOND, _LAST = 2.0**63, 2.0**63 - 1024
_CLOCK = {"hour": (3_600_000_000, 24), "minute": (60_000_000, 60), "second": (1_000_000, 60)}
_YEARS = 2_939_745, 2**32
_MONTHS = 2_141, 197_913, 2**16
_JANUARY = 306  # its first day, counted from 1 March


def part(number: Value, field: str, unit: str, does: Operations) -> Value:
    """A field, as a double, of a double number of days or microseconds since 1970-01-01 UTC."""
    if unit == "day":
        return _of_days(number.cast("int64"), field, does).cast("float64")
    beyond = number >= does.constant(_BEYOND)
    count = beyond.ifelse(does.constant(_LAST), number).cast("int64")
    day = does.long(_DAY)
    clock = (count % day + day) % day  # the sign of a remainder is the dividend's
    if field in _CLOCK:
        size, many = _CLOCK[field]
        return (does.divided(clock, size) % does.long(many)).cast("float64")
    return _of_days(does.divided(count - clock, _DAY), field, does).cast("float64")


def _of_days(days: Value, field: str, does: Operations) -> Value:
    """The field of whole days since 1970-01-01."""
    shifted = days + does.long(_TO_1970 + _ERAS * _ERA)
    if field == "weekday":
        # The count starts with a Wednesday, and an era is a whole number of weeks.
        return (shifted + does.long(2)) % does.long(7) + does.long(1)
    factor, scale = _YEARS
    quarters = shifted * does.long(4) + does.long(3)
    day_of_century = does.divided(quarters % does.long(_ERA), 4)
    scaled = (day_of_century * does.long(4) + does.long(3)) * does.long(factor)
    day_of_year = does.divided(scaled % does.long(scale), 4 * factor)
    if field == "year":
        years = does.divided(quarters, _ERA) * does.long(100) + does.divided(scaled, scale)
        late = (day_of_year >= does.long(_JANUARY)).ifelse(does.long(1), does.long(0))
        return years - does.long(400 * _ERAS) + late
    month = day_of_year * does.long(_MONTHS[0]) + does.long(_MONTHS[1])
    if field == "month":
        # 3 for March to 14 for February.
        return (does.divided(month, _MONTHS[2]) + does.long(11)) % does.long(12) + does.long(1)
    return does.divided(month % does.long(_MONTHS[2]), _MONTHS[0]) + does.long(1)
