"""Text that can be stored and sent: without halves of surrogate pairs, which JSON can say and UTF-8 cannot."""


def whole_characters(text: str) -> str:
    """The text with two halves joined and single ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
