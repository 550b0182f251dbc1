"""Questions from notes, by kind: each asks for one thing that the text states."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from sprout.learning.structure.tree import Table
from sprout.offline.notes.facts import cells_of, is_prose, is_sentence, places_of, steps_of
from sprout.offline.notes.headings import is_about, names_content
from sprout.offline.notes.language import language
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind
from sprout.offline.notes.meanings import TermMeaning
from sprout.offline.notes.words import gives_away

DISTRACTORS = 3
LEAST_LETTERS = 4
GAP = "____"
MOST_CELLS = 3
LENGTHS_ALIKE = (0.4, 2.5)
LEAST_TYPED = 4  # words of a sentence around its missing term

_WORD = re.compile(r"[^\W\d_]{3}")
_LEADS = re.compile(rf"\W*{GAP}\W*\s[:：–—=-]|\W*{GAP}\W*[:：–—=]")
_RAISED = re.compile("[²³¹⁰⁴-⁹ⁿ®™]")
_NOUN_FIRST = frozenset({"fr", "es", "it", "pt"})
_ABBREVIATED = re.compile(r"(?P<term>[^()]{2,}) \((?P<other>[^()]{2,})\)")


def term_questions(material: Material) -> Iterator[NoteQuestion]:
    """Meaning → term, among other terms that the notes explain."""
    for number, one in material.meanings:
        others = _of_same_sort(material, one)[:DISTRACTORS]
        if len(others) == DISTRACTORS and not gives_away(one.meaning, one.term):
            prompt = material.say.described.format(meaning=one.meaning)
            said_of = {material.shown(other.term): other.meaning for other in others}
            fields = _choice(prompt, material.shown(one.term), [*said_of], 1)
            yield NoteQuestion(QuestionKind.TERM, number, (one.sentence,), one.term, fields, said_of)


def typed_term_questions(material: Material) -> Iterator[NoteQuestion]:
    """The missing term of a definition, written by the learner and marked by code."""
    for number, one in material.meanings:
        term = material.shown(one.term)
        pattern = rf"(?<!\w){re.escape(term)}(?!\w)"
        gapped = re.sub(pattern, GAP, one.sentence, flags=re.IGNORECASE)
        worded = _WORD.search(term) and not _is_symbol(term) and not _LEADS.match(gapped)
        if gapped.count(GAP) != 1 or len(gapped.split()) <= LEAST_TYPED or not worded or not is_sentence(one.sentence):
            continue
        if gives_away(gapped, term):
            continue
        text = " ".join(material.sentences[number])
        fields = {
            "prompt": material.say.typed.format(sentence=gapped),
            "format": "open_ended",
            "correct_answer": term,
            "accepted": _accepted_forms(term, one.subject, text, material.code),
            "difficulty": 2,
        }
        yield NoteQuestion(QuestionKind.TYPED_TERM, number, (one.sentence,), one.term, fields, {})


def _accepted_forms(term: str, subject: str, text: str, code: str) -> list[str]:
    """The term, without raised signs, either name of "name (other name)", and its noun where the text has it alone."""
    names = abbreviated.groups() if (abbreviated := _ABBREVIATED.fullmatch(term)) else ()
    given = language(code)
    head = [*takewhile(lambda word: word.casefold() not in given.stopwords, term.split())]
    noun = head[0 if code in _NOUN_FIRST else -1] if head else term
    articles, little = ("|".join(found) for found in (given.words.articles, given.stopwords - given.words.determiners))
    alone = rf"(?i)\b(?:{articles})[ ’']{re.escape(noun)}(?:[.,;:!?)]| (?:{little})\b)"
    nouns = [noun] if noun != term and re.search(alone, text) else []
    return list(dict.fromkeys((term, subject, _RAISED.sub("", term), *names, *nouns)))


def meaning_questions(material: Material) -> Iterator[NoteQuestion]:
    """Term → what it is, or what the text says of it, among what it says of other terms."""
    for number, one in material.meanings:
        least, most = (share * len(one.meaning) for share in LENGTHS_ALIKE)
        others = {other.meaning: other.term for other in _of_same_sort(material, one)}
        alike = [(meaning, term) for meaning, term in others.items() if least <= len(meaning) <= most]
        said_of = dict(alike[:DISTRACTORS])
        if len(said_of) == DISTRACTORS and one.meaning not in said_of and not gives_away(one.meaning, one.term):
            phrase = material.say.true_of if one.loose else material.say.meaning
            prompt = phrase.format(term=material.quoted(material.shown(one.term)))
            fields = _choice(prompt, one.meaning, [*said_of], 2)
            yield NoteQuestion(QuestionKind.MEANING, number, (one.sentence,), one.term, fields, said_of)


def _of_same_sort(material: Material, one: TermMeaning) -> list[TermMeaning]:
    """Other terms with their meanings that are surely wrong for this one, those most like it first."""
    own = {other.key for _, other in material.meanings}
    sort = (one.loose, _is_symbol(one.term))
    others = [other for other in material.all_meanings if (other.loose, _is_symbol(other.term)) == sort]

    def distance(other: TermMeaning) -> tuple[bool, bool, int]:
        return other.place != one.place, other.key not in own, abs(len(other.meaning) - len(one.meaning))

    return sorted((other for other in others if not material.related(one, other)), key=distance)


def cell_questions(material: Material) -> Iterator[NoteQuestion]:
    """What a table gives for a row, among the other cells of the column; no other table gives anything for that."""
    tables = [block for blocks in (material.around, *(topic.blocks for topic in material.topics)) for block in blocks]
    named = Counter(name for table in {*tables} if isinstance(table, Table) for name in places_of(table))
    for number, topic in enumerate(material.topics):
        for table in topic.blocks:
            if not isinstance(table, Table):
                continue
            cells = [cell for cell in cells_of(table) if named[cell[:2]] == 1]
            for row, column, cell, others in cells[:MOST_CELLS]:
                names = {"row": row, "column": column, "title": topic.title}
                named_by = {name: material.quoted(text) for name, text in names.items()}
                wrong = random.Random(row).sample(others, DISTRACTORS)
                fields = _choice(material.say.cell.format(**named_by), cell, wrong, 2)
                yield NoteQuestion(QuestionKind.CELL, number, (f"{row}: {cell}",), f"{row}, {column}", fields, {})


def step_questions(material: Material) -> Iterator[NoteQuestion]:
    """Which step of a procedure comes right after another one, among its other steps."""
    for number, topic in enumerate(material.topics):
        for block in topic.blocks:
            steps = steps_of(block, topic.title, material.code)
            for at in range(len(steps) - 1):
                before, after = steps[at : at + 2]
                others = [*steps[:at], *steps[at + 2 :]]
                if len(others) < DISTRACTORS:
                    break
                prompt = material.say.step.format(before=material.quoted(before))
                wrong = random.Random(before).sample(others, DISTRACTORS)
                yield NoteQuestion(QuestionKind.STEP, number, (after,), before, _choice(prompt, after, wrong, 3), {})


def own_words_question(material: Material, number: int) -> NoteQuestion | None:
    """The question for a topic in the learner's own words, who compares them with the whole of it.

    None unless it is prose, to be told as such, about what its only heading names.
    """
    topic, say = material.topics[number], material.say
    text = " ".join(material.sentences[number])
    title = topic.headings[0] if len(topic.headings) == 1 else ""
    if not (names_content(title, material.code) and is_about(text, title) and is_prose(topic.blocks, material.code)):
        return None
    points = ((say.point, text, 0.8), (say.on_topic, say.on_topic_states.format(term=title), 0.2))
    fields = {
        "prompt": say.passage.format(term=material.quoted(title)),
        "format": "open_ended",
        "correct_answer": text,
        "criteria": [
            {"label": label.format(term=title), "statement": statement, "weight": weight}
            for label, statement, weight in points
        ],
        "difficulty": 4,
    }
    return NoteQuestion(QuestionKind.OWN_WORDS, number, (), title, fields, {})


def _choice(prompt: str, right: str, wrong: Sequence[str], difficulty: int) -> dict[str, Any]:
    options = [right, *wrong]
    random.Random(prompt).shuffle(options)  # the same each time, and it says nothing about the right one
    return {
        "prompt": prompt,
        "format": "mcq",
        "correct_answer": right,
        "options": options,
        "difficulty": difficulty,
    }


def _is_symbol(term: str) -> bool:
    return "$" in term or "=" in term or len(term) < LEAST_LETTERS
