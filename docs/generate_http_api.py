"""Writes docs/reference/http-api.md from the OpenAPI document: python docs/generate_http_api.py"""

from collections.abc import Iterator
from inspect import cleandoc, getdoc
from pathlib import Path
from typing import Any

from peekproof.core.errors import DataError, LedgerClosed, LedgerError, Refusal, problems
from peekproof.server import messages
from peekproof.server.app import ENDPOINTS
from peekproof.server.endpoint import Endpoint
from peekproof.server.metrics import FAMILIES
from peekproof.server.openapi import document, openapi_endpoint
from peekproof.server.problems import STATUSES, status_of

ROOT = Path(__file__).parents[1]
Schema = dict[str, Any]

HEAD = """# HTTP API

What a [gateway](../how-to/serve-a-team.md) serves, generated from its OpenAPI document by
`docs/generate_http_api.py`. The document itself is at `/v1/openapi.json` of every gateway.

- **Who.** Send `Authorization: Bearer pp_…`. *Analysts* hold any token, *custodians* a
  custodian's; *anyone* needs none. A data set or a board that a token is not for is answered like
  one that does not exist. Headers that decide something (such as `Host` and `Authorization`) are
  sent once: a second one is refused with 400.
- **Bodies** are JSON. A field that is not listed is refused: a slip must not be charged for.
- **Keys.** Where `idempotency-key` is listed, a request that is sent again with its key gets the
  reply it got, also after a lost connection. A repeated question is free in any case.
- **Streams.** Where `application/x-ndjson` is among the replies, an `Accept` header with it asks
  for lines of JSON while the work goes on. Each has an `event`: `progress` with `done` and `of`
  (both 0 if that is not known or not told), then of a batch `answer` with `index` and `answer`, and
  last `end` (with `remaining`, `replay` or `attacked`) or `problem` with the `problem`.
- **Exact numbers** are texts such as `"1/4"`; `records` are answers as the ledger has them.
- **Problems** are `application/problem+json` (RFC 9457), [listed below](#problems): branch on
  `type`, not on words.
"""


def page() -> str:
    """The whole page."""
    endpoints = (*ENDPOINTS, openapi_endpoint(ENDPOINTS))
    made = document(endpoints)
    components = made["components"]["schemas"]
    parts = [HEAD, "## Routes\n", _index(endpoints)]
    parts += [_route(each, made["paths"][each.path][each.method.lower()]) for each in endpoints]
    parts.append("## Types\n")
    parts += [_type(name, components[name]) for name in sorted(components)]
    parts += ["## Problems\n", _problems(), "## Counts\n", _counts()]
    return "\n".join(parts)


def _index(endpoints: tuple[Endpoint, ...]) -> str:
    rows = ["| route | who | for |", "|---|---|---|"]
    for each in endpoints:
        rows.append(f"| `{each.method} {each.path}` | {_who(each)} | {each.summary} |")
    return "\n".join([*rows, ""])


def _who(endpoint: Endpoint) -> str:
    if endpoint.open:
        return "anyone"
    return "custodians" if endpoint.custodian else "analysts"


def _route(endpoint: Endpoint, said: Schema) -> str:
    lines = [f"### {endpoint.method} {endpoint.path}\n", f"{said['summary']}\n"]
    lines.append(f"- **Who** {_who(endpoint)}")
    for each in said["parameters"]:
        if each["in"] != "path":
            where = "header" if each["in"] == "header" else "parameter"
            name = f"`{each['name']}` ({where})"
            lines.append(f"- **Takes** {name}: {each['description']}")
    if "requestBody" in said:
        lines.append(f"- **Body** {_media(said['requestBody']['content'])}")
    told = {status: each for status, each in said["responses"].items() if status != "default"}
    for status, response in told.items():
        if status < "400":
            lines.append(f"- **Reply** {status} {_media(response.get('content', {}))}".rstrip())
    listed = [status for status in told if status >= "400"] or _statuses(endpoint)
    if listed:
        lines.append(f"- **Problems** {', '.join(listed)}")
    return "\n".join([*lines, ""])


def _statuses(endpoint: Endpoint) -> list[str]:
    """Which statuses a route may end with, by what it does."""
    dataset = "{dataset}" in endpoint.path
    reasons = {
        "401": not endpoint.open or endpoint.takes is messages.Visit,
        "403": endpoint.custodian or endpoint.method != "GET",
        "404": "{" in endpoint.path,
        "409": endpoint.spends or (dataset and endpoint.custodian and endpoint.method != "GET"),
        "413": endpoint.takes is not None,
        "422": endpoint.takes is not None or bool(endpoint.query),
        "429": not endpoint.open,
        "500": endpoint.spends,
        "503": dataset,
    }
    return [status for status, possible in reasons.items() if possible]


def _media(content: Schema) -> str:
    return ", ".join(
        _shape(each["schema"]) if media == "application/json" else f"`{media}`"
        for media, each in content.items()
    )


def _type(name: str, schema: Schema) -> str:
    lines = [f"### {name}\n", f"{cleandoc(schema.get('description', ''))}\n"]
    if "properties" in schema:
        needed = schema.get("required", [])
        lines += ["| field | is | |", "|---|---|---|"]
        for field, each in schema["properties"].items():
            lines.append(f"| `{field}` | {_shape(each)} | {_default(field, each, needed)} |")
        lines.append("")
    return "\n".join(lines)


def _default(field: str, schema: Schema, needed: list[str]) -> str:
    if field in needed:
        return "required" if "default" not in schema else ""
    return "" if schema.get("default") is None else f"default `{schema['default']!r}`"


def _shape(schema: Schema) -> str:
    """A type in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_shape(each) for each in schema["anyOf"])
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_shape(schema.get('items', {}))}{_limits(schema)}"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of {_shape(inner)}" if isinstance(inner, dict) and inner else "object"
    return f"{kind}{_limits(schema)}"


_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "pattern": "`{}`",
}


def _limits(schema: Schema) -> str:
    told = [
        text.format(f"{schema[key]:,}" if isinstance(schema[key], int) else schema[key])
        for key, text in _LIMITS.items()
        if key in schema
    ]
    said = ", ".join(told).replace("|", "\\|")
    return f" ({said})" if said else ""


def _problems() -> str:
    lines = [
        "`type` is `/v1/problems/NAME`, which anyone can read, `detail` is for people, and",
        "`fields` is what it is made of. 429 and 503 have `Retry-After`. Errors of ledgers and",
        "sources are `gateway-unavailable`: paths and addresses are the custodian's business.\n",
        "| status | type | means |",
        "|---|---|---|",
    ]
    lines += [f"| {status} | `{name}` | {about} |" for status, name, about in sorted(_listed())]
    return "\n".join([*lines, ""])


def _counts() -> str:
    lines = ["What `GET /metrics` tells.\n", "| name | kind | counts |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind} | {about} |" for name, kind, about in FAMILIES]
    return "\n".join([*lines, ""])


def _listed() -> Iterator[tuple[int, str, str]]:
    kinds = tuple(kind for kind, _ in STATUSES)
    for name, kind in problems().items():
        hidden = issubclass(kind, LedgerError | DataError) and kind is not LedgerClosed
        if issubclass(kind, kinds) and not hidden and kind is not Refusal:
            about = (getdoc(kind) or "").partition("\n")[0]
            yield status_of(kind.__new__(kind)), name, about
    yield 500, "unforeseen", "An error that nobody foresaw; the log tells where."


if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "http-api.md").write_text(page())
