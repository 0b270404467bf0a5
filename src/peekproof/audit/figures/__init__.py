"""The pictures that commands draw."""
