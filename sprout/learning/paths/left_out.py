"""Sections of the learner's documents that no concept teaches, each with its reason; any can be brought in."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from sprout.events import NodeRow, Wire


class LeftOutReason(StrEnum):
    """Why no concept teaches a section: what it is or, of content, why there is no lesson on it."""

    EXERCISES = "exercises"
    QUESTIONS = "questions"
    QUIZ = "quiz"
    ANSWERS = "answers"
    GLOSSARY = "glossary"
    OBJECTIVES = "objectives"
    SUMMARY = "summary"
    BOX = "box"
    CAPTION = "caption"
    CONTENTS = "contents"
    REFERENCES = "references"
    ACKNOWLEDGEMENTS = "acknowledgements"
    LICENCE = "licence"
    NAVIGATION = "navigation"
    INDEX = "index"
    LINKS = "links"
    FURNITURE = "furniture"
    SHORT = "short"
    ADDED_LATER = "added_later"
    NO_ROOM = "no_room"
    NOT_CITED = "not_cited"


class LeftOutSection(Wire):
    """A section that no concept teaches; `start` is where its heading stands in the document's text.

    `path` has the titles from the top down to its own. `opening`: only the text before its first subsection is left
    out. `passage_id` is where it begins, `words` how long it is, without figures.
    """

    document_id: str
    document: str
    start: int
    title: str
    path: list[str]
    opening: bool
    passage_id: str | None
    page: int | None
    slides: bool
    words: int
    reason: LeftOutReason


class LeftOut(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def sections(self, branch_id: str, *, user_id: str) -> Sequence[LeftOutSection]:
        """The sections that no concept teaches, in the order of upload and text; none before there is a concept."""
        ...

    async def topic_of(self, document_id: str, *, user_id: str) -> NodeRow: ...

    async def bring_in(self, document_id: str, start: int, *, user_id: str) -> tuple[NodeRow, bool]:
        """The concept that teaches the section that begins here, and whether it is new.

        Raises NotFound (the document, the section), BadInput (the section has no words).
        """
        ...
