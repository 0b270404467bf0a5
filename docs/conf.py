"""The site that `make docs` builds: every page of the repository, searchable, from files alone.

The source directory is the repository's root, so that links between pages lead to the same places
here and on a code host.
"""

import sys
from pathlib import Path

import peekproof

sys.path.insert(0, str(Path(__file__).parent))

project = "Peekproof"
author = "The Peekproof authors"
version = release = peekproof.__version__

root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "bench/results/*.md",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
smartquotes = False  # ":memory:" is to be copied
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "site_docstrings",
    "site_navigation",
    "site_notebooks",
    "site_sources",
]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "attrs_inline"]

autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries = False  # the navigation lists pages

html_theme = "furo"
html_title = "Peekproof"
html_static_path = ["static"]
html_extra_path = ["front"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # a page that was opened as a file may not read others
html_copy_source = False
