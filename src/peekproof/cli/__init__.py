"""The command line: arguments in, one call into the package, words out."""
