"""`ledger export`, `replay`, `diff` and `receipt`, and exports wherever a ledger can be named."""

import json
import re
import shlex
import shutil
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import pytest

import peekproof
from cli.running import ESCAPE, Run, in_pipe, on_terminal
from ledger.books import chained, overwrite
from peekproof.core.errors import LedgerDamaged
from peekproof.core.secret import SECRET
from peekproof.ledger.export import read_export
from peekproof.ledger.ledger import Ledger

WARNED = (
    "Warning: the export holds the fingerprint of the data and the keys of the ledger, because the "
    "chain covers them. It is for the custodian, not for analysts.\n"
)


@pytest.fixture
def book(run: Run, people: Path) -> str:
    """A ledger with two answers of a budget of five."""
    promise = ("--questions", "5", "--mechanism", "gaussian")
    assert run("ask", str(people), "smoker", "age < 30", *promise).code == 0
    return f"{people}.peekproof"


@pytest.fixture
def exported(run: Run, book: str, tmp_path: Path) -> str:
    path = str(tmp_path / "people.jsonl")
    assert run("ledger", "export", book, "--out", path).code == 0
    return path


@pytest.fixture
def keyed(people: Path) -> str:
    """A ledger on fresh rows, whose first entry holds a key."""
    with peekproof.open(people, questions=5, mechanisms=[peekproof.FreshRows]) as data:
        data.ask("smoker")
    return f"{people}.peekproof"


def keys_of(book: str) -> tuple[str, str]:
    with closing(Ledger.open(book)) as ledger:
        return ledger.opening.key, ledger.opening.mechanism[f"{SECRET}key"]


# Export ---------------------------------------------------------------------------------------


def test_an_export_goes_to_standard_output_or_to_a_new_file(
    run: Run, book: str, people: Path, tmp_path: Path
) -> None:
    shown = run("ledger", "export", str(people))
    out = tmp_path / "new.jsonl"
    done = run("ledger", "export", book, "--out", str(out))

    assert (shown.code, shown.err, done.code, done.err) == (0, WARNED, 0, WARNED)
    assert shown.out == out.read_text()
    assert done.out == f"{book}: 2 entries written to {out}\n"
    assert [entry.kind for entry in read_export(out)] == ["open", "answer"]
    assert out.stat().st_mode & 0o077 == 0


def test_an_export_never_replaces_a_file(run: Run, book: str, people: Path, tmp_path: Path) -> None:
    before = people.read_bytes()
    for place in (str(people), str(tmp_path), str(tmp_path / "no" / "where")):
        done = run("ledger", "export", book, "--out", place)
        assert (done.code, done.out) == (2, "")
        assert "--out must be a new file" in done.err
    assert people.read_bytes() == before


def test_an_export_that_fails_leaves_no_file(
    run: Run, book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(ledger: Ledger, file: TextIO) -> int:
        file.write("the first lines")
        raise LedgerDamaged(ledger=ledger.place, problem="is damaged")

    monkeypatch.setattr("peekproof.cli.ledger.export_to", fail)
    out = tmp_path / "new.jsonl"
    assert run("ledger", "export", book, "--out", str(out)).code == 4
    assert not out.exists()


def test_a_database_elsewhere_is_not_looked_for_among_files(run: Run) -> None:
    done = run("ledger", "verify", "nosuch://host/name")
    assert done.code == 4
    assert "nosuch://host/name" in done.err


def test_keys_in_an_export_are_warned_about_and_shown_nowhere_else(
    run: Run, keyed: str, tmp_path: Path
) -> None:
    keys = keys_of(keyed)
    done = run("ledger", "export", keyed)
    assert done.code == 0
    assert all(key in done.out for key in keys)
    assert done.err == WARNED
    other = str(shutil.copy(keyed, tmp_path / "other.peekproof"))
    with peekproof.open(tmp_path / "people.csv", ledger=other) as data:
        data.ask("age < 30")
    with peekproof.open(
        {"age": [1.0, 2.0] * 500},
        ledger=tmp_path / "third.peekproof",
        questions=5,
        mechanisms=[peekproof.FreshRows],
    ):
        pass
    for command in (
        ["show", keyed],
        ["verify", keyed],
        ["replay", keyed],
        ["receipt", keyed],
        ["diff", keyed, other],
        ["diff", keyed, str(tmp_path / "third.peekproof")],
    ):
        for form in ([], ["--json"]):
            shown = run("ledger", *command, *form)
            assert shown.out
            assert not [key for key in keys if key in shown.out + shown.err]


# Exports in the place of ledgers --------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "verify", "replay", "receipt"])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_an_export_is_read_as_the_ledger_it_came_from(
    command: str, form: list[str], run: Run, book: str, exported: str
) -> None:
    direct, other = run("ledger", command, book, *form), run("ledger", command, exported, *form)
    assert (direct.code, direct.err) == (other.code, other.err) == (0, "")
    assert other.out == direct.out.replace(book, exported)


