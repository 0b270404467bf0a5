"""Counts for Prometheus. No durations: they depend on the rows."""

from collections.abc import Iterable
from typing import final

import msgspec

from peekproof.server.counts import Counts

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]


@final
class Metrics:
    """What all workers have counted: any of them answers for all, so that no count goes back."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._names: dict[tuple[str, Labels], bytes] = {}

    def count(self, name: str, **labels: str) -> None:
        key = name, tuple(sorted(labels.items()))
        written = self._names.get(key)
        if written is None:
            written = self._names[key] = msgspec.json.encode(key)
        self._counts.add(written)

    def samples(self) -> list[tuple[str, Labels, float]]:
        return [(*_read(written), value) for written, value in self._counts.all().items()]

    def close(self) -> None:
        self._counts.close()


def _read(written: bytes) -> tuple[str, Labels]:
    return msgspec.json.decode(written, type=tuple[str, Labels])


# Name, type and help of everything that is exposed.
FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("peekproof_requests_total", "counter", "Requests by route and status."),
    ("peekproof_refusals_total", "counter", "Problems by name."),
    ("peekproof_questions_asked", "gauge", "Questions paid for, by data set."),
    ("peekproof_questions_left", "gauge", "New questions that fit as planned, by data set."),
    ("peekproof_budget_spent_ratio", "gauge", "Part of the budget that is spent, by data set."),
    ("peekproof_ledger_entries", "gauge", "Entries of the ledger, by data set."),
    ("peekproof_board_entries", "gauge", "Entries that were handed in, by board."),
    ("peekproof_board_submissions_left", "gauge", "New predictions that can be scored, by board."),
    ("peekproof_board_closed", "gauge", "1 if the board is closed, by board."),
    ("peekproof_requests_waiting", "gauge", "Requests at work or in line in this worker."),
)


def exposition(samples: Iterable[tuple[str, Labels, float]]) -> str:
    """The text format of Prometheus."""
    listed = list(samples)
    lines = []
    for name, kind, help in FAMILIES:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
        for each, labels, value in listed:
            if each == name:
                inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
                lines.append(f"{name}{{{inside}}} {value!r}" if inside else f"{name} {value!r}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
