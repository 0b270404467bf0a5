"""Gateways in processes of their own, and the crowds that ask them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from load.crowd import Crowd, Report
from peekproof.server.runner import serve
from peekproof.server.settings import Dataset, Limits, Settings
from peekproof.server.store import Scope, Store

PATIENCE = 120  # seconds, only so that what hangs fails the test instead of the run


def started(module: str, *arguments: str, **how: Any) -> subprocess.Popen[bytes]:
    """A module at work in a process that finds the same modules as this one."""
    paths = os.pathsep.join(each for each in sys.path if each)
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}, **how)


@dataclass(frozen=True)
class Serving:
    """A gateway that runs in a process, or in several under one that supervises them."""

    process: subprocess.Popen[bytes]
    folder: Path
    port: int
    tokens: list[str]
    supervised: bool

    def workers(self) -> list[int]:
        """The processes that answer."""
        parent = self.process.pid
        if not self.supervised:
            return [parent]
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [pid for pid in map(int, children) if b"spawn_main" in _command(pid)]

    def kill_busiest(self) -> int:
        """End the worker with most clients at once, without a word."""
        busiest = max(self.workers(), key=lambda pid: _clients(pid, self.port))
        os.kill(busiest, signal.SIGKILL)
        return busiest

    def memory(self) -> int:
        """Bytes that the workers hold in memory together."""
        return sum(_resident(pid) for pid in self.workers())

    def processor_seconds(self) -> float:
        return sum(_processor_seconds(pid) for pid in self.workers())

    def stop(self) -> int:
        """Ask it to end, wait until it has, and return how."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    @contextmanager
    def crowd(self, **said: Any) -> Iterator[Asking]:
        """A crowd at work, which is waited for at the end."""
        name = said.pop("name", "crowd")
        file = self.folder / f"{name}.json"
        crowd = Crowd(**{"port": self.port, "tokens": self.tokens, **said})
        file.write_text(json.dumps(asdict(crowd)))
        asking = Asking(started("load.crowd", str(file)), file)
        try:
            yield asking
            asking.process.wait(timeout=PATIENCE + (crowd.seconds or 0))
        finally:
            asking.process.kill()
            asking.process.wait()

    def asked_by(self, **said: Any) -> Report:
        """What a crowd got."""
        with self.crowd(**said) as asking:
            pass
        return asking.report()


@dataclass(frozen=True)
class Asking:
    """A crowd in a process of its own."""

    process: subprocess.Popen[bytes]
    file: Path

    @property
    def done(self) -> bool:
        return self.process.poll() is not None

    def report(self) -> Report:
        if self.process.returncode != 0:
            raise RuntimeError("the crowd did not come to its end")
        return Report(**json.loads(self.file.with_suffix(".report").read_text()))


@contextmanager
def serving(
    folder: Path, dataset: Dataset, *, analysts: tuple[str, ...] = ("ann",), **settings: Any
) -> Iterator[Serving]:
    """A gateway for a data set, as a process that is ready for questions."""
    store = Store(folder / "gateway.tokens")
    tokens = [store.create_token(analyst=name, scope=Scope.ANALYST) for name in analysts]
    store.close()
    file, ready = folder / "serving.json", folder / "serving.ready"
    ready.unlink(missing_ok=True)
    file.write_text(json.dumps({"dataset": asdict(dataset), "settings": settings}))
    process = started("load.serving", str(file))
    try:
        deadline = time.monotonic() + PATIENCE
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the gateway did not start")
            time.sleep(0.01)
        port = int(ready.read_text().rsplit(":", 1)[1])
        yield Serving(process, folder, port, tokens, settings.get("workers", 1) > 1)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def ended(pid: int) -> bool:
    """Whether a process has ended, also if nobody has asked how."""
    try:
        return ") Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def _clients(pid: int, port: int) -> int:
    """How many connections to this port a process holds; those to a database are not clients."""
    try:
        links = [file.readlink().name for file in Path(f"/proc/{pid}/fd").iterdir()]
        lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    except OSError:  # it has just ended
        return 0
    fields = [line.split() for line in lines]
    to_port = [each for each in fields if each[1].endswith(f":{port:04X}") and each[3] == "01"]
    return sum(f"socket:[{each[9]}]" in links for each in to_port)


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    file = Path(sys.argv[1])
    said = json.loads(file.read_text())
    settings = Settings(
        datasets=(Dataset(**said["dataset"]),),
        store=file.with_name("gateway.tokens"),
        port=0,
        limits=Limits(rate=0),
        **said["settings"],
    )

    def ready(address: str) -> None:
        told = file.with_suffix(".told")
        told.write_text(address)
        told.rename(file.with_suffix(".ready"))

    serve(settings, ready=ready)


if __name__ == "__main__":
    main()
