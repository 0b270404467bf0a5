"""What Spark does in its own way."""

from typing import final

from peekproof.data.sql.ground import Value
from peekproof.data.sql.operations import Operations


@final
class SparkOperations(Operations):
    """Texts are written as the hexadecimal digits of their bytes: nothing in them is syntax."""

    def text(self, text: str) -> Value | None:
        """A text that a question gives; None for one that is not Unicode, which no row holds."""
        try:
            content = text.encode()
        except UnicodeEncodeError:
            return None
        return self.ground.literal(content, "binary").cast("string")
