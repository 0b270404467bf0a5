"""Every picture, each by a module of its own, which names the command that draws it."""
