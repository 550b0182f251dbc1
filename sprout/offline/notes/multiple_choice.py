"""Choice questions from a text: which term, which meaning, which reason, which word in a gap."""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.question_material import (
    DISTRACTORS,
    LocatedDefinition,
    NoteQuestion,
    QuestionKind,
    QuestionMaterial,
    sentence_of,
)

GAP = "____"
LEAST_USES = 2
LEAST_SALIENT = 2
LENGTHS_ALIKE = (0.5, 2.0)
_AN = re.compile(rf"\b([Aa])n? {GAP}")


def term_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for the term that a description belongs to. Wrong options are other terms that the text names."""
    for defined in material.definitions:
        meaning = defined.definition.what
        if defined.key in material.lexicon.in_text(meaning):
            continue
        others = material.similar_terms(defined.key, meaning)
        if _like_enough(others, material):
            prompt = material.say.described.format(description=f"… {meaning}")
            yield _about_terms(
                QuestionKind.DESCRIBED, material, prompt, material.lexicon.display_forms[defined.key], others, defined
            )


def meaning_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for a term's description, among four from the text."""
    say = material.say
    for one in material.definitions:
        meaning = one.definition.what
        others = [other for other in material.definitions if _could_be_taken_for(one, other, material)]
        others.sort(key=lambda other: abs(len(other.definition.what) - len(meaning)))
        if len(others) < DISTRACTORS:
            continue
        wrong = [
            (
                other.definition.what,
                say.mixes_up_claims.format(term=material.quoted(one.key), option=material.quoted(other.key)),
            )
            for other in others[:DISTRACTORS]
        ]
        fields = _choice(say.meaning.format(term=material.quoted(one.key)), meaning, wrong, 2)
        yield NoteQuestion(QuestionKind.MEANING, (one.source.unit,), frozenset({one.source.sentence}), one.key, fields)


def cloze_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Gap questions for a term that matters, among others that grammar permits there too."""
    for source in material.sources():
        for key in material.lexicon.in_text(source.sentence)[:4]:
            term = material.as_written(source.sentence, key)
            if not term or not _worth_a_gap(key, source.sentence, material):
                continue
            article = material.article_before(source.sentence, term)
            others = material.similar_terms(key, source.sentence, article)
            if article is None or not _like_enough(others, material):
                continue
            gapped = re.sub(rf"\b{re.escape(term)}\b", GAP, source.sentence)
            if material.lexicon.language == "en":
                gapped = _AN.sub(rf"\1(n) {GAP}", gapped)
            wrong = [
                (_like_case(material.lexicon.display_forms[other], term), _mix_up(material, other, key))
                for other in others
            ]
            fields = _choice(material.say.cloze.format(sentence=gapped), term, wrong, 2)
            yield NoteQuestion(QuestionKind.CLOZE, (source.unit,), frozenset({source.sentence}), key, fields)
            break


def reason_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for a reason given in the notes. Wrong options are their reasons for other things."""
    pattern = words_in(material.lexicon.language).patterns.reason
    given = [(source, match) for source in material.sources() if (match := pattern.match(source.sentence.strip(" .")))]
    for source, match in given:
        effect, reason = sentence_of(match["effect"]), sentence_of(match["reason"])
        others = [
            (sentence_of(other["reason"]), material.say.mixes_up_reasons.format(effect=other["effect"]))
            for where, other in given
            if where != source and _alike(len(other["reason"]), len(match["reason"]))
        ]
        if len(others) >= DISTRACTORS:
            prompt = material.say.which_reason.format(effect=effect)
            fields = _choice(prompt, reason, others[:DISTRACTORS], 3)
            yield NoteQuestion(QuestionKind.WHICH_REASON, (source.unit,), frozenset({source.sentence}), "", fields)


def _worth_a_gap(key: str, sentence: str, material: QuestionMaterial) -> bool:
    """Return True if finding the term takes more than knowing common words."""
    if key in material.ubiquitous_terms or key in material.component_terms:
        return False
    uses = sum(key in material.lexicon.in_text(each) for unit in material.units for each in unit.sentences)
    defined_here = any(one.key == key and one.source.sentence == sentence for one in material.definitions)
    return not defined_here and (key in material.lexicon.named or uses >= LEAST_USES)


def _like_enough(others: Sequence[str], material: QuestionMaterial) -> bool:
    """Return True if there are enough wrong terms, most of which matter in the text."""
    return len(others) == DISTRACTORS and sum(map(material.is_salient, others)) >= LEAST_SALIENT


def _could_be_taken_for(one: LocatedDefinition, other: LocatedDefinition, material: QuestionMaterial) -> bool:
    """Return True if the other's description is a plausible wrong option for this term and does not name it."""
    meaning = other.definition.what
    names_it = set(one.key.split()) & {word for key in material.lexicon.in_text(meaning) for word in key.split()}
    return (
        other.key != one.key
        and other.definition.verb == one.definition.verb
        and _alike(len(meaning), len(one.definition.what))
        and not names_it
    )


def _about_terms(
    kind: QuestionKind,
    material: QuestionMaterial,
    prompt: str,
    answer: str,
    others: Sequence[str],
    defined: LocatedDefinition,
) -> NoteQuestion:
    wrong = [(material.lexicon.display_forms[other], _mix_up(material, other, defined.key)) for other in others]
    fields = _choice(prompt, answer, wrong, 1)
    return NoteQuestion(kind, (defined.source.unit,), frozenset({defined.source.sentence}), defined.key, fields)


def _mix_up(material: QuestionMaterial, other: str, key: str) -> str:
    return material.say.mixes_up.format(option=material.quoted(other), answer=material.quoted(key))


def _like_case(option: str, term: str) -> str:
    """The option with a capital where the term has one: small letters would show which never opened the sentence."""
    return option[:1].upper() + option[1:] if term[0].isupper() else option


def _alike(one: int, other: int) -> bool:
    return LENGTHS_ALIKE[0] <= one / other <= LENGTHS_ALIKE[1]


def _choice(prompt: str, answer: str, wrong: Sequence[tuple[str, str]], difficulty: int) -> dict[str, Any]:
    """The fields of a choice question; the same prompt always has its options in the same order."""
    options = [answer, *(option for option, _ in wrong)]
    random.Random(prompt).shuffle(options)
    return {
        "prompt": prompt,
        "format": "mcq",
        "options": options,
        "correct_answer": answer,
        "misconceptions": [{"option": option, "misconception": why} for option, why in wrong],
        "difficulty": difficulty,
    }
