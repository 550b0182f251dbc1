"""Surrogate removal: text without lone surrogates, which JSON can hold and UTF-8 cannot."""


def replace_surrogates(text: str) -> str:
    """The text with two halves joined and single ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
