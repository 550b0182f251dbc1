"""Questions from notes, by kind: each asks for one thing that the text states."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Table
from sprout.learning.text.stems import shared_stems, stems
from sprout.offline.notes.facts import cells_of, is_prose, is_sentence, is_whole, listed_lines, row_names, running_text
from sprout.offline.notes.headings import tells
from sprout.offline.notes.language import language
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind
from sprout.offline.notes.meanings import TermMeaning, names_thing
from sprout.offline.notes.words import FIRST_GREEK, gives_away, needs_context, singles_out, words_of

DISTRACTORS = 3
GAP = "____"
MOST_CELLS = MOST_LABELS = 3  # of a table or list
LONGEST_BEGINNING = 18  # words of a passage that it is called by: its first sentence, or a clause of it
SHORTEST_BEGINNING, CUT_BEGINNING = 6, 9
LEAST_BEGUN = 3  # words of a first sentence
LEAST_TYPED = 7  # words of a sentence around its missing term
CAPITALS = 2  # of an abbreviation

_WORD = re.compile(r"[^\W\d_]{3}")
_GLUED = re.compile(r"\S\(")  # "C(diamond)" is written in other ways too
_LEADS = re.compile(rf"\W*{GAP}\W*\s[:：–—=-]|\W*{GAP}\W*[:：–—=]")
_NUMBERED = re.compile(r"^\d{1,2} +(?=[^\W\d_])")
_POINTS_BACK = re.compile(r"(?i)\b(?:it|them|these|those|this)$")
_ALSO_CALLED = re.compile(
    r"(?i)\b(?:also|sometimes|otherwise|often) (?:known|called|termed|referred to)|"
    r"\bauch\b.{0,40}\b(?:genannt|bezeichnet)|\baussi (?:appelé|nommé|dit)|"
    r"\btambién (?:llamad|conocid|denominad)|\banche (?:chiamat|dett|not)|"
    r"\btambém (?:chamad|conhecid|denominad)"
)
_EITHER = re.compile(r" (?:or|oder|ou) ")
_CLAUSE_END = re.compile(r"[,;:–—]$")
_MARKS = re.compile(r"[|#<>{}\[\]\\$*_`]")
_RAISED = re.compile("[²³¹⁰⁴-⁹ⁿ®™]")
_BRACKETED = re.compile(r"([^()]{2,}) \(([^()]{2,})\)")


def term_questions(material: Material) -> Iterator[NoteQuestion]:
    """Meaning → term, among other terms that the notes explain."""
    for number, one in material.meanings:
        others = _of_same_sort(material, one)[:DISTRACTORS]
        names = [other.term for other in others]
        if len(others) == DISTRACTORS and not singles_out(one.meaning, one.term, names, code=material.code):
            prompt = material.say.described.format(meaning=one.meaning)
            shown = material.shown_alike([one.term, *names])
            said_of = {term: other.meaning for term, other in zip(shown[1:], others, strict=True)}
            fields = _choice(prompt, shown[0], [*said_of], 1)
            yield NoteQuestion(QuestionKind.TERM, number, (one.sentence,), one.term, fields, said_of)


def label_questions(material: Material) -> Iterator[NoteQuestion]:
    """Statement of a list → the thing that it is made of, among those beside it."""
    for number, items in material.labelled:
        for one in items[:MOST_LABELS]:
            others = [other for other in items if other is not one and not one.shares_word(other)][:DISTRACTORS]
            names = [other.term for other in others]
            if len(others) == DISTRACTORS and not singles_out(one.meaning, one.term, names, code=material.code):
                prompt = material.say.labelled.format(meaning=one.meaning)
                said_of = {other.term: other.meaning for other in others}
                fields = _choice(prompt, one.term, names, 1)
                yield NoteQuestion(QuestionKind.LABEL, number, (one.sentence,), one.term, fields, said_of)


def typed_term_questions(material: Material) -> Iterator[NoteQuestion]:
    """The missing term of a definition, written by the learner and marked by code."""
    for number, one in material.meanings:
        if any(map(_ALSO_CALLED.search, material.sentences[number])):
            continue  # another name may be as right
        term = material.shown(one.term)
        pattern = rf"(?<!\w){re.escape(term)}(?!\w)"
        gapped = re.sub(pattern, GAP, one.sentence, flags=re.IGNORECASE)
        worded = (
            _WORD.search(term)
            and not ({"=", "$"} & {*term} or _GLUED.search(term) or _EITHER.search(term))
            and not _LEADS.match(gapped)
            and is_sentence(one.sentence)
        )
        if gapped.count(GAP) != 1 or len(gapped.split()) <= LEAST_TYPED or not worded:
            continue
        is_phrase = language(material.code).words.indefinite & {*words_of(term)[1:]}
        if is_phrase or gives_away(gapped, term):
            continue
        fields = {
            "prompt": material.say.typed.format(sentence=gapped),
            "format": "open_ended",
            "correct_answer": term,
            "accepted": list(dict.fromkeys((term, one.subject, _RAISED.sub("", term), *_shorter_names(term)))),
            "criteria": [{"label": material.say.the_term, "statement": term, "weight": 1.0}],
            "difficulty": 2,
        }
        yield NoteQuestion(QuestionKind.TYPED_TERM, number, (one.sentence,), one.term, fields, {})


def _shorter_names(term: str) -> list[str]:
    """The names in "deoxyribonucleic acid (DNA)"; of "node (sinoatrial)" only the first, for the other says which."""
    bracketed = _BRACKETED.fullmatch(term)
    if bracketed is None:
        return []
    first, second = bracketed.groups()
    is_short = any(" " not in name and sum(map(str.isupper, name)) >= CAPITALS for name in (first, second))
    is_translated = (first < FIRST_GREEK) != (second < FIRST_GREEK)
    return [first, second] if is_short or is_translated else [first]


def _of_same_sort(material: Material, one: TermMeaning) -> list[TermMeaning]:
    """Other terms with their meanings that are surely wrong for this one, those that stand nearest to it first."""
    order = {other.key: at for at, (_, other) in enumerate(material.meanings)}
    return sorted(
        (other for other in material.all_meanings if not material.related(one, other)),
        key=lambda other: (
            abs(order.get(other.key, len(order) + order[one.key]) - order[one.key]),
            abs(len(other.meaning) - len(one.meaning)),
        ),
    )


def cell_questions(material: Material) -> Iterator[NoteQuestion]:
    """Cells of tables: the right one for a row that no other table has, among others of its column."""
    tables = {block for blocks in (material.around, *(topic.blocks for topic in material.topics)) for block in blocks}
    rows = Counter(name for table in tables if isinstance(table, Table) for name in row_names(table))
    for number, topic in enumerate(material.topics):
        for table in topic.blocks:
            if not isinstance(table, Table):
                continue
            cells = [cell for cell in cells_of(table, material.code) if rows[cell[0].casefold()] == 1]
            for row, column, cell, others in cells[:MOST_CELLS]:
                prompt = material.say.cell.format(row=material.quoted(row), column=material.quoted(column))
                wrong = random.Random(row).sample(others, DISTRACTORS)
                fields = _choice(prompt, cell, wrong, 2)
                yield NoteQuestion(QuestionKind.CELL, number, (f"{row}: {cell}",), f"{row}, {column}", fields, {})


def own_words_question(material: Material, number: int, *, title: str, blocks: Sequence[Block]) -> NoteQuestion | None:
    """The question for a section of a topic in the learner's own words, who compares them with the whole of it.

    None unless the section's title names what it is about, and it is a list, or prose to be told as such.
    """
    title = _NUMBERED.sub("", title)
    own = title.rpartition(": ")[2]
    named = names_thing(own, material.code) and tells(own)
    if not named or _POINTS_BACK.search(title):
        return None
    words, text = stems([title]), " ".join(material.sentences_in(blocks))
    is_about = words and 2 * shared_stems(words, stems([text])) >= len(words)
    if not is_about or not is_prose(blocks, material.code):
        text = "\n".join(listed_lines(blocks, material.code))
    asked = material.say.passage.format(term=material.quoted(title))
    return _told_again(material, number, asked, text, about=title) if text else None


def passage_question(material: Material, number: int, *, blocks: Sequence[Block], about: str) -> NoteQuestion | None:
    """The same for a passage of running text without a heading of its own, which is called by how it begins.

    None where a sentence of it may not be used.

    Args:
        about: its subject.
    """
    text = running_text(blocks)
    sentences = sentences_of(text)
    begins = _beginning(sentences[0]) if sentences else ""
    if (
        not begins
        or begins[0].islower()
        or _MARKS.search(begins)
        or not is_whole(begins)
        or not all(map(material.may_use, sentences))
    ):
        return None
    given, words = language(material.code), words_of(begins)
    points_back = needs_context(begins, material.code) or given.words.pointing & {*words}
    if len(words) < LEAST_BEGUN or points_back or given.patterns.meta.search(begins):
        return None
    asked = material.say.passage_begun.format(words=material.quoted(begins))
    return _told_again(material, number, asked, text, about=about)


def _beginning(sentence: str) -> str:
    """A sentence that is not long, else its first clauses, else its first words."""
    words = sentence.split()
    if len(words) <= LONGEST_BEGINNING:
        return sentence
    ends = [at for at in range(SHORTEST_BEGINNING, LONGEST_BEGINNING + 1) if _CLAUSE_END.search(words[at - 1])]
    return " ".join([*words[: max(ends, default=CUT_BEGINNING)], "…"])


def _told_again(material: Material, number: int, asked: str, text: str, *, about: str) -> NoteQuestion:
    say = material.say
    points = ((say.point, text, 0.8), (say.on_topic, say.on_topic_states.format(term=about), 0.2))
    fields = {
        "prompt": asked,
        "format": "open_ended",
        "correct_answer": text,
        "criteria": [
            {"label": label.format(term=about), "statement": statement, "weight": weight}
            for label, statement, weight in points
        ],
        "difficulty": 4,
    }
    return NoteQuestion(QuestionKind.OWN_WORDS, number, (), about, fields, {})


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
