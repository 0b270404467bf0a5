"""What a conformance law raises: an AssertionError, so that every test runner shows it."""


class Violation(AssertionError):
    """A law that an implementation breaks."""


def require(holds: object, message: str) -> None:
    """Raise unless it holds."""
    if not holds:
        raise Violation(message)
