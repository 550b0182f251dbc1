"""Gap answers: what belongs in the gap of a question, said with the words that stand before it."""

import re

from sprout.learning.text.normalization import tidy

GAP = "___"
_TOKEN = re.compile(r"\w+|[^\w\s]")


def without_words_before_gap(answer: str, prompt: str) -> str:
    """The answer without the words that stand right before the prompt's one gap: "9 to 7" is "7" where the prompt has
    "9 to ___". Unchanged where it does not begin with a word or a number that stands there, or is nothing else."""
    if prompt.count(GAP) != 1:
        return answer
    before = _tokens(prompt.partition(GAP)[0].rpartition("\n")[2])
    placed = [*_TOKEN.finditer(tidy(answer))]
    said = _tokens(tidy(answer))
    for length in range(min(len(before), len(said) - 1), 0, -1):
        repeated = before[len(before) - length :]
        if said[:length] == repeated and any(map(str.isalnum, "".join(repeated))):
            return tidy(answer)[placed[length].start() :]
    return answer


def _tokens(text: str) -> list[str]:
    """The words and signs of a text; 9:7 is "9 to 7"."""
    return ["to" if found[0] == ":" else found[0].casefold() for found in _TOKEN.finditer(text)]
