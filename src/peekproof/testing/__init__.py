"""Tools for testing randomised code with a stated rate of false alarms."""
