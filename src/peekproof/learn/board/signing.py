"""The key pair of a board: Ed25519, by the package `cryptography`."""

from pathlib import Path
from typing import TYPE_CHECKING

from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.writing import write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE = "signing-key.pem"
_KEY_BYTES, _SIGNATURE_BYTES = 32, 64


def new_key(folder: Path) -> str:
    """Make a key pair; the private part stays in the folder, for its owner alone to read."""
    _needed()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_whole(folder / FILE, text, mode=0o600)
    return _public(key)


def sign(folder: Path, message: bytes, *, public_key: str) -> str:
    """The signature by the board's key, in hexadecimal."""
    _needed()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    path = folder / FILE
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey) or _public(key) != public_key:
        problem, hint = "is not the signing key of the board", "restore the file from a backup"
        raise DataError(source=str(path), problem=problem, hint=hint)
    return key.sign(message).hex()


def signed_by(public_key: str, message: bytes, signature: str) -> bool:
    """Whether the signature is that of the key; keys and signatures are written in one way only."""
    _needed()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PublicKey,
    )

    raw = _plain(signature, _SIGNATURE_BYTES)
    if raw is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(checked_key(public_key)).verify(raw, message)
    except InvalidSignature:
        return False
    return True


def checked_key(public_key: object) -> bytes:
    """The bytes of a public key."""
    raw = _plain(public_key, _KEY_BYTES)
    if raw is None:
        raise InvalidInput(
            argument="public_key",
            accepted=f"the {2 * _KEY_BYTES} hexadecimal digits that a board was announced with",
            given=repr(public_key)[:80],
        )
    return raw


def _plain(text: object, size: int) -> bytes | None:
    """Bytes written as lower-case hexadecimal digits and nothing else."""
    try:
        raw = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return raw if len(raw) == size and raw.hex() == text else None


def _public(key: "Ed25519PrivateKey") -> str:
    return key.public_key().public_bytes_raw().hex()


def _needed() -> None:
    try:
        import cryptography  # noqa: F401, PLC0415
    except ImportError:
        raise DataError(
            source="the signing key of a board",
            problem="needs the package cryptography, which is not installed",
            hint="pip install 'peekproof[board]'",
        ) from None
