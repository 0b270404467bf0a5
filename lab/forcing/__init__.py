"""Conversations that force as much error on a mechanism as is known how to."""
