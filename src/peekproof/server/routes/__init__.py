"""Handlers: what each route does, once it is clear who asks and what."""
