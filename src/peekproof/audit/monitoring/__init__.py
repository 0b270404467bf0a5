"""The parts of the monitor: conversations as it sees them, what claims allow, and its report."""
