"""Thinking that a model writes as `<think>…</think>` at the beginning of its text: it is no answer, and left out."""

import re

TAGS = ("<think>", "<thinking>")
WHOLE = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.IGNORECASE | re.DOTALL)
CLOSING = re.compile(r"</think(?:ing)?>\s*", re.IGNORECASE)
LONGEST_CLOSING = len("</thinking>")


def without_thinking(text: str) -> str:
    """The text after its thinking; thinking that never ends is all of it."""
    found = WHOLE.match(text)
    return text if found is None else text[found.end() :]


class TaggedThinking:
    """Leaves the thinking out of one text block while it is written.

    `begun` says whether there was any.
    """

    def __init__(self) -> None:
        self.begun = False
        self._held = ""
        self._passes = False

    def feed(self, text: str) -> str:
        """The part of the answer that can be sent now."""
        if self._passes:
            return text
        self._held += text
        if not self.begun:
            start = self._held.lstrip().lower()
            self.begun = start.startswith(TAGS)
            if not self.begun and not any(tag.startswith(start) for tag in TAGS):
                self._passes = True
                return self._held
        if not self.begun:
            return ""
        closed = CLOSING.search(self._held)
        if closed is None:
            self._held = self._held[-LONGEST_CLOSING:]
            return ""
        if closed.end() == len(self._held):
            return ""  # more white space may come
        self._passes = True
        return self._held[closed.end() :]
