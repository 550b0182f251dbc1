"""Repetition within one reply: a model that writes the same passage again and again would do so up to its limit."""

MIN_CHARACTERS = 2_400  # that the repetition must span
MIN_ROUNDS = 8
MAX_PERIOD = MIN_CHARACTERS // MIN_ROUNDS
MIN_VARIETY = 8  # different characters
CHECK_EVERY = 400  # characters


class RepetitionDetector:
    """Watches the end of a text that grows.

    Rulers, blank lines and empty table cells may go on for long: a passage of few different characters is no repetition
    until it spans four times as much.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._unchecked = 0

    def feed(self, text: str) -> bool:
        """Take in more text; whether all that the last characters hold is one passage again and again."""
        self._tail = (self._tail + text)[-4 * MIN_CHARACTERS :]
        self._unchecked += len(text)
        if self._unchecked < CHECK_EVERY or len(self._tail) < MIN_CHARACTERS:
            return False
        self._unchecked = 0
        return repeats(self._tail)


def repeats(text: str) -> bool:
    """Whether the end of a text is one passage, `MIN_ROUNDS` times or more."""
    end = text[-MIN_CHARACTERS:]
    period = (end + end).find(end[: MIN_CHARACTERS // 2], 1)
    if len(text) < MIN_CHARACTERS or not 0 < period <= MAX_PERIOD or end[period:] != end[:-period]:
        return False
    if len(set(end[:period])) >= MIN_VARIETY:
        return True
    return len(text) >= 4 * MIN_CHARACTERS and text[period:] == text[:-period]