@pytest.mark.parametrize("command", ["show", "verify", "replay", "receipt", "export"])
def test_a_damaged_export_exits_4_and_names_the_line(command: str, run: Run, exported: str) -> None:
    kept = Path(exported).read_text().splitlines(keepends=True)
    Path(exported).write_text("".join([kept[0], kept[1][:-3] + "\n", *kept[2:]]))
    done = run("ledger", command, exported)
    assert (done.code, done.out) == (4, "")
    assert "line 2 is not JSON" in done.err


def test_an_export_that_is_cut_off_exits_4(run: Run, exported: str) -> None:
    kept = Path(exported).read_text().splitlines(keepends=True)
    Path(exported).write_text("".join(kept[:2]))
    done = run("ledger", "verify", exported)
    assert done.code == 4
    assert "is cut off" in done.err


# Replay ---------------------------------------------------------------------------------------


def test_replay_counts_and_certifies_again(run: Run, people: Path, book: str) -> None:
    done = run("ledger", "replay", str(people))
    found = json.loads(run("ledger", "replay", book, "--json").out)

    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    (receipt, _) = json.loads(run("ledger", "receipt", book, "--json").out)
    assert lines[1:] == [
        f"analysts and receipts call the data {receipt['data']}",
        "2 entries: 1 open, 1 answer",
        "2 of 5 questions asked, 40.00% spent",
        "answers: 2; certificates given again: 2",
    ]
    assert found["ledger"] == book
    assert (found["entries"], found["answers"], found["certificates"]) == (2, 2, 2)
    assert Fraction(found["spent"]) * 5 == Fraction(found["budget"]) * 2


def test_replay_lists_analysts_shares_and_what_the_custodian_did(run: Run, book: str) -> None:
    with closing(Ledger.open(book)) as ledger:
        ledger.set_aside({"Ana": Fraction(1, 2)})
        ledger.override(reason="a test", against="pp1-0")
        ledger.retire()
    shown = run("ledger", "replay", book).out
    assert "overrides by the custodian: 1" in shown
    assert "closed: nothing new is answered" in shown
    assert [line.split() for line in shown.splitlines()[-2:]] == [
        ["(no", "name)", "2", "40.00%"],
        ["Ana", "0", "0.00%", "50.00%"],
    ]


def rewritten(book: str, old: str, new: str) -> None:
    """A forger's work: change what an entry says and chain all of them anew."""
    with closing(Ledger.open(book)) as ledger:
        entries = ledger.entries()
    assert sum(old in entry.text for entry in entries) == 1
    texts = [(entry.kind, json.loads(entry.text.replace(old, new))) for entry in entries]
    overwrite(Path(book), chained(texts))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            '"kind":"fresh-rows","rounds"',
            '"kind":"wishing","rounds"',
            "names the mechanism 'wishing'",
        ),
        ('"budget":"5"', '"budget":"6"', "a budget its plan does not have"),
        ('"text":"smoker"', '"note":1,"text":"smoker"', ""),
        ('"confidence":"19/20"', '"confidence":"3/2"', "promises what no theorem gives"),
    ],
)
def test_a_sound_chain_that_no_theorem_supports_exits_4(
    old: str, new: str, problem: str, run: Run, keyed: str
) -> None:
    rewritten(keyed, old, new)
    assert run("ledger", "verify", keyed).code == 0
    done = run("ledger", "replay", keyed)
    assert done.code == (4 if problem else 0)
    assert problem in done.err


def test_an_answer_that_cannot_be_exits_4(run: Run, keyed: str) -> None:
    with closing(Ledger.open(keyed)) as ledger:
        (settled,) = ledger.answers().values()
    rewritten(keyed, f'"{settled.value}"', '"3/2"')
    done = run("ledger", "replay", keyed)
    assert done.code == 4
    assert "records an answer that cannot be (it is no share," in done.err


def test_progress_is_for_terminals_alone(book: str) -> None:
    piped = in_pipe("-m", "peekproof", "ledger", "verify", book)
    assert (piped.code, piped.err) == (0, "")
    assert ESCAPE not in piped.out
    seen = on_terminal("-m", "peekproof", "ledger", "verify", book)
    assert seen.code == 0
    assert "entries" in seen.out
    assert "2/2" in seen.out


# Diff -----------------------------------------------------------------------------------------


