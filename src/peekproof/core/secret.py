"""The type of a number read from data, before noise; and what of a record nobody is shown."""

from collections.abc import Iterable, Mapping
from typing import Generic, NoReturn, TypeVar, final

T = TypeVar("T")

# The names of secrets in a record begin like this: whoever shows one leaves them out, without
# knowing whose they are.
SECRET = "secret "  # noqa: S105 (the name of a mark)


def shown(record: Mapping[str, str]) -> dict[str, str]:
    """A record without its secrets."""
    return {name: said for name, said in record.items() if not name.startswith(SECRET)}


@final
class Exact(Generic[T]):
    """A statistic of the sample that nothing but a mechanism may look at.

    It has no repr, comparison, hash, truth value or pickle that depends on the value. A test
    parses the package and fails if anything outside `mechanisms` calls `reveal`.
    """

    __slots__ = ("__value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: T) -> None:
        self.__value = value

    def reveal(self) -> T:
        """The value itself. Only for the body of a mechanism."""
        return self.__value

    def __repr__(self) -> str:
        return "Exact(withheld)"

    def _withheld(self, *_: object) -> NoReturn:
        raise TypeError("an exact value is withheld: only a mechanism may open it")

    __eq__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __reduce__ = __getstate__ = _withheld
    __int__ = __float__ = __index__ = __iter__ = __len__ = _withheld

    @staticmethod
    def together(parts: "Iterable[Exact[T]]") -> "Exact[tuple[T, ...]]":
        """Several withheld values as one."""
        return Exact(tuple(part.__value for part in parts))
