"""Archives of others can do no harm."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from learn.board.contests import Contest
from peekproof.core.errors import DataError
from peekproof.learn.board.submission import MOST_FILES, unpacked


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "name", ["../evil.csv", "/tmp/evil.csv", "a/../../evil.csv", "..\\evil.csv", "C:evil.csv"]
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    archive = packed(tmp_path / "a.zip", **{name: "id,prediction\n"})
    with pytest.raises(DataError, match="leads elsewhere"), unpacked(archive):
        pass
    assert list(tmp_path.rglob("evil.csv")) == []


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("predictions.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(DataError, match="not a plain file"), unpacked(tmp_path / "a.zip"):
        pass


def test_what_unpacks_to_too_much_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("predictions.csv", "0" * 100_000)
    over = pytest.raises(DataError, match="more than 9,999")
    with over, unpacked(tmp_path / "a.zip", most_bytes=9_999):
        pass
    with unpacked(tmp_path / "a.zip", most_bytes=100_000) as folder:
        assert sum(each.stat().st_size for each in folder.rglob("*.csv")) == 100_000


def test_too_many_files_and_broken_archives_are_refused(tmp_path: Path) -> None:
    many = packed(tmp_path / "a.zip", **{str(each): "" for each in range(MOST_FILES + 1)})
    with pytest.raises(DataError, match="more than"), unpacked(many):
        pass
    (tmp_path / "b.zip").write_bytes(many.read_bytes()[:-30])
    with pytest.raises(DataError, match="cannot be unpacked"), unpacked(tmp_path / "b.zip"):
        pass


def test_a_submission_may_be_a_zip(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=400)
    given = contest.right(0.7)
    path = packed(tmp_path / "a.zip", **{"deep/predictions.csv": given.write_csv(), "x.md": "hi"})
    assert contest.board.submit("ann", path) == contest.board.submit("ann", given)


def test_packed_content_that_is_damaged_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    for way in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", way) as archive:
            archive.writestr("predictions.csv", "".join(f"r{each},1\n" for each in range(999)))
        content = bytearray(path.read_bytes())
        content[60:200] = bytes(each ^ 0xFF for each in content[60:200])
        path.write_bytes(content)
        with pytest.raises(DataError, match="cannot be unpacked"), unpacked(path):
            pass