def test_diff_of_the_same_is_0(run: Run, people: Path, exported: str) -> None:
    done = run("ledger", "diff", str(people), exported)
    assert (done.code, done.out, done.err) == (0, "identical: 2 entries\n", "")
    found = json.loads(run("ledger", "diff", str(people), exported, "--json").out)
    assert (found["difference"], found["shared"]) == ("identical", 2)


def test_diff_says_who_continues_whom(run: Run, people: Path, book: str, exported: str) -> None:
    assert run("ask", str(people), "age < 40").code == 0
    for first, second, kind in (
        (book, exported, "first continues second"),
        (exported, book, "second continues first"),
    ):
        done = run("ledger", "diff", first, second)
        found = json.loads(run("ledger", "diff", first, second, "--json").out)
        assert (done.code, done.err) == (1, "")
        assert done.out == f"{book} continues {exported}: 1 more entry after the same 2\n"
        assert (found["difference"], found["shared"], found["more"]) == (kind, 2, 1)


def test_diff_shows_where_two_part(
    run: Run, people: Path, book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(shutil.copy(book, tmp_path / "other.peekproof"))
    assert run("ask", str(people), "age < 40").code == 0
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "elsewhere"))
    assert run("ask", str(people), "age < 41", "--ledger", other).code == 0
    done = run("ledger", "diff", book, other)
    found = json.loads(run("ledger", "diff", book, other, "--json").out)

    assert done.code == 1
    first, *both = done.out.splitlines()
    assert first == "they part at entry 3, after 2 that are the same"
    for line, place, text in zip(both, (book, other), ("age < 40", "age < 41"), strict=True):
        assert line.startswith(f"{place}: answer ")
        assert text in line
    assert (found["difference"], found["shared"]) == ("parted", 2)
    assert found["second_entry"]["body"]["questions"][0]["text"] == "age < 41"
    assert found["first_entry"]["sequence"] == found["second_entry"]["sequence"] == 3


def test_diff_with_nothing_or_with_damage_exits_4(run: Run, book: str, tmp_path: Path) -> None:
    assert run("ledger", "diff", book, str(tmp_path / "none")).code == 4
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert run("ledger", "diff", book, str(tmp_path / "bad.jsonl")).code == 4


# Receipts -------------------------------------------------------------------------------------


def test_receipts_for_all_or_for_one(run: Run, book: str, tmp_path: Path) -> None:
    both = run("ledger", "receipt", book)
    found = json.loads(run("ledger", "receipt", book, "--json").out)
    assert (both.code, both.err) == (0, "")
    assert both.out.count("Peekproof receipt: answer ") == len(found) == 2
    for asked in ("age < 30", " age  <  30", "2", found[1]["digest"], found[1]["digest"][:8]):
        one = run("ledger", "receipt", book, asked)
        assert one.code == 0
        assert one.out == both.out[both.out.index("Peekproof receipt: answer 2") :]
    out = tmp_path / "receipt.txt"
    done = run("ledger", "receipt", book, "1", "--out", str(out))
    assert done.out == f"1 receipt written to {out}\n"
    assert both.out.startswith(out.read_text())


@pytest.mark.parametrize("asked", ["age < 31", "0", "3", "", "-1"])
def test_no_receipt_for_what_has_no_answer(run: Run, book: str, asked: str) -> None:
    done = run("ledger", "receipt", book, "--", asked)
    assert (done.code, done.out) == (2, "")
    assert "QUESTION must be a question with an answer, or its number from 1 to 2" in done.err


def test_a_receipt_says_what_ask_said(run: Run, people: Path, book: str) -> None:
    (again,) = json.loads(run("ask", str(people), "smoker", "--json").out)["answers"]
    (found,) = json.loads(run("ledger", "receipt", book, "smoker", "--json").out)
    assert found["answer"] == {name: again[name] for name in ("value", "low", "high")}
    assert found["certificate"]["citations"]


# The page on audits ---------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def test_the_page_on_audits_shows_what_the_commands_print(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/how-to/audit-a-ledger.md").read_text()
    blocks = re.findall(r"^```console\n\$ peekproof (.*?)\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) == 5
    shutil.copy(ROOT / "tests/cli/audited/people.csv.peekproof", tmp_path / "people.csv.peekproof")
    monkeypatch.chdir(tmp_path)
    for command, printed in blocks:
        words = shlex.split(command)
        if words[1] == "diff":
            with closing(Ledger.open("people.csv.peekproof")) as ledger:
                for number in range(4):
                    ledger.override(reason=f"reason {number}", against="pp1-0")
        done = run(*words)
        assert (done.out, done.err) == (printed, WARNED if words[1] == "export" else "")
        assert done.code == (1 if words[1] == "diff" else 0)
