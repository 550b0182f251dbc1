"""Question sets: the questions of a path or of a part of it, with their answers, for files of other programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.learning.questions.questions import QuestionDraft, prompt_key

Content = tuple[str, frozenset[str]]
"""Identity of a question: its prompt and, for a choice, its options; both as they are compared."""


@dataclass(frozen=True, slots=True)
class IdentifiedQuestion:
    """A stored question with its answer; its id stays the same from one file to the next."""

    id: str
    draft: QuestionDraft


@dataclass(frozen=True, slots=True)
class QuestionSection:
    """The questions of a concept, each once."""

    id: str
    title: str
    questions: tuple[IdentifiedQuestion, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a path, a concept or a part, by concepts."""

    id: str
    title: str
    sections: tuple[QuestionSection, ...]


class QuestionSets(Protocol):
    """The questions of a learner's own paths, with their answers: only for those who may see answer keys."""

    async def of_branch(self, branch_id: str, *, user_id: str) -> QuestionSet:
        """Raises NotFound; Conflict: there are no questions yet."""
        ...

    async def of_node(self, node_id: str, *, user_id: str) -> QuestionSet:
        """Of a topic, a concept or a part. Raises NotFound; Conflict: there are no questions yet."""
        ...


def content_of(prompt: str, options: Sequence[str]) -> Content:
    """The content by which a question is the same as another."""
    return prompt_key(prompt), frozenset(map(prompt_key, options))
