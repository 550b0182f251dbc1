"""Echo: a model that says Sprout's own words to it again. They are no words to the learner."""

MIN_WORDS = 6
MAX_HELD = 400  # characters; an echo is known long before


class Echo:
    """Tells the words of one block that are Sprout's own from a model's.

    Args:
        own: what was said to the model last, by Sprout itself; empty where a person said it.
    """

    def __init__(self, own: str) -> None:
        self._own = f" {' '.join(_words(own))} "
        self._held = ""
        self._passes = len(_words(own)) < MIN_WORDS

    def feed(self, text: str) -> str:
        """The text that may be shown now: what could still become an echo is held back."""
        if self._passes:
            return text
        self._held += text
        if len(self._held) < MAX_HELD and self._could_be_own(self._held):
            return ""
        self._passes = True
        return self._held

    def is_echo(self, text: str) -> bool:
        """Whether a whole block repeats a passage of Sprout's words."""
        words = _words(text)
        passages = (words[at : at + MIN_WORDS] for at in range(len(words) - MIN_WORDS + 1))
        return len(self._own.split()) >= MIN_WORDS and any(f" {' '.join(one)} " in self._own for one in passages)

    def _could_be_own(self, text: str) -> bool:
        said = " ".join(_words(text))
        return f" {said}" in self._own if said else True


def _words(text: str) -> list[str]:
    """The words in lower case, without marks around them."""
    return [word for raw in text.lower().split() if (word := raw.strip("\"'“”„‘’*_`.,:;!?()[]<>"))]
