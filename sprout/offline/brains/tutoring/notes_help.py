"""Candidates for the four help texts of a question from notes: reread, the region, a parallel, one part of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.questions.questions import as_number
from sprout.offline.brains.tutoring.frames import Frames
from sprout.offline.brains.tutoring.teaching import Task
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.material import Material
from sprout.offline.notes.reading import words_of

OPENING_WORDS = 4
PART = 0.35
PARALLELS = 6
LONGEST_PARALLEL = 30
GAP = "____"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question comes from: the sentences that it uses, their heading, and those that stand beside them."""

    task: Task
    uses: frozenset[str]
    heading: str
    beside: tuple[str, ...]
    language: str


def help_candidates(place: Place, material: Material, frames: Frames) -> list[list[str]]:
    """For each of the four levels what could be said, the best first; whether it may be said is checked elsewhere."""
    return [
        [
            *([frames.say("notes_help_1", heading=place.heading)] if place.heading else []),
            frames.say("notes_help_1_bare"),
        ],
        [*_regions(place, material, frames)],
        [*_parallels(place, material, frames)],
        [*_parts(place, frames)],
    ]


def _regions(place: Place, material: Material, frames: Frames) -> Iterator[str]:
    open_question = place.task.kind == "text"
    begins = [" ".join(text.split()[:OPENING_WORDS]) for text in sorted(place.uses)]
    if open_question:
        yield from (frames.say("notes_help_2_begins", text=text) for text in begins)
    yield from (frames.say("notes_help_2_beside", text=text) for text in place.beside[:2])
    for sentence in sorted(place.uses):
        for key in material.lexicon.in_text(sentence):
            yield frames.say("notes_help_2_term", term=material.quoted(key))


def _parallels(place: Place, material: Material, frames: Frames) -> Iterator[str]:
    """Another sentence of the notes: with its own gap and what fills that, or as it stands."""
    others = [text for text in place.beside[2:] + place.beside[:2] if len(words_of(text)) <= LONGEST_PARALLEL]
    for text in others[:PARALLELS]:
        for key in material.lexicon.in_text(text)[:2] if place.task.kind != "text" else ():
            word = material.as_written(text, key)
            if word:
                yield frames.say("notes_help_3_gap", text=text.replace(word, GAP), word=word)
    yield from (frames.say("notes_help_3_said", text=text) for text in others[:PARALLELS])


def _parts(place: Place, frames: Frames) -> Iterator[str]:
    """The first letter of a word, the size of a number, the first words of a sentence."""
    task = place.task
    value = as_number(task.answer, unit=task.unit)
    if value is not None:
        whole = str(int(abs(value)))
        if len(whole) > 1:
            yield frames.say("notes_help_4_digits", count=str(len(whole)), digit=whole[0])
        return
    words = task.answer.split()
    if len(words) == 1:
        yield frames.say("notes_help_4_letter", letter=task.answer[0], count=str(len(task.answer)))
        return
    little = words_in(place.language).stopwords
    for count in range(max(1, round(len(words) * PART)), 0, -1):
        part = words[:count]
        if part[-1].casefold().strip(".,;:") not in little:
            yield frames.say("notes_help_4_begins", text=" ".join(part))
    yield frames.say("notes_help_4_letter", letter=words[0][0], count=str(len(words[0])))
