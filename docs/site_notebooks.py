"""Notebooks on the site, as they were saved: cells become Markdown, and nothing is run."""

import json
from typing import Any

from sphinx.application import Sphinx

FENCE = "````"


def joined(text: str | list[str]) -> str:
    """Text that notebooks keep as lines, or in one piece."""
    return text if isinstance(text, str) else "".join(text)


def fenced(language: str, text: str) -> str:
    """A block of code or of what it printed."""
    return f"{FENCE}{language}\n{text.rstrip()}\n{FENCE}"


def shown(output: dict[str, Any]) -> str:
    """One output of a cell: a picture, a table, or text; the richest there is."""
    if output["output_type"] == "stream":
        return fenced("text", joined(output["text"]))
    if output["output_type"] == "error":
        return fenced("text", f"{output['ename']}: {output['evalue']}")
    data = output["data"]
    if "image/png" in data:
        picture = "".join(joined(data["image/png"]).split())
        return f"![What the cell above draws](data:image/png;base64,{picture})"
    if "text/html" in data:
        return fenced("{raw} html", f'<div class="output">{joined(data["text/html"])}</div>')
    return fenced("text", joined(data.get("text/plain", "")))


def markdown(notebook: dict[str, Any]) -> str:
    """A whole notebook."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        source = joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code" and source.strip():
            parts.append(fenced("python", source))
            parts += [shown(output) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Replace a notebook's JSON by Markdown, as Sphinx reads the file."""
    if app.env.doc2path(name).suffix == ".ipynb":
        source[0] = markdown(json.loads(source[0]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
