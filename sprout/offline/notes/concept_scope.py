"""Scope of a concept in some sections: the text below its title, or what its description quotes."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.offline.notes.parser import Section, sentences_of, words_of
from sprout.offline.notes.titles import matches_heading


def concept_sections(sections: Sequence[Section], *, title: str, desc: str) -> list[Section]:
    """Text below the concept's headings, or its stretch of text; otherwise all sections.

    A concept from notes is described in sentences of its first and of its last paragraph. If it is called by a heading,
    all that stands under the headings of those paragraphs is its own; if not, it shares a heading with others.
    """
    known_sentences = {_normalized(sentence) for sentence in sentences_of(desc)}
    places = [(at, paragraph) for at, section in enumerate(sections) for paragraph in section.paragraphs]
    quoted = [
        place
        for place, (_, paragraph) in enumerate(places)
        if any(_normalized(each) in known_sentences for each in paragraph)
    ]
    named = [at for at, section in enumerate(sections) if matches_heading(title, section.title)]
    if named:
        numbers = {*named, *(places[place][0] for place in quoted)}
        return list(sections[min(numbers) : max(numbers) + 1])
    if quoted:
        own = places[quoted[0] : quoted[-1] + 1]
        return [
            replace(section, paragraphs=[paragraph for at, paragraph in own if at == number])
            for number, section in enumerate(sections)
        ]
    return list(sections)


def _normalized(sentence: str) -> str:
    return " ".join(words_of(sentence))
