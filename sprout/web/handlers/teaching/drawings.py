"""Drawings in data URLs."""

import base64
import binascii

from sprout.learning.lessons.repository import Drawing

MAX_DRAWING_BYTES = 10 * 1024 * 1024
MIN_DRAWING_BYTES = 16
_PICTURES = {
    "data:image/png;base64,": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "data:image/jpeg;base64,": ("image/jpeg", b"\xff\xd8\xff"),
    "data:image/jpg;base64,": ("image/jpeg", b"\xff\xd8\xff"),
}


def parse_drawing(url: str | None) -> Drawing | None:
    """The picture in a data URL; None unless it is a complete PNG or JPEG within the size limits."""
    if url is None:
        return None
    head = next((head for head in _PICTURES if url[: len(head)].lower() == head), None)
    if head is None or len(url) > MAX_DRAWING_BYTES * 4 // 3 + 100:
        return None
    media_type, magic = _PICTURES[head]
    try:
        data = base64.b64decode(url[len(head) :], validate=True)
    except (binascii.Error, ValueError):
        return None
    whole = data.startswith(magic) and MIN_DRAWING_BYTES <= len(data) <= MAX_DRAWING_BYTES
    return Drawing(media_type, data) if whole else None
