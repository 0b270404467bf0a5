"""Pictures for the documentation, each by a module that names the command that draws it."""
