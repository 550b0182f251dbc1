"""Truncation of tool results to the bytes that the policy allows."""

from sprout.loop.model import Image, Text


def truncate_result(content: str | tuple[Text | Image, ...], max_bytes: int) -> str | tuple[Text | Image, ...]:
    """A result with each of its texts cut to `max_bytes` of UTF-8; images stay whole."""
    if isinstance(content, str):
        return truncate_to_bytes(content, max_bytes)
    return tuple(Text(truncate_to_bytes(part.text, max_bytes)) if isinstance(part, Text) else part for part in content)


def truncate_to_bytes(text: str, max_bytes: int) -> str:
    """Head and tail of a text that is over `max_bytes` of UTF-8, with a marker that says how much was cut."""
    raw = text.encode()
    if len(raw) <= max_bytes:
        return text
    half = max_bytes // 2
    head, tail = raw[:half].decode(errors="ignore"), raw[-half:].decode(errors="ignore")
    return f"{head}\n[cut: {len(raw) - len(head.encode()) - len(tail.encode())} bytes]\n{tail}"
