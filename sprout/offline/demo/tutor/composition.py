"""Composition of the offline tutor's messages: short enough, and past the check of every tutor's words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import Secret
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.normalization import folded

MOST_WORDS = 120
MOST_OF_ASIDE = 60
_FENCED = re.compile(r"(```.*?```)", re.DOTALL)


class Priority(IntEnum):
    """Order in which snippets are dropped when a reply is too long."""

    MUST = 0
    SHOULD = 1
    MAY = 2


@dataclass(frozen=True, slots=True)
class Snippet:
    """A few sentences that belong together.

    Args:
        whole: it is not parted, since it is a quotation.
        repeatable: it may be said again in the same words, as a verdict must be.
    """

    text: str
    priority: Priority = Priority.MUST
    whole: bool = False
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """Inputs of the leak check on a reply: the question's secret, previous texts, the level of help."""

    secret: Secret
    before: str = ""
    level: HelpLevel = HelpLevel.NONE

    def passes(self, text: str) -> bool:
        """Return True if the text reveals nothing."""
        saying = LeakFilter(self.secret, before=self.before, level=self.level)
        saying.feed(text)
        saying.end()
        return saying.withheld is None

    def leaves_room(self, text: str, due: Sequence[str]) -> bool:
        """Return True if after the text all help may still be given that could be given without it: together they may
        say too much.

        Args:
            due: the help of this level and of those after it.
        """
        return self.after(text).sayable(due) == self.sayable(due)

    def after(self, text: str) -> Self:
        """The check of what follows this text."""
        return replace(self, before=f"{self.before}\n{text}")

    def sayable(self, due: Sequence[str]) -> list[str]:
        """Those of the due help texts that may be given one after the other."""
        check, given = self, []
        for level, help_text in enumerate(due, start=self.level):
            if replace(check, level=HelpLevel(level)).passes(help_text):
                check = check.after(help_text)
                given.append(help_text)
        return given


def unsaid(parts: Sequence[Snippet], said: str) -> list[Snippet]:
    """The parts that do not stand in what was said before: nothing but a verdict is said twice."""
    before = folded(said)
    return [part for part in parts if part.repeatable or folded(part.text) not in before]


def compose(parts: Sequence[Snippet], check: LeakCheck | None, *, most: int = MOST_WORDS, joint: str = " ") -> str:
    """The parts in their order: those of least worth left out beyond `most` words, and what gives the answer away.

    Of a part that does not pass as a whole the sentences that do are kept.
    """
    chosen = _fit_words([part for part in parts if part.text.strip()], most)
    everything = joint.join(part.text for part in chosen)
    if check is None or check.passes(everything):
        return everything
    sentences: list[str] = []
    for part in chosen:
        text = part.text
        if check.passes(joint.join([*sentences, text])):
            sentences.append(text)
            continue
        if part.whole:
            continue
        passed: list[str] = []
        for piece in _split_sentences(text):
            if check.passes(joint.join([*sentences, " ".join([*passed, piece])])):
                passed.append(piece)
        sentences += [" ".join(passed)] if passed else []
    return joint.join(sentences)


def _fit_words(parts: Sequence[Snippet], most: int) -> list[Snippet]:
    """The parts that fit; one that must be said and is too long itself is cut after a sentence."""
    room = most
    fitting: dict[int, Snippet] = {}
    for at, part in sorted(enumerate(parts), key=lambda each: each[1].priority):
        is_cut = part.priority is Priority.MUST and not part.whole
        text = first_sentences(part.text.strip(), room) if is_cut else part.text.strip()
        if text and (words := len(text.split())) <= room:
            fitting[at] = replace(part, text=text)
            room -= words
    return [fitting[at] for at in sorted(fitting)]


def _split_sentences(text: str) -> list[str]:
    """The sentences of a text; fenced code is one piece."""
    found: list[str] = []
    for piece in _FENCED.split(text):
        found += [f"\n\n{piece}\n\n"] if piece.startswith("```") else sentences_of(piece)
    return found


def first_sentences(text: str, most: int) -> str:
    """The text, or as many of its first sentences as have no more than `most` words."""
    if len(text.split()) <= most:
        return text
    sentences: list[str] = []
    for sentence in sentences_of(" ".join(text.split())):
        if len(" ".join([*sentences, sentence]).split()) > most:
            break
        sentences.append(sentence)
    return " ".join(sentences)
