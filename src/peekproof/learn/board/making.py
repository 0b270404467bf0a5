"""Making a board: a folder that is there wholly or not at all."""

import tempfile
from datetime import UTC, datetime
from fractions import Fraction
from math import sqrt
from pathlib import Path

from peekproof.core import check
from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.phases import phases_of
from peekproof.learn.board.settings import BoardSettings
from peekproof.learn.board.signing import new_key
from peekproof.learn.board.writing import removed_on_failure, sync_folder
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.named import metric_of

ENDING = ".board"


def board_folder(name: str | Path) -> Path:
    """The folder of a board: NAME stands for NAME.board."""
    path = Path(name)
    return path if path.suffix == ENDING else path.with_name(path.name + ENDING)


def mean_metric(given: object) -> Metric:
    """A metric that is a mean over rows, which is what a board can promise for."""
    metric = metric_of(given)
    if metric.span != 1:
        raise InvalidInput(
            argument="metric",
            accepted="one whose scores are from 0 to 1, for a board",
            given=metric.text,
            hint="scale the labels to [0, 1], and name these as its bounds",
        )
    return metric


def make_board(
    folder: Path,
    *,
    labels: object,
    final: object,
    metric: object,
    confidence: float,
    submissions: int,
    per_team: float | str | Fraction | None,
    step: float | None,
    corrections: int,
    title: str,
) -> BoardSettings:
    """Check everything, then write the folder under another name and rename it."""
    if folder.exists():
        raise DataError(
            source=str(folder), problem="exists already", hint="name another folder for a new board"
        )
    phases = phases_of(labels, final)
    scored = mean_metric(metric)
    check.probability(confidence=confidence)
    check.positive_integer(submissions=submissions)
    check.positive_integer(corrections=corrections)
    rows = phases.public.height
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with removed_on_failure(making):
            settings = BoardSettings(
                title=_title(title or folder.stem),
                metric=scored.text,
                confidence=float(confidence),
                submissions=submissions,
                per_team=_share(per_team, submissions),
                step=_step(step, rows),
                corrections=corrections,
                labels=phases.kind,
                public_rows=rows,
                final_rows=phases.final.height,
                made=moment(),
                public_key=new_key(making),
            )
            phases.write(making)
            settings.write(making)
            making.rename(folder)
    except OSError as error:
        problem, hint = f"cannot be made ({error.strerror})", "name another folder"
        raise DataError(source=str(folder), problem=problem, hint=hint) from error
    sync_folder(folder.parent)
    return settings


def moment() -> str:
    """Now, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _title(title: str) -> str:
    if len(title) > 200 or not title.isprintable():
        accepted = "a printable text of at most 200 characters"
        raise InvalidInput(argument="title", accepted=accepted, given=repr(title)[:80])
    return title


def _share(per_team: float | str | Fraction | None, submissions: int) -> str:
    if per_team is None:
        return ""
    try:
        share = Fraction(str(per_team))
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1 or share * submissions < 1:
        raise InvalidInput(
            argument="per_team",
            accepted="a share of all submissions, such as 1/10, that is at least one of them",
            given=repr(per_team)[:80],
        )
    return str(share)


def _step(step: float | None, rows: int) -> float:
    if step is None:
        return round(1 / sqrt(rows), 4) or 0.0001
    if not 0 < step < 1:
        accepted = "between 0 and 1, on the scale of the metric"
        raise InvalidInput(argument="step", accepted=accepted, given=repr(step)[:80])
    return float(step)
