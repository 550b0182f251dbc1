"""Worked parts of notes: examples, solutions and proofs, whose sentences hold for one case and define nothing."""

import re
from collections.abc import Iterable, Iterator

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block, Paragraph

_NUMBER_AND_NAME = r"(?:\s+\d[\d.]*)?(?:\s*\([^()]{1,80}\))?"
_WORKED = re.compile(
    r"(?i)(?:example|exercise|solution|proof|beispiel|aufgabe|übung|lösung|beweis|exemple|exercice|démonstration|preuve|"
    r"ejemplo|ejercicio|solución|demostración|esempio|esercizio|soluzione|dimostrazione|exemplo|exercício|solução|"
    rf"demonstração){_NUMBER_AND_NAME}(?:\s*[.:]|$)"
)
_LABEL = re.compile(rf"[^\W\d_]{{4,16}}{_NUMBER_AND_NAME}\s*[.:]?")


def is_worked(text: str) -> bool:
    """Whether a text begins with the name of a worked part: "Example 3", "Proof:"."""
    return _WORKED.match(text) is not None


def without_worked(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that are no worked part: with its name alone it lasts to the next label, else a paragraph."""
    within = False
    for block in blocks:
        text = text_of(block).strip() if isinstance(block, Paragraph) else ""
        named = is_worked(text)
        alone = _LABEL.fullmatch(text) is not None
        within = named if alone else within
        if not within and not named:
            yield block
