"""Gap answers: what belongs in the gap of a question, said with the words and signs that stand around it."""

import re
from collections.abc import Sequence

from sprout.learning.text.normalization import tidy

GAP = "___"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMPARISONS = frozenset("<>=!≤≥")
_CLOSES = frozenset(":;)]}")
_LABELLED = re.compile(r"(\d[\d.,]*) (?:for|für|pour|para|per) `?(\w+)", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;](?=\s)")


def without_words_around_gap(answer: str, prompt: str) -> str:
    """The answer without the words and signs that stand right before and behind the prompt's one gap: "9 to 7" is "7"
    where the prompt has "9 to ___", and "elif n <= 50:" is "50" in "elif n <= ___:". Of two labelled numbers it is the
    one whose label stands before the gap: "3 for a, 1 for c" is "3" in "`len(a)` is ___".

    Unchanged where it does not begin with a word, a number or a comparison that stands there, or is nothing else."""
    if prompt.count(GAP) != 1:
        return answer
    before, behind = prompt.split(GAP)
    before, behind = before.rpartition("\n")[2], behind.partition("\n")[0]
    if (labelled := _labelled(answer, before)) is not None:
        return labelled
    return _without_words_behind(_without_words_before(tidy(answer), _tokens(before)), _tokens(behind))


def _without_words_before(answer: str, before: Sequence[str]) -> str:
    placed, said = [*_TOKEN.finditer(answer)], _tokens(answer)
    for length in range(min(len(before), len(said) - 1), 0, -1):
        repeated = before[len(before) - length :]
        is_said = any(map(str.isalnum, "".join(repeated))) or _COMPARISONS.issuperset(repeated)
        if said[:length] == repeated and is_said:
            return answer[placed[length].start() :]
    return answer


def _without_words_behind(answer: str, behind: Sequence[str]) -> str:
    placed, said = [*_TOKEN.finditer(answer)], _tokens(answer)
    for length in range(min(len(behind), len(said) - 1), 0, -1):
        if said[-length:] == behind[:length] and _CLOSES.issuperset(behind[:length]):
            return answer[: placed[-length].start()].rstrip()
    return answer


def _labelled(answer: str, before: str) -> str | None:
    """The only number of several whose label stands in the clause before the gap."""
    found = _LABELLED.findall(answer)
    near = set(_tokens(_CLAUSE.split(before)[-1]))
    fitting = [number for number, label in found if label.casefold() in near]
    return fitting[0] if len(found) > 1 and len(fitting) == 1 else None


def _tokens(text: str) -> list[str]:
    """The words and signs of a text; 9:7 is "9 to 7"."""
    return ["to" if found[0] == ":" else found[0].casefold() for found in _TOKEN.finditer(text)]
