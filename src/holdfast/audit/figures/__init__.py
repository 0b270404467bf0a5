"""Every picture, each by a module of its own: `python -m holdfast.audit.figures.NAME FILE`."""
