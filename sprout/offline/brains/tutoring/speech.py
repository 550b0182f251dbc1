"""What the offline tutor says, put together: short enough, and behind the check that every tutor's words pass."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from sprout.learning.leaks.saying import Saying
from sprout.learning.leaks.secret import Secret
from sprout.learning.lessons.help import HelpLevel
from sprout.offline.notes.reading import sentences_of

MOST_WORDS = 120
MOST_OF_ASIDE = 60
_FENCED = re.compile(r"(```.*?```)", re.DOTALL)


class Worth(IntEnum):
    """What gives way first where there is too much to say."""

    MUST = 0
    SHOULD = 1
    MAY = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A few sentences that belong together."""

    text: str
    worth: Worth = Worth.MUST


@dataclass(frozen=True, slots=True)
class Check:
    """What a reply is held against: the secret of the question, what was said before, the level of help."""

    secret: Secret
    before: str = ""
    level: HelpLevel = HelpLevel.NONE

    def passes(self, text: str) -> bool:
        """Whether the text could be said as it stands."""
        saying = Saying(self.secret, before=self.before, level=self.level)
        saying.feed(text)
        saying.end()
        return saying.withheld is None


def spoken(parts: Sequence[Part], check: Check | None, *, most: int = MOST_WORDS, joint: str = " ") -> str:
    """The parts in their order: those of least worth left out beyond `most` words, and what gives the answer away.

    Of a part that does not pass as a whole the sentences that do are kept.
    """
    chosen = _short_enough([part for part in parts if part.text.strip()], most)
    if check is None or check.passes(joint.join(chosen)):
        return joint.join(chosen)
    said: list[str] = []
    for text in chosen:
        if check.passes(joint.join([*said, text])):
            said.append(text)
            continue
        kept: list[str] = []
        for piece in _pieces(text):
            if check.passes(joint.join([*said, " ".join([*kept, piece])])):
                kept.append(piece)
        said += [" ".join(kept)] if kept else []
    return joint.join(said)


def _short_enough(parts: Sequence[Part], most: int) -> list[str]:
    """The texts of the parts that fit; one that must be said and is too long itself is cut after a sentence."""
    room = most
    kept: dict[int, str] = {}
    for at, part in sorted(enumerate(parts), key=lambda each: each[1].worth):
        text = part.text.strip() if part.worth is not Worth.MUST else shortened(part.text.strip(), room)
        if text and (words := len(text.split())) <= room:
            kept[at] = text
            room -= words
    return [kept[at] for at in sorted(kept)]


def _pieces(text: str) -> list[str]:
    """The sentences of a text; fenced code is one piece."""
    found: list[str] = []
    for piece in _FENCED.split(text):
        found += [f"\n\n{piece}\n\n"] if piece.startswith("```") else sentences_of(piece)
    return found


def shortened(text: str, most: int) -> str:
    """The text, or as many of its first sentences as have no more than `most` words."""
    if len(text.split()) <= most:
        return text
    kept: list[str] = []
    for sentence in sentences_of(" ".join(text.split())):
        if len(" ".join([*kept, sentence]).split()) > most:
            break
        kept.append(sentence)
    return " ".join(kept)
