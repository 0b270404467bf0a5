"""What a board was made with. Fixed for good, and public but for where its files lie."""

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import final

from peekproof.core.errors import DataError
from peekproof.learn.board.writing import write_whole

FILE = "board.json"
VERSION = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSettings:
    """The rules of a contest.

    submissions   how many different predictions can be scored in all
    per_team      which part of them each team has, as "1/10"; "" if all share all
    step          by how much an entry must beat the best to be told, on the sample
    corrections   how many declared scores of a team may turn out wrong; later ones are not looked
                  at, so that no team can use up what all intervals are made of
    labels        "numbers" or "text"
    public_key    what verifies the signature of an export: 32 bytes of Ed25519, in hexadecimal
    """

    title: str
    metric: str
    confidence: float
    submissions: int
    per_team: str
    step: float
    corrections: int
    labels: str
    public_rows: int
    final_rows: int
    made: str
    public_key: str
    version: int = VERSION

    @property
    def share(self) -> Fraction | None:
        """The part of each team; None if nothing is set aside."""
        return Fraction(self.per_team) if self.per_team else None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)

    def write(self, folder: Path) -> None:
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        write_whole(folder / FILE, text.encode())

    @classmethod
    def read(cls, folder: Path) -> "BoardSettings":
        """The settings of the board in a folder."""
        path = folder / FILE
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict) or found.get("version") != VERSION:
                raise ValueError(f"not of version {VERSION}")
            return cls(**found)
        except FileNotFoundError:
            problem, hint = "is not a board", "peekproof board create makes one"
        except (OSError, ValueError, TypeError) as error:
            problem, hint = f"cannot be read as a board ({error})", "restore its board.json"
        raise DataError(source=str(folder), problem=problem, hint=hint)
