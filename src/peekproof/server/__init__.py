"""The gateway: one process, or several, that answer for held data over HTTP."""
