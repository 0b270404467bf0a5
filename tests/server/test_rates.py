"""How fast a token may ask: a burst, then a steady rate, for all workers together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from peekproof.core.errors import TooManyRequests
from peekproof.server import quotas
from peekproof.server.quotas import CROWD, Rates, Strangers, peer_of
from peekproof.server.settings import Limits
from server.guests import browser, guarded, token, visit


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.present = 1e9

    def time(self) -> float:
        return self.present


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(quotas, "time", SimpleNamespace(time=found.time))
    return found


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[Rates, Rates]]:
    """Two, on one file; two requests a second after a burst of four."""
    found = [Rates(tmp_path / "rates", rate=2, burst=4) for _ in range(2)]
    yield found[0], found[1]
    for each in found:
        each.close()


def admitted(of: Rates, slot: int, *, most: int = 100) -> int:
    """How many requests are let in at once."""
    for count in range(most):
        try:
            of.admit(slot)
        except TooManyRequests:
            return count
    return most


def test_workers_count_together(clock: Clock, workers: tuple[Rates, Rates]) -> None:
    one, other = workers
    assert admitted(one, 7, most=3) == 3
    assert admitted(other, 7) == 1
    assert admitted(one, 7) == 0
    assert admitted(one, 8) == 4  # another token


def test_what_is_used_up_comes_back_at_the_rate(clock: Clock, workers: tuple[Rates, Rates]) -> None:
    one, other = workers
    assert admitted(one, 7) == 4
    with pytest.raises(TooManyRequests) as refused:
        one.admit(7)
    assert refused.value.retry_after == 0.5
    clock.present += 0.4998
    with pytest.raises(TooManyRequests, match=r"wait 0\.1 seconds"):
        one.admit(7)
    clock.present -= 0.4998
    clock.present += 1
    assert admitted(other, 7) == 2
    clock.present += 1000
    assert admitted(other, 7) == 4


def test_a_refused_request_does_not_count(clock: Clock, workers: tuple[Rates, Rates]) -> None:
    one, _ = workers
    assert admitted(one, 7) == 4
    assert [admitted(one, 7) for _ in range(10)] == [0] * 10
    clock.present += 0.5
    assert admitted(one, 7) == 1


def test_a_clock_that_is_set_back_shuts_nobody_out(
    clock: Clock, workers: tuple[Rates, Rates]
) -> None:
    one, _ = workers
    assert admitted(one, 7) == 4
    clock.present -= 86_400
    assert admitted(one, 7) == 4


def test_the_gateway_says_when_to_come_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    limits = Limits(rate=0.01, burst=3)
    with guarded(tmp_path_factory, limits=limits) as (gateway, _):
        statuses = [gateway.send("GET", "/v1/datasets").status for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        said = gateway.send("GET", "/v1/datasets")
        assert said.json["type"] == "/v1/problems/too-many-requests"
        assert 1 <= int(said.headers["retry-after"]) <= 1 / 0.01 + 1
        assert int(said.headers["retry-after"]) >= said.json["fields"]["retry_after"]
        assert gateway.send("GET", "/v1/datasets", token=token(gateway)).status == 200
        assert gateway.send("GET", "/v1/health", token="").status == 200


def test_strangers_are_limited_by_address_and_in_all(clock: Clock, tmp_path: Path) -> None:
    one, other = (Strangers(tmp_path / "rates", rate=2, burst=4) for _ in range(2))

    def let_in(peer: str) -> int:
        for count in range(100):
            try:
                (one if count % 2 else other).admit(peer)
            except TooManyRequests:
                return count
        return 100

    found = [let_in(f"10.0.0.{number}") for number in range(20)]
    assert found == [4] * CROWD + [0] * (20 - CROWD)
    clock.present += 1
    assert let_in("10.0.0.1") == 2
    for each in (one, other):
        each.close()


@pytest.mark.parametrize(
    ("client", "peer"),
    [
        (("127.0.0.1", 5), "127.0.0.1"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::/64"),
        (("2001:db8:1:2::9", 5), "2001:db8:1:2::/64"),
        (("::ffff:10.0.0.1", 5), "10.0.0.1"),
        (("fe80::1%eth0", 5), "fe80::/64"),
        (("/run/socket\x1b[2J", 0), "unknown"),
        (None, "unknown"),
    ],
)
def test_an_address_is_that_of_one_owner(client: tuple[str, int] | None, peer: str) -> None:
    assert peer_of(client) == peer


def test_a_flood_of_strangers_locks_nobody_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Also of those who come from the same address."""
    with guarded(tmp_path_factory, limits=Limits(rate=0.01, burst=6)) as (gateway, _):
        known = browser(gateway, gateway.analyst)
        statuses = [gateway.send("GET", "/v1/datasets", token="").status for _ in range(5)]
        statuses += [gateway.ask("night", token="pp_a_b").status for _ in range(5)]
        statuses += [visit(gateway, "pp_a_b").status for _ in range(5)]
        assert statuses == [401] * 6 + [429] * 9
        said = gateway.send("GET", "/v1/datasets", token="")
        assert (said.status, said.json["type"]) == (429, "/v1/problems/too-many-requests")
        assert int(said.headers["retry-after"]) >= 1
        assert gateway.send("GET", "/v1/datasets").status == 200
        assert gateway.ask("night").status == 200
        assert known.send("GET", "/v1/datasets").status == 200
        assert visit(gateway, gateway.custodian).status == 200
        assert gateway.send("GET", "/v1/health", token="").status == 200
        assert gateway.send("GET", "/", token="").status == 200


def test_visits_count_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    with guarded(tmp_path_factory, limits=Limits(rate=0.01, burst=2)) as (gateway, _):
        statuses = [visit(gateway, gateway.analyst).status for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert gateway.send("GET", "/v1/datasets").status == 429
