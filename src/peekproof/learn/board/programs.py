"""A board as the scoring program of platforms that collect submissions: Codabench and EvalAI.

A submission is a folder, a zip or a file of predictions. It may have a file peekproof.json with
`team`, `name`, `declared` and `trained_on`; what the platform says about the team counts more.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.board import Board
from peekproof.learn.board.submission import Entry, is_zip, predictions_file, unpacked
from peekproof.learn.board.writing import write_whole

ABOUT = "peekproof.json"
_LARGEST = 65_536  # bytes of a peekproof.json
_FINAL = "final"
_FIELDS = {"team", "name", "declared", "trained_on"}


@final
@dataclass(frozen=True, slots=True)
class Collected:
    """A submission as a platform hands it over."""

    predictions: Path
    about: Mapping[str, object]

    def submitted(self, board: Board, team: str | None) -> Entry:
        """The entry that it becomes."""
        about = self.about
        return board.submit(
            team or str(about.get("team", "")),
            self.predictions,
            name=str(about.get("name", "")),
            declared=about.get("declared"),  # type: ignore[arg-type]
            trained_on=about.get("trained_on"),  # type: ignore[arg-type]
        )


@contextmanager
def collected(path: Path) -> Iterator[Collected]:
    """What lies in a folder, a zip, or a file; an archive is unpacked for as long as it lasts."""
    if path.is_dir():
        archives = [each for each in sorted(path.iterdir()) if is_zip(each)]
        if len(archives) == 1:
            with unpacked(archives[0]) as folder:
                yield Collected(predictions_file(folder), _about(folder))
            return
        yield Collected(predictions_file(path), _about(path))
    elif is_zip(path):
        with unpacked(path) as folder:
            yield Collected(predictions_file(folder), _about(folder))
    else:
        yield Collected(path, {})


def scored_codabench(
    input_dir: Path, output_dir: Path, *, board: str | None = None, team: str | None = None
) -> dict[str, object]:
    """Score input/res, and write scores.json to the output folder; what was written.

    Without a name of the board it is what input/ref/board says, or a folder NAME.board in ref.
    """
    with Board.open(board or _referred(input_dir / "ref")) as opened:
        with collected(input_dir / "res") as found:
            entry = found.submitted(opened, team)
        scores = told(opened, entry)
    text = json.dumps(scores, indent=2, ensure_ascii=False) + "\n"
    try:
        output_dir.mkdir(parents=True, exist_ok=True)
        write_whole(output_dir / "scores.json", text.encode())
    except OSError as error:
        problem, hint = f"cannot be written to ({error.strerror})", "the entry is kept: run again"
        raise DataError(source=str(output_dir), problem=problem, hint=hint) from error
    return scores


def evaluate(
    test_annotation_file: str,
    user_submission_file: str,
    phase_codename: str,
    **kwargs: object,
) -> dict[str, object]:
    """Score a submission as EvalAI calls it: the annotations are the folder of the board.

    The phase "final" tells the score of the team in the final, once the board is closed; every
    other phase is the public one. The team is the one that the platform names.
    """
    team = _team(kwargs.get("submission_metadata"))
    with Board.open(test_annotation_file) as board:
        if phase_codename == _FINAL:
            scores = _final_scores(board, team)
        else:
            with collected(Path(user_submission_file)) as found:
                scores = told(board, found.submitted(board, team))
    return {"result": [{phase_codename: scores}], "submission_result": scores}


def told(board: Board, entry: Entry) -> dict[str, object]:
    """What a platform shows of an entry.

    The score is a number to sort by, so the end of the interval that is certain to be reached: a
    declared value is only what a team said. What is known not to beat the best comes last.
    """
    (rank,) = [each for each in board.standings().teams if each.entry.team == entry.team]
    tied = "tied at" if rank.tied else "at"
    return {
        "score": entry.low if board.metric.higher else entry.high,
        "low": entry.low,
        "high": entry.high,
        "rank": rank.rank,
        "rank_text": f"{entry.team} is {tied} rank {rank.rank} with entry {rank.entry.number}",
        "shown": entry.shown,
        "told": entry.told.value,
        "entry": entry.number,
        "receipt": entry.digest,
        "left": board.left(entry.team),
    }


def _final_scores(board: Board, team: str | None) -> dict[str, object]:
    final = board.final
    found = [each for each in final.finalists if each.team == team] if final else []
    if not found:
        raise InvalidInput(
            argument="phase_codename",
            accepted="final for a team in the final of a board that is closed",
            given=f"{_FINAL} for {team!r}",
        )
    (mine,) = found
    rank_text = f"{mine.team} is at rank {mine.rank} of {len(final.finalists) if final else 0}"
    return {
        "score": mine.value,
        "low": mine.low,
        "high": mine.high,
        "rank": mine.rank,
        "rank_text": rank_text,
        "shown": mine.shown,
        "entry": mine.entry,
    }


def _team(metadata: object) -> str | None:
    found = metadata if isinstance(metadata, Mapping) else {}
    for key in ("participant_team_name", "participant_team", "team_name"):
        if found.get(key) not in (None, ""):
            return str(found[key])
    return None


def _referred(ref: Path) -> Path:
    named = ref / "board"
    if named.is_file():
        return Path(named.read_text().strip())
    found = sorted(ref.glob("*.board")) if ref.is_dir() else []
    if len(found) != 1:
        raise InvalidInput(
            argument="--board",
            accepted="given, or named by ref/board in the input folder",
            given=f"{len(found)} boards in ref",
        )
    return found[0]


def _about(folder: Path) -> Mapping[str, object]:
    files = [each for each in folder.rglob(ABOUT) if each.is_file() and not each.is_symlink()]
    if not files:
        return {}
    problem = f"is no {ABOUT}: one object with {', '.join(sorted(_FIELDS))}"
    if len(files) == 1 and files[0].stat().st_size <= _LARGEST:
        try:
            found = json.loads(files[0].read_bytes())
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and set(found) <= _FIELDS:
            return found
    raise DataError(source=ABOUT, problem=problem, hint="mend it, or leave it out")
