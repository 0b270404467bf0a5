"""Operations as PostgreSQL does them."""

from collections.abc import Sequence

from peekproof.data.sql.ground import Value
from peekproof.data.sql.guards import Guarded
from peekproof.data.sql.operations import FEW_TEXTS

_BUCKET = "width_bucket"


class PostgresOperations(Guarded):
    """Guarded arithmetic, and search by halves in arrays."""

    joins = True

    def both(self, left: Value, right: Value) -> Value:
        return self.ground.call("booland_statefunc", "boolean, boolean > boolean", left, right)

    def text(self, text: str) -> Value | None:
        # No text of PostgreSQL holds a NUL, and none is sent.
        return None if "\0" in text else super().text(text)

    def divided(self, dividend: Value, divisor: int) -> Value:
        by = self.long(divisor)
        return self.ground.call("int8div", "int64, int64 > int64", dividend, by)

    def begins(self, text: Value, start: Value) -> Value:
        return self.ground.call("starts_with", "string, string > boolean", text, start)

    def ends(self, text: Value, end: Value) -> Value:
        size = self.ground.call("char_length", "string > int32", end)
        return self.ground.call("right", "string, int32 > string", text, size) == end

    def contains(self, text: Value, part: Value) -> Value:
        found = self.ground.call("strpos", "string, string > int32", text, part)
        return found > self.whole(0)

    def rank(self, number: Value, edges: Sequence[float]) -> Value:
        listed = self.ground.literal(list(edges), "array<float64>")
        return self.ground.call(_BUCKET, "float64, array<float64> > int32", number, listed)

    def place(self, text: Value, values: Sequence[str]) -> Value:
        if len(values) <= FEW_TEXTS or any("\0" in value for value in values):
            return super().place(text, values)
        # As bytes, whose order does not depend on the language of the database.
        ground, none = self.ground, self.whole(len(values))
        listed = ground.literal([value.encode() for value in values], "array<binary>")
        utf8 = ground.fixed("UTF8", "string")
        held = ground.call("convert_to", "string, string > binary", text, utf8)
        after = ground.call(_BUCKET, "binary, array<binary> > int32", held, listed)
        return (listed[after - self.whole(1)] == held).ifelse(after - self.whole(1), none)
