"""`python -m peekproof` is the command line."""

from peekproof.cli.main import main

main()
