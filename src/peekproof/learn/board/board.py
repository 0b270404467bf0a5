"""A leaderboard whose scores hold for fresh labels: what people call.

The final is one batch: all finalists and their differences, on rows not touched before. Answers of
a batch that was paid for and never told, because a process ended in between, are told by the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, cast, final

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput, LedgerClosed
from peekproof.core.numerics import float_down, float_up
from peekproof.learn.board.contest import (
    FINAL,
    PUBLIC,
    BoardSettings,
    board_folder,
    claimed,
    make_board,
    mean_metric,
    moment,
    read_held,
    read_ids,
)
from peekproof.learn.board.export import not_closed, signed_export
from peekproof.learn.board.standings import (
    Duel,
    Final,
    Finalist,
    Standings,
    best_of_teams,
    finalists,
    ranking,
    standings_of,
)
from peekproof.learn.board.store import (
    FILE,
    BoardStore,
    head,
    head_at,
    promise,
    set_aside,
    share_left,
)
from peekproof.learn.board.submission import Entry, Reader, Told, at_least, no_better, told_by
from peekproof.learn.board.writing import removed_on_failure
from peekproof.learn.column import Predictions
from peekproof.learn.desk import Guessed
from peekproof.learn.held import HeldRows
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.classification import Gain
from peekproof.learn.opening import open_desk
from peekproof.learn.score import MeanScore
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.session.opening import open
from peekproof.session.queries import analyst_name

_LONGEST = 100


def team_name(team: object) -> str:
    """A name that ledgers can record, and not an empty one."""
    found = analyst_name(team)
    if not found:
        raise InvalidInput(argument="team", accepted="a name", given="''")
    return found


def entry_name(name: object) -> str:
    """What a team calls an entry."""
    if not isinstance(name, str) or len(name) > _LONGEST or not name.isprintable():
        accepted = f"a printable text of at most {_LONGEST} characters"
        raise InvalidInput(argument="name", accepted=accepted, given=repr(name)[:80])
    return name


def declared_guess(declared: object, trained_on: object, *, rows: int) -> Guessed | None:
    """The team's own estimate as a guess; None if it has none.

    If nobody says of how many rows, it is taken to be from as many as the board has: that chooses
    its tolerance, and no interval rests on it.
    """
    if declared is None:
        if trained_on is not None:
            accepted, given = "given with a declared score", repr(trained_on)[:80]
            raise InvalidInput(argument="trained_on", accepted=accepted, given=given)
        return None
    plain = isinstance(declared, int | float) and not isinstance(declared, bool)
    score = float(declared) if plain else -1.0  # type: ignore[arg-type]
    if not 0 <= score <= 1:
        accepted = "a score from 0 to 1, on the scale of the metric"
        raise InvalidInput(argument="declared", accepted=accepted, given=repr(declared)[:80])
    if trained_on is None:
        return Guessed(share=score, trained_on=rows)
    if not isinstance(trained_on, int) or isinstance(trained_on, bool) or trained_on < 1:
        accepted = "a number of rows"
        raise InvalidInput(argument="trained_on", accepted=accepted, given=repr(trained_on)[:80])
    return Guessed(share=score, trained_on=trained_on)


ALL_PAIRS = 20  # teams; of more, only neighbours by the public phase are compared row by row


@final
@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """An entry in the final, with its predictions for the rows."""

    entry: Entry
    predicted: Predictions


def scored_final(
    held: HeldRows,
    finalists: Sequence[Running],
    *,
    metric: Metric,
    confidence: float,
    ledger: Path,
) -> Final:
    """The final of these entries, in the order of the public phase; again the same.

    All questions are known before the first row is read, so they are one round of T-split on all
    rows: intervals are those of a fresh holdout.
    """
    scores = [MeanScore.of(metric, held.labels, each.predicted) for each in finalists]
    pairs = list(combinations(finalists, 2))
    if len(finalists) > ALL_PAIRS:
        pairs = list(pairwise(finalists))
    gain = Gain(metric)
    duels = [
        tuple(
            MeanScore.of(gain, held.labels, one.predicted, two.predicted)
            for one, two in ((a, b), (b, a))
        )
        for a, b in pairs
    ]
    every = {each.digest: each for each in [*scores, *(one for duel in duels for one in duel)]}
    known = Ledger.exists(str(ledger))
    with open(
        held,
        confidence=None if known else confidence,
        questions=None if known else len(every),
        rounds=1,
        ledger=ledger,
        mechanisms=[FreshRows],
    ) as session:
        answers = cast(
            list[Answer], session.backend.answer([Ask(what=each) for each in every.values()])
        )
    found = dict(zip(every, answers, strict=True))
    certificate = next(iter(found.values())).certificate
    compared = tuple(
        _duel(a.entry, b.entry, found[up.digest], found[down.digest], higher=metric.higher)
        for (a, b), (up, down) in zip(pairs, duels, strict=True)
    )
    ranked = [
        _finalist(each.entry, found[score.digest])
        for each, score in zip(finalists, scores, strict=True)
    ]
    return Final(
        finalists=ranking(ranked, compared, higher=metric.higher),
        duels=compared,
        rows=held.rows,
        confidence=confidence,
        questions=len(every),
        theorems=certificate.theorems,
        assumptions=certificate.assumptions,
    )


def _finalist(entry: Entry, answer: Answer) -> Finalist:
    return Finalist(
        rank=0,
        team=entry.team,
        entry=entry.number,
        name=entry.name,
        value=answer.value,
        low=answer.low,
        high=answer.high,
    )


def _duel(one: Entry, two: Entry, up: Answer, down: Answer, *, higher: bool) -> Duel:
    """The difference of gain and loss. Rounds: outward."""
    better, worse = (up, down) if higher else (down, up)
    return Duel(
        first=one.team,
        second=two.team,
        value=float(better.released - worse.released),
        low=float_down(Fraction(better.low) - Fraction(worse.high)),
        high=float_up(Fraction(better.high) - Fraction(worse.low)),
    )


PUBLIC_LEDGER, FINAL_LEDGER = "public.peekproof", "final.peekproof"
_CLOSING, _FINAL = "closing", "final"


@final
class Board:
    """A contest in a folder: a public phase that checks claims, and a final on other rows.

        board = Board.create("digits", labels="labels.csv", final=0.5, submissions=1000)
        entry = board.submit("ann", "predictions.csv", declared=0.83)
        print(board.standings().teams)
        final = board.close()

    Safe to share between threads; processes open the same folder. What was acknowledged is on
    disk. All intervals of the public phase hold together at the confidence of the board, whatever
    teams made of what they were told; so do, on their own, those of the final.
    """

    def __init__(self, folder: Path, settings: BoardSettings, *, override: str | None) -> None:
        self.folder, self.settings = folder, settings
        self.metric = mean_metric(settings.metric)
        self._store = BoardStore(folder / FILE)
        try:
            public, final = read_ids(folder)
            self._reader = Reader(public, final, settings.labels)
            self._desk = open_desk(
                read_held(folder / PUBLIC),
                confidence=settings.confidence,
                questions=settings.submissions,
                ledger=folder / PUBLIC_LEDGER,
                override=override,
            )
        except BaseException:
            self._store.close()
            raise

    @classmethod
    def create(
        cls,
        folder: str | Path,
        *,
        labels: object,
        final: object,
        metric: object = "accuracy",
        confidence: float = 0.95,
        submissions: int = 1000,
        per_team: float | str | Fraction | None = None,
        step: float | None = None,
        corrections: int = 10,
        title: str = "",
        override: str | None = None,
    ) -> "Board":
        """Make a board. NAME stands for the folder NAME.board.

        labels       a file or a frame with the columns id, label, and groups if there are some
        final        the same for the rows of the final, or a share of the labels to be split off
                     at random; nothing is read from them before the close
        metric       what is scored; a mean over rows
        confidence   that all intervals of a phase hold together
        submissions  how many different predictions can be scored in the public phase
        per_team     which share of them each team has, such as "1/10"; by default all share all
        step         by how much an entry must beat the best to be told; 1/√rows by default
        corrections  how many wrong declared scores of a team are corrected; later ones of that
                     team are taken as if nothing had been declared
        override     the custodian's reason to make a board although the labels have a ledger
        """
        path = board_folder(folder)
        settings = make_board(
            path,
            labels=labels,
            final=final,
            metric=metric,
            confidence=confidence,
            submissions=submissions,
            per_team=per_team,
            step=step,
            corrections=corrections,
            title=title,
        )
        with removed_on_failure(path):
            claim = claimed(path, path / PUBLIC_LEDGER, override=override)
            cls(path, settings, override=claim.public).release()
            claim.settle(path / PUBLIC_LEDGER)
            return cls(path, settings, override=None)  # as all that the ledger says has it

    @classmethod
    def open(cls, folder: str | Path, *, override: str | None = None) -> "Board":
        """The board in a folder."""
        path = board_folder(folder)
        return cls(path, BoardSettings.read(path), override=override)

    @property
    def ids(self) -> list[str]:
        """The rows that every submission has a prediction for. Not which phase they are of."""
        return sorted([*self._reader.public, *self._reader.final])

    def submit(
        self,
        team: str,
        predictions: object,
        *,
        name: str = "",
        declared: float | None = None,
        trained_on: int | None = None,
    ) -> Entry:
        """Score predictions in the public phase, and keep them for the final.

        predictions  a mapping from id to prediction, a frame with id and prediction, or a file
                     of either (CSV, TSV, Parquet, or a zip with one), for the rows of both phases
        declared     the team's own estimate of the score, from validation on rows of its own; if
                     the rows confirm it, it is the answer
        trained_on   how many rows that estimate was made from

        Without a declared score all that is checked is whether the entry beats the best by the
        step of the board. If it does not, nothing but that is told. The same predictions of a
        team are the same entry, for free.
        """
        team_name(team)
        label, rows = entry_name(name), self._desk.labels.rows
        guess = declared_guess(declared, trained_on, rows=rows)
        handed_in = self._reader.read(predictions)
        self._reader.check(self.metric, handed_in)
        score = MeanScore.of(self.metric, self._desk.labels, handed_in.public)
        with self._store.writing():
            earlier = self._store.same(team, handed_in.digest)
            if earlier is not None:
                return earlier
            self._check_open()
            if self.settings.share is not None:
                set_aside(self._desk.session.ledger, team, self.settings.share)
            if guess is None or self._store.corrected(team) >= self.settings.corrections:
                best = self._store.best(higher=self.metric.higher)
                guess = no_better(self._desk, self.metric, best=best, step=self.settings.step)
            answer = self._desk.as_analyst(team).ask(score, guess)
            entry = Entry(
                number=self._store.next_number(),
                team=team,
                name=label,
                made=moment(),
                declared=declared,
                trained_on=trained_on,
                told=told_by(answer, higher=self.metric.higher),
                value=answer.value,
                low=answer.low,
                high=answer.high,
                predictions=handed_in.digest,
                question=score.digest,
            )
            wrong = declared is not None and not answer.replayed and entry.told is Told.CORRECTED
            sample = at_least(self._desk.session, score, entry)
            self._store.add(entry, handed_in.final, sample=sample, wrong=wrong)
        return entry

    def _check_open(self) -> None:
        if self._store.state(_CLOSING) is not None:
            raise LedgerClosed(ledger=str(self.folder))

    def entries(self, team: str | None = None) -> list[Entry]:
        """All entries, or those of a team, in their order."""
        return self._store.entries(team)

    @property
    def closed(self) -> bool:
        """Whether submissions have ended."""
        return self._store.state(_CLOSING) is not None

    def left(self, team: str = "") -> int:
        """How many new predictions a team can have scored; of the rest, if it has no share yet."""
        if self.closed:
            return 0
        desk, share = self._desk.as_analyst(team), self.settings.share
        left = desk.standing().left
        if share is None:
            return left
        ledger, every = desk.session.ledger, self.settings.submissions
        new = share_left(ledger, team, share, submissions=every)
        return left if new is None else min(new, every - ledger.seen.draws)

    def standings(self) -> Standings:
        """Who stands where. Free."""
        entries, closed, now = self._store.entries(), self.closed, self._desk.standing()
        return standings_of(
            self.settings,
            entries,
            higher=self.metric.higher,
            closed=closed,
            left=0 if closed else now.questions - now.asked,
            left_of={team: self.left(team) for team in dict.fromkeys(e.team for e in entries)},
            failures=now.failures,
        )

    def choose(self, team: str, entry: int) -> Entry:
        """Say which entry of a team goes to the final; the last word before the close counts."""
        with self._store.writing():
            self._check_open()
            found = self._store.entry(entry) if type(entry) is int else None
            if found is None or found.team != team:
                accepted = f"the number of an entry of {team}"
                raise InvalidInput(argument="entry", accepted=accepted, given=repr(entry)[:80])
            self._store.choose(team, found.number)
        return found

    def chosen(self) -> dict[str, Entry]:
        """Which entry of each team goes to the final, as of now: its choice, or its best."""
        entries = self._store.entries()
        found = best_of_teams(entries, higher=self.metric.higher)
        numbered = {each.number: each for each in entries}
        return found | {team: numbered[each] for team, each in self._store.choices().items()}

    def close(self) -> Final:
        """End the submissions, score the final in one batch, and say who has won. Again the same.

        The labels of the final are read now, for the first time. If the process ends on the way,
        call it again: the finalists are those of the first call.
        """
        with self._store.writing():
            if not self.closed:
                chosen = list(self.chosen().values())
                numbers = finalists(chosen, higher=self.metric.higher)
                self._store.say(_CLOSING, {"finalists": numbers, "closed": moment()})
        with self._store.writing():  # alone, so that what is pending in the ledger is abandoned
            if (known := self.final) is not None:
                return known
            held = read_held(self.folder / FINAL)
            found = scored_final(
                held,
                self._running(held.rows),
                metric=self.metric,
                confidence=self.settings.confidence,
                ledger=self.folder / FINAL_LEDGER,
            )
            self._desk.session.ledger.retire()
            self._store.say(_FINAL, found.to_dict())
        return found

    def _running(self, rows: int) -> list[Running]:
        wanted: Any = (self._store.state(_CLOSING) or {})["finalists"]
        numbered = {each.number: each for each in self._store.entries()}
        found = [numbered[each] for each in wanted]
        return [Running(each, self._store.kept(each.predictions, rows=rows)) for each in found]

    @property
    def final(self) -> Final | None:
        """The final ranking, once the board is closed."""
        found = self._store.state(_FINAL)
        return None if found is None else Final.from_dict(found)

    def export(self) -> dict[str, Any]:
        """The signed result; `export_text` writes it, `verify_export` checks it."""
        final = self.final
        if final is None:
            raise not_closed()
        session = self._desk.session
        return signed_export(
            self.folder,
            settings=self.settings,
            final=final,
            entries=self._store.entries(),
            running=self.standings().running,
            ledgers={
                "public": {**head(session.ledger), **promise(session.plan.certificate)},
                "final": head_at(self.folder / FINAL_LEDGER),
            },
        )

    def release(self) -> None:
        """Let go of the files; they keep everything."""
        self._desk.close()
        self._store.close()

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
