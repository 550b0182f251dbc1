"""Reading steps: the passages that a part stands in, in their order, a minute or two each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sprout.learning.structure.tree import Block
from sprout.offline.notes.document import Document, Part
from sprout.offline.notes.words import word_count

LEAST_WORDS, MOST_WORDS = 120, 250
SMALLEST = 60  # words that are a step of their own


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """A passage as an agent is given it; `heading` is the path of headings above it."""

    id: str
    document: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadingStep:
    """Neighbouring passages of one document that are read at once.

    Args:
        blocks: what stands in them and belongs to the part.
        title: of the section that most of it stands in; empty where it has none.
        is_mixed: whether some of it stands in another section.
    """

    passages: tuple[GivenPassage, ...]
    blocks: tuple[Block, ...]
    title: str
    is_mixed: bool = False

    @property
    def words(self) -> int:
        return sum(word_count(passage.text) for passage in self.passages)

    def with_next(self, other: "ReadingStep") -> "ReadingStep":
        title = (self if self.words >= other.words else other).title
        mixed = self.is_mixed or other.is_mixed or self.title != other.title
        return ReadingStep((*self.passages, *other.passages), (*self.blocks, *other.blocks), title, mixed)


def reading_steps(
    documents: Sequence[Document], passages: Sequence[GivenPassage], parts: Sequence[Part]
) -> list[ReadingStep]:
    """The passages in which the parts stand, as steps.

    Args:
        documents: those that the passages are of.
    """
    steps: list[ReadingStep] = []
    for one in _single_steps(documents, passages, parts):
        if steps and (not one.blocks or _belongs_to(steps[-1], one)):
            steps[-1] = steps[-1].with_next(one)
        else:
            steps.append(one)
    if len(steps) > 1 and steps[-1].words < SMALLEST and _same_document(steps[-2], steps[-1]):
        steps[-2:] = [steps[-2].with_next(steps[-1])]
    return steps


def _belongs_to(step: ReadingStep, one: ReadingStep) -> bool:
    """Whether a passage is read together with those before it: they are short, and all is not too long."""
    short = step.words < (SMALLEST if step.title != one.title else LEAST_WORDS)
    return _same_document(step, one) and short and step.words + one.words <= MOST_WORDS


def _same_document(step: ReadingStep, other: ReadingStep) -> bool:
    return step.passages[0].document == other.passages[0].document


def _single_steps(
    documents: Sequence[Document], passages: Sequence[GivenPassage], parts: Sequence[Part]
) -> Iterator[ReadingStep]:
    """A step for each passage that has a block of the parts; without blocks where one only goes on in it."""
    own = {id(block): one.title for part in parts for one in part.iter_parts() for block in one.blocks}
    groups = [[*group] for _, group in groupby(passages, lambda passage: passage.document)]
    for document, group in zip(documents, groups, strict=True):
        start = 0
        for passage, end in zip(group, document.ends, strict=True):
            blocks = [block for block in document.content.all_blocks if id(block) in own and start < block.end]
            here = tuple(block for block in blocks if start <= block.start < end)
            if here or any(block.start < start for block in blocks):
                titles = list(dict.fromkeys(own[id(block)] for block in here))
                yield ReadingStep((passage,), here, titles[0] if titles else "", len(titles) > 1)
            start = end
