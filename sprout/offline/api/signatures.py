"""Signatures of thinking blocks: bound to their text, their model and the conversation before them."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator
from itertools import groupby

from sprout.offline.api.errors import invalid_request
from sprout.offline.api.prompt import Piece, Prompt

# Not a secret: it only has to be the same after a restart, so that a resumed conversation still verifies.
_KEY = b"sprout offline thinking"
_SIZE = 12


def sign(model: str, before: bytes, thinking: str) -> str:
    """The signature of `thinking` by `model`, said after the conversation with digest `before`."""
    parts = (_mac(b"model", model.encode()), _mac(b"text", thinking.encode()), _mac(b"place", before))
    return base64.b64encode(b"".join(parts)).decode()


def check_signatures(prompt: Prompt) -> None:
    """Raise a 400 for a thinking block that was changed or moved to another conversation.

    Blocks of another model pass: the API drops them without a word.
    """
    for label, before, piece in _signed_blocks(prompt):
        signature = _decode_signature(piece.block["signature"])
        if signature is None:
            raise invalid_request(f"{label}: Invalid `signature` in `thinking` block")
        by_model, text, place = signature[:_SIZE], signature[_SIZE : 2 * _SIZE], signature[2 * _SIZE :]
        if by_model != _mac(b"model", prompt.model.encode()):
            continue
        if text != _mac(b"text", piece.block["thinking"].encode()):
            raise invalid_request(f"{label}: Invalid `signature` in `thinking` block")
        if place not in {_mac(b"place", digest) for digest in before}:
            raise invalid_request(f"{label}: `thinking` block is bound to a different conversation")


def _signed_blocks(prompt: Prompt) -> Iterator[tuple[str, list[bytes], Piece]]:
    """Each with the digests of all places in its turn where the reply it is from may have begun."""
    message = -1
    for role, run in groupby(prompt.pieces, key=lambda piece: piece.role):
        if role in ("tool", "system prompt"):
            continue
        message += 1
        before: list[bytes] = []
        for at, piece in enumerate(run):
            before.append(piece.before)
            if piece.block.get("type") == "thinking":
                yield f"messages.{message}.content.{at}", list(before), piece


def _decode_signature(signature: str) -> bytes | None:
    try:
        raw = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if len(raw) == 3 * _SIZE else None


def _mac(purpose: bytes, value: bytes) -> bytes:
    return hmac.digest(_KEY, purpose + b"\0" + value, hashlib.sha256)[:_SIZE]
