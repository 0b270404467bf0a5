"""One accountant a file."""
