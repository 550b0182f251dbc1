"""Questions from notes, by kind: each asks for one thing that the text states."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sprout.learning.questions.questions import parse_number
from sprout.learning.structure.tree import Table
from sprout.learning.text.normalization import folded
from sprout.offline.notes.facts import Statement, cells_of, steps_of, without_article
from sprout.offline.notes.language import language
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind
from sprout.offline.notes.meanings import TermMeaning
from sprout.offline.notes.terms import keys_in
from sprout.offline.notes.words import key_of, word_count, words_of

DISTRACTORS = 3
LEAST_LETTERS = 4
GAP = "____"
MOST_CELLS, MOST_STEPS = 3, 2
LENGTHS_ALIKE = (0.4, 2.5)
MOST_POINTS = 3
GAP_WORDS = (6, 30)
MOST_MENTIONED = 6
NEVER_EXACT = 0.05  # of a measured number

_NUMBER = re.compile(
    r"(?<![\w.,/^$])(?P<number>\d{1,4}(?:[.,]\d{1,3})?)"
    r"(?P<unit> ?(?:%|°C|°F|(?:[kcmµn]?m|m?[gs]|kg|min|h|[kM]?Hz|k?V|m?A|k?W|k?J|N|Pa|mol|dB|Å)(?![\w/]))?)(?![\w/^$])"
)
_BEFORE_YEAR = re.compile(r"(?i)\b(?:in|im|en|since|seit|depuis|desde|um|by|ab|from|año|année|jahre?)\s$")
_COUNTED = re.compile(r"\s[^\W\d_]{3,}")
_BEFORE_COUNT = re.compile(r"[a-zà-ÿ]\s$")
_LABEL = re.compile(
    r"(?i)\b(?:fig\w*|abb\w*|tab\w*|chap\w*|kapitel|cap\w*|section|abschnitt|page|seite|página|equation|version)\W*$"
)
_POINTS_BACK = re.compile(r"(?i)\b(?:this|these|dies\w*|cet|cette|ces|est[aeo]s?)\b")


def term_questions(material: Material) -> Iterator[NoteQuestion]:
    """Meaning → term, among terms that the text uses too."""
    for number, one in material.meanings:
        if len(wrong := _other_terms(material, one)) == DISTRACTORS:
            prompt = material.say.described.format(meaning=one.meaning)
            fields = _choice(prompt, material.shown(one.term), wrong, 1)
            said_of = _meanings_of(material, wrong)
            yield NoteQuestion(QuestionKind.TERM, number, (one.sentence,), one.term, fields, said_of)


def typed_term_questions(material: Material) -> Iterator[NoteQuestion]:
    """The missing term of a definition, written by the learner and marked by code."""
    for number, one in material.meanings:
        term = material.shown(one.term)
        pattern = rf"(?<!\w){re.escape(term)}(?!\w)"
        gapped = re.sub(pattern, GAP, one.sentence, flags=re.IGNORECASE)
        if gapped.count(GAP) != 1:
            continue
        fields = {
            "prompt": material.say.typed.format(sentence=gapped),
            "format": "open_ended",
            "correct_answer": term,
            "accepted": list(dict.fromkeys((term, one.subject))),
            "difficulty": 2,
        }
        yield NoteQuestion(QuestionKind.TYPED_TERM, number, (one.sentence,), one.term, fields, {})


def meaning_questions(material: Material) -> Iterator[NoteQuestion]:
    """Term → meaning, among the meanings of other terms."""
    for number, one in material.meanings:
        others = [
            other
            for other in material.all_meanings
            if not _share_words(other.term, one.term, material.code)
            and not _share_words(other.term, one.meaning, material.code)
            and key_of(one.term, material.code) not in key_of(other.meaning, material.code)
            and _alike(other.meaning, one.meaning)
        ]
        others.sort(key=lambda other: abs(len(other.meaning) - len(one.meaning)))
        if len(others) >= DISTRACTORS:
            prompt = material.say.meaning.format(term=material.quoted(material.shown(one.term)))
            wrong = [other.meaning for other in others[:DISTRACTORS]]
            said_of = {other.meaning: other.term for other in others[:DISTRACTORS]}
            fields = _choice(prompt, one.meaning, wrong, 2)
            yield NoteQuestion(QuestionKind.MEANING, number, (one.sentence,), one.term, fields, said_of)


def true_of_questions(material: Material) -> Iterator[NoteQuestion]:
    """Which of four statements the text makes about a term; the others it makes about other terms."""
    said = [statement for each in material.statements for statement in each] + material.around_statements
    said = [one for one in said if one.key and not _POINTS_BACK.search(one.predicate)]
    for number, statements in enumerate(material.statements):
        for one in statements:
            if one not in said:
                continue
            own = {folded(other.predicate) for other in said if other.key == one.key}
            others = [
                other
                for other in said
                if folded(other.predicate) not in own and _could_be_said(one, other, material.code)
            ]
            ranked = sorted(others, key=lambda other: abs(len(other.predicate) - len(one.predicate)))
            distinct = {other.key: other for other in reversed(ranked)}
            wrong = [other for other in ranked if distinct[other.key] is other][:DISTRACTORS]
            if len(wrong) == DISTRACTORS:
                prompt = material.say.true_of.format(term=material.quoted(without_article(one.subject, material.code)))
                options = [f"… {other.predicate}" for other in wrong]
                fields = _choice(prompt, f"… {one.predicate}", options, 3)
                said_of = {f"… {other.predicate}": other.subject for other in wrong}
                yield NoteQuestion(QuestionKind.TRUE_OF, number, (one.sentence,), one.subject, fields, said_of)


def gap_questions(material: Material) -> Iterator[NoteQuestion]:
    """Which of four sentences a term is missing in; in the others it is another term."""
    gaps = [
        (number, sentence, term, gapped)
        for number, statements in enumerate([*material.statements, material.around_statements])
        for sentence in (one.sentence for one in statements if GAP_WORDS[0] <= word_count(one.sentence) <= GAP_WORDS[1])
        for term, gapped in _gaps(sentence, material)
    ]
    for number, sentence, term, gapped in gaps:
        if number == len(material.topics):
            break
        wrong: dict[str, str] = {}
        for _, other_sentence, other, other_gapped in gaps:
            apart = not _share_words(term, other_sentence, material.code) and other not in wrong.values()
            if apart and not _share_words(other, sentence, material.code) and _alike(other_gapped, gapped):
                wrong[other_gapped] = other
            if len(wrong) == DISTRACTORS:
                fields = _choice(material.say.fits_gap.format(term=material.quoted(term)), gapped, [*wrong], 2)
                yield NoteQuestion(QuestionKind.FITS_GAP, number, (sentence,), term, fields, wrong)
                break


def _gaps(sentence: str, material: Material) -> Iterator[tuple[str, str]]:
    """A telling term of a sentence, with the sentence in which it is missing; nothing where it stands there twice."""
    keys = keys_in(sentence, material.code)
    for term in material.gap_terms:
        if key_of(term, material.code) in keys:
            pattern = rf"(?<![\w$\\]){re.escape(term)}(?![\w$])"
            gapped, count = re.subn(pattern, GAP, sentence, flags=re.IGNORECASE)
            if count == 1 and not _share_words(term, gapped, material.code):
                yield term, gapped
            return


def cell_questions(material: Material) -> Iterator[NoteQuestion]:
    """What a table gives for a row, among the other cells of the column."""
    for number, topic in enumerate(material.topics):
        for table in topic.blocks:
            if not isinstance(table, Table) or len(table.rows) <= DISTRACTORS:
                continue
            for row, column, cell, others in [*cells_of(table)][:MOST_CELLS]:
                names = {"row": material.quoted(row), "column": material.quoted(column)}
                wrong = random.Random(row).sample(others, DISTRACTORS)
                fields = _choice(material.say.cell.format(**names), cell, wrong, 2)
                yield NoteQuestion(QuestionKind.CELL, number, (f"{row}: {cell}",), f"{row}, {column}", fields, {})


def step_questions(material: Material) -> Iterator[NoteQuestion]:
    """What comes right after an item of a numbered list, among its other items."""
    for number, topic in enumerate(material.topics):
        for block in topic.blocks:
            steps = steps_of(block)
            for at in range(min(MOST_STEPS, len(steps) - 1) if len(steps) > DISTRACTORS + 1 else 0):
                others = [step for place, step in enumerate(steps) if place not in (at, at + 1)]
                prompt = material.say.next_step.format(step=steps[at])
                fields = _choice(prompt, steps[at + 1], others[:DISTRACTORS], 3)
                settles = (f"{steps[at]} → {steps[at + 1]}",)
                yield NoteQuestion(QuestionKind.NEXT_STEP, number, settles, topic.title, fields, {})


def number_questions(material: Material) -> Iterator[NoteQuestion]:
    """The only number of a sentence, with its unit."""
    for number, statements in enumerate(material.statements):
        for one in statements:
            found = [*_NUMBER.finditer(one.sentence)]
            if len(found) != 1 or len(re.findall(r"\d+", one.sentence)) > 1 + found[0]["number"].count("."):
                continue
            digits, unit = found[0]["number"], found[0]["unit"].strip()
            start, end = found[0].span("number")
            before, after = one.sentence[:start], one.sentence[end:]
            value = parse_number(digits)
            is_year = not unit and len(digits) == 4 and _BEFORE_YEAR.search(before) is not None
            counts = len(digits) > 1 and _COUNTED.match(after) and _BEFORE_COUNT.search(before)
            if value is None or not (unit or is_year or counts) or _LABEL.search(before):
                continue
            gapped = f"{before}{GAP}{after}"
            fields = {
                "prompt": material.say.number.format(sentence=gapped),
                "format": "numeric",
                "correct_answer": digits.replace(",", "."),
                "tolerance": 0.0 if is_year else round(abs(value) * NEVER_EXACT, 4),
                "difficulty": 2,
            } | ({"unit": unit} if unit else {})
            topic = material.topics[number].title
            yield NoteQuestion(QuestionKind.NUMBER, number, (one.sentence,), topic, fields, {})


def own_words_questions(material: Material) -> Iterator[NoteQuestion]:
    """What the text says about a subconcept, or about a term of it, for the learner to compare."""
    for number, topic in enumerate(material.topics):
        sentences = [one.sentence for one in material.statements[number]] or material.sentences[number]
        if sentences:
            yield _own_words(material, number, topic.title, sentences)
        telling = material.terms.ranked(" ".join(sentences), besides=[topic.title])
        for term in dict.fromkeys((*telling, *_mentioned(sentences, material)[:MOST_MENTIONED])):
            key = key_of(term, material.code)
            if key in material.ubiquitous_terms or key == key_of(topic.title, material.code):
                continue
            fitting = [one for one in sentences if f" {key} " in f" {key_of(one, material.code)} "]
            if fitting and len(fitting) < len(sentences):
                yield _own_words(material, number, term, fitting)


def _mentioned(sentences: Sequence[str], material: Material) -> list[str]:
    """The terms that stand in the sentences, also those that stand there once."""
    forms = material.terms.forms
    return [forms[key] for sentence in sentences for key in sorted(keys_in(sentence, material.code)) if key in forms]


def _own_words(material: Material, number: int, about: str, sentences: Sequence[str]) -> NoteQuestion:
    say = material.say
    telling = sorted(range(len(sentences)), key=lambda at: (-_weight(sentences[at], about, material), at))
    chosen = [sentences[at] for at in sorted(telling[:MOST_POINTS])]
    labels = [(say.point_n.format(n=at), sentence) for at, sentence in enumerate(chosen, start=1)]
    if len(chosen) == 1:
        states = say.on_topic_states.format(term=about)
        rows = [(say.point.format(term=about), chosen[0], 0.8), (say.on_topic.format(term=about), states, 0.2)]
    else:
        rows = [(label, sentence, 1 / len(labels)) for label, sentence in labels]
    fields = {
        "prompt": say.own_words.format(term=material.quoted(about)),
        "format": "open_ended",
        "correct_answer": " ".join(sentence if sentence[-1] in ".!?" else f"{sentence}." for sentence in chosen),
        "criteria": [{"label": label, "statement": said, "weight": weight} for label, said, weight in rows],
        "difficulty": 4,
    }
    return NoteQuestion(QuestionKind.OWN_WORDS, number, tuple(chosen), about, fields, {})


def _weight(sentence: str, about: str, material: Material) -> int:
    """How much a sentence says: a definition most, then one that names what is asked about."""
    defines = any(one.sentence == sentence for one in material.all_meanings)
    return 2 * defines + _share_words(about, sentence, material.code)


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


def _other_terms(material: Material, one: TermMeaning) -> list[str]:
    """Three terms that are not the defined one, nor part of its definition, and look like it."""
    code = material.code
    fitting = [
        term
        for term in dict.fromkeys((*material.option_terms, *(other.term for other in material.all_meanings)))
        if not _share_words(term, one.term, code) and not _share_words(term, one.sentence, code)
    ]
    upper, plural = one.term[:1].isupper(), one.term.endswith("s")
    fitting = [term for term in fitting if _is_symbol(term) is _is_symbol(one.term)]
    fitting.sort(key=lambda term: (term[:1].isupper() != upper) + (term.endswith("s") != plural))
    return fitting[:DISTRACTORS]


def _is_symbol(term: str) -> bool:
    return "$" in term or "=" in term or len(term) < LEAST_LETTERS


def _meanings_of(material: Material, terms: Sequence[str]) -> Mapping[str, str]:
    known = {one.key: one.meaning for one in material.all_meanings}
    return {term: known[key] for term in terms if (key := key_of(term, material.code)) in known}


def _could_be_said(one: Statement, other: Statement, code: str) -> bool:
    """Whether what is said of another term is a wrong option that is surely wrong, and reads like the right one."""
    plural = language(code).words.plural_verbs
    same_number = (one.predicate.split()[0] in plural) == (other.predicate.split()[0] in plural)
    apart = other.key != one.key and not _share_words(one.subject, other.sentence, code)
    return apart and same_number and _alike(one.predicate, other.predicate)


def _share_words(phrase: str, text: str, code: str) -> bool:
    little = language(code).stopwords
    words = {word for word in words_of(phrase) if word not in little}
    return bool({key_of(word, code) for word in words} & set(key_of(text, code).split()))


def _alike(one: str, other: str) -> bool:
    shortest, longest = LENGTHS_ALIKE
    return shortest <= len(one) / max(1, len(other)) <= longest
