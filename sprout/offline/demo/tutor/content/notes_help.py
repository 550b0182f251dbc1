"""Candidates for the four help texts of a question about a passage: the paragraph, a few sentences, the sentence."""

from collections.abc import Iterator, Sequence

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block, Code, Formula, Table
from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.material import NoteQuestion

EDGE_WORDS = 5  # by which a sentence is told from others


def help_candidates(question: NoteQuestion, blocks: Sequence[Block], frames: Templates, code: str) -> list[list[str]]:
    """For each of the four levels what could be said, the best first; whether it may be said is checked elsewhere.

    Args:
        blocks: of the passage that is read.
    """
    found = [(block, sentence) for block in blocks for sentence in sentences_in([block], code)]
    at = next((at for at, (_, one) in enumerate(found) if question.settles and _same(one, question.settles[0])), None)
    excluded = [
        frames.render("notes_help_not", option=option.removeprefix("… "), other=other)
        for option, other in question.said_of.items()
    ]
    about = frames.render("notes_help_2_term", term=frames.render("quote", words=question.about))
    says_answer = occurs_in(folded(question.about), folded(str(question.fields["correct_answer"])))
    again, search, around = (frames.render(f"notes_help_{level}") for level in (1, 2, 3))
    term, last = [] if says_answer else [about], [*excluded, frames.render("notes_help_4")]
    if at is None:
        return [[again], [*term, search], [around], last]
    near = [sentence for block, sentence in found[max(0, at - 1) : at + 2] if block is found[at][0]]
    paragraph = [*_paragraph(found[at][0], len(blocks), frames), again]
    few = [*_edges("notes_help_2", near, frames)] if len(near) > 1 else []
    return [paragraph, [*few, *term, search], [*_edges("notes_help_3", [found[at][1]], frames), around], last]


def _paragraph(block: Block, of: int, frames: Templates) -> Iterator[str]:
    """Which block it is, where there are several."""
    if of == 1:
        return
    match block:
        case Table():
            yield frames.render("notes_help_1_table")
        case Code() | Formula():
            return
        case _:
            yield from _edges("notes_help_1_block", [" ".join(text_of(block).split())], frames)


def _edges(name: str, sentences: Sequence[str], frames: Templates) -> Iterator[str]:
    """The sentences by their beginnings; else, if those would tell the answer, by their ends."""
    cut = [sentence.split() for sentence in sentences]
    for suffix, edges in (
        ("begins", [f"{' '.join(words[:EDGE_WORDS])} …" for words in cut]),
        ("ends", [f"… {' '.join(words[-EDGE_WORDS:])}" for words in cut]),
    ):
        listed = ", ".join(frames.render("quote", words=edge) for edge in edges)
        yield frames.render(f"{name}_{suffix}", text=listed)


def _same(sentence: str, settling: str) -> bool:
    """Whether a sentence is the one that settles it; a row is, where it has its parts."""
    parts = settling.split(": ")
    return sentence == settling or all(part in sentence for part in parts if part)
