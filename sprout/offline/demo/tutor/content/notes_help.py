"""Candidates for the four help texts of a question from notes: reread, the region, a parallel, one part of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.questions.questions import parse_number
from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.parser import words_of
from sprout.offline.notes.question_material import QuestionMaterial

OPENING_WORDS = 4
REVEALED_SHARE = 0.35
PARALLELS = 6
LONGEST_PARALLEL = 30
GAP = "____"


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """Origin of a question: the sentences it uses, their heading, and the neighbouring sentences."""

    task: PreparedQuestion
    uses: frozenset[str]
    heading: str
    beside: tuple[str, ...]
    language: str


def help_candidates(place: QuestionContext, material: QuestionMaterial, frames: Templates) -> list[list[str]]:
    """For each of the four levels what could be said, the best first; whether it may be said is checked elsewhere."""
    return [
        [
            *([frames.render("notes_help_1", heading=place.heading)] if place.heading else []),
            frames.render("notes_help_1_bare"),
        ],
        [*_regions(place, material, frames)],
        [*_parallels(place, material, frames)],
        [*_parts(place, frames)],
    ]


def _regions(place: QuestionContext, material: QuestionMaterial, frames: Templates) -> Iterator[str]:
    open_question = place.task.kind == "text"
    begins = [" ".join(text.split()[:OPENING_WORDS]) for text in sorted(place.uses)]
    if open_question:
        yield from (frames.render("notes_help_2_begins", text=text) for text in begins)
    yield from (frames.render("notes_help_2_beside", text=text) for text in place.beside[:2])
    for sentence in sorted(place.uses):
        for key in material.lexicon.in_text(sentence):
            yield frames.render("notes_help_2_term", term=material.quoted(key))


def _parallels(place: QuestionContext, material: QuestionMaterial, frames: Templates) -> Iterator[str]:
    """Another sentence of the notes: with its own gap and what fills that, or as it stands."""
    others = [text for text in place.beside[2:] + place.beside[:2] if len(words_of(text)) <= LONGEST_PARALLEL]
    for text in others[:PARALLELS]:
        for key in material.lexicon.in_text(text)[:2] if place.task.kind != "text" else ():
            word = material.as_written(text, key)
            if word:
                yield frames.render("notes_help_3_gap", text=text.replace(word, GAP), word=word)
    yield from (frames.render("notes_help_3_said", text=text) for text in others[:PARALLELS])


def _parts(place: QuestionContext, frames: Templates) -> Iterator[str]:
    """The first letter of a word, the size of a number, the first words of a sentence."""
    task = place.task
    value = parse_number(task.answer, unit=task.unit)
    if value is not None:
        whole = str(int(abs(value)))
        if len(whole) > 1:
            yield frames.render("notes_help_4_digits", count=str(len(whole)), digit=whole[0])
        return
    words = task.answer.split()
    if len(words) == 1:
        yield frames.render("notes_help_4_letter", letter=task.answer[0], count=str(len(task.answer)))
        return
    little = words_in(place.language).stopwords
    for count in range(max(1, round(len(words) * REVEALED_SHARE)), 0, -1):
        part = words[:count]
        if part[-1].casefold().strip(".,;:") not in little:
            yield frames.render("notes_help_4_begins", text=" ".join(part))
    yield frames.render("notes_help_4_letter", letter=words[0][0], count=str(len(words[0])))
