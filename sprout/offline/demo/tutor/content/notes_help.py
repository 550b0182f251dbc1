"""Candidates for the four help texts of a question from notes: the part, the place, and what the answer is not."""

from collections.abc import Iterator, Sequence

from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.notes.material import NoteQuestion

MOST_BESIDE = 3


def help_candidates(question: NoteQuestion, heading: str, beside: Sequence[str], frames: Templates) -> list[list[str]]:
    """For each of the four levels what could be said, the best first; whether it may be said is checked elsewhere.

    Args:
        beside: sentences of the same part that the question does not ask about.
    """
    excluded = [
        frames.render("notes_help_not", option=option.removeprefix("… "), other=other)
        for option, other in question.said_of.items()
    ]
    read_again = [frames.render("notes_help_1", heading=heading)] if heading else []
    return [
        [*read_again, frames.render("notes_help_1_bare")],
        [*_places(question, beside, frames)],
        [*excluded[:1], frames.render("notes_help_3")],
        [*excluded[1:], frames.render("notes_help_4")],
    ]


def _places(question: NoteQuestion, beside: Sequence[str], frames: Templates) -> Iterator[str]:
    """Where to look: the sentence about what is asked, unless that is the answer; a sentence next to it."""
    if not occurs_in(folded(question.about), folded(str(question.fields["correct_answer"]))):
        yield frames.render("notes_help_2_term", term=frames.render("quote", words=question.about))
    yield from (frames.render("notes_help_2_beside", text=text) for text in beside[:MOST_BESIDE])
