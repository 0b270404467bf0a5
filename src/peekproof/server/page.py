"""The web page: files that ship with the package, read once and served from memory."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "assets"
INDEX, BOARD = "index.html", "board.html"

# Said here, because what a system takes a .js file for is its own business.
TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file of the page; its tag is that of its bytes, the same in every worker."""

    body: bytes
    media_type: str
    tag: str

    @classmethod
    def read(cls, path: Path) -> "Asset":
        body = path.read_bytes()
        digest = hashlib.sha256(body).hexdigest()[:32]
        return cls(body=body, media_type=TYPES[path.suffix], tag=f'"{digest}"')

    def respond(self, request: Request) -> Response:
        """The file, or that it is still the one the browser has."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        known = request.headers.get("if-none-match", "")
        if self.tag in (each.strip().removeprefix("W/") for each in known.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(self.body, media_type=self.media_type, headers=headers)


def read_assets() -> dict[str, Asset]:
    """All files of the page by name."""
    return {path.name: Asset.read(path) for path in FOLDER.iterdir() if path.suffix in TYPES}


def page_routes() -> list[Route]:
    """The page itself, and what it is made of. Nothing else is looked for on the disk."""
    assets = read_assets()

    async def index(request: Request) -> Response:
        return assets[INDEX].respond(request)

    async def board(request: Request) -> Response:
        return assets[BOARD].respond(request)

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return found.respond(request)

    return [
        Route("/", index, methods=["GET"]),
        Route("/boards/{name}", board, methods=["GET"]),
        Route("/assets/{name}", asset, methods=["GET"]),
    ]
