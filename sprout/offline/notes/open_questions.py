"""Open and numeric questions from a text: what something is, why, what follows, which number, what belongs together."""

import re
from collections.abc import Iterator

from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.parser import words_of
from sprout.offline.notes.question_material import (
    NoteQuestion,
    QuestionKind,
    QuestionMaterial,
    SourceSentence,
    open_question_fields,
    sentence_of,
)
from sprout.offline.notes.title_claims import lowercase_start, needs_context

GAP = "____"
THINGS_TOLD = 2
MAIN, REST = 0.6, 0.4
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:[ \u202f]\d{3})+|\d+(?:[.,]\d+)?)(?![\w]|[.,]\d)\s?(%|[^\W\d_]{1,12})?")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|over|etwa|rund|ca\.?|ungefähr|fast|environ|près de)\s*$"
)
MEASURED_SLACK = 0.05


def definition_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for a definition. The kind of thing and what sets it apart are the two criteria of a good answer."""
    say, parted = material.say, words_in(material.lexicon.language).patterns.parted
    for one in material.definitions:
        kind, *rest = parted.split(one.definition.what, maxsplit=1)
        if rest and one.key not in material.lexicon.in_text(one.definition.what):
            criteria = [(say.kind_of_thing, kind, REST), (say.sets_apart, rest[0], MAIN)]
            prompt = say.define.format(term=material.quoted(one.key))
            fields = open_question_fields(prompt, sentence_of(one.definition.what), criteria, 2)
            yield NoteQuestion(
                QuestionKind.DEFINE, (one.source.unit,), frozenset({one.source.sentence}), one.key, fields
            )


def reason_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Why is it so?"""
    pattern = words_in(material.lexicon.language).patterns.reason
    defining = {one.source for one in material.definitions}
    for source in material.sources():
        if source not in defining and (match := pattern.match(source.sentence.strip(" ."))):
            effect = sentence_of(match["effect"])
            prompt = material.say.reason.format(effect=effect)
            yield _link(QuestionKind.REASON, material, source, prompt, match["reason"], effect, 4)


def consequence_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for a consequence."""
    pattern = words_in(material.lexicon.language).patterns.consequence
    for source in material.sources():
        if match := pattern.match(source.sentence.strip(" .")):
            cause = sentence_of(match["cause"])
            prompt = material.say.consequence.format(cause=cause)
            yield _link(QuestionKind.CONSEQUENCE, material, source, prompt, match["effect"], cause, 4)


def outcome_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for an outcome, “What happens when …?”."""
    patterns = words_in(material.lexicon.language).patterns
    for source in material.sources():
        sentence = source.sentence.strip(" .")
        if match := patterns.conditional.match(sentence) or patterns.when_after.match(sentence):
            word, condition = match["word"].lower(), match["condition"]
            if not needs_context(condition, material.lexicon.language):
                prompt = material.say.outcome.format(word=word, condition=lowercase_start(condition, material.lexicon))
                asked = sentence if words_in(material.lexicon.language).inverts else match["outcome"]
                yield _link(QuestionKind.OUTCOME, material, source, prompt, asked, f"{word} {condition}", 3)


def numeric_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for a number. “about 97 %” may be missed by a twentieth, “1789” not at all."""
    for source in material.sources():
        found = list(_NUMBER.finditer(source.sentence))
        if len(found) != 1 or len(found[0][1].replace(" ", "")) > 12:
            continue
        number = found[0]
        value = re.sub(r"[ \u202f]", "", number[1]).replace(",", "." if material.lexicon.language != "en" else "")
        gapped = f"{source.sentence[: number.start(1)]}{GAP}{source.sentence[number.end(1) :]}"
        about = bool(_ABOUT.search(source.sentence[: number.start(1)]))
        fields = {
            "prompt": material.say.number.format(sentence=gapped),
            "format": "numeric",
            "correct_answer": value,
            "tolerance": round(abs(float(value)) * MEASURED_SLACK, 6) if about else 0,
            "difficulty": 2,
        } | ({"unit": number[2]} if number[2] and not number[2][0].islower() else {})
        yield NoteQuestion(QuestionKind.NUMBER, (source.unit,), frozenset({source.sentence}), "", fields)


def aspect_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Two things that one part says about a term; the title of the part says which aspect is meant."""
    say = material.say
    for at, unit in enumerate(material.units):
        title = material.titles[at]
        hidden = [sentence for sentence in unit.sentences if title.casefold() not in sentence.casefold()]
        for key in material.lexicon.in_text(unit.text):
            about = [sentence for sentence in hidden if key in material.lexicon.in_text(sentence)][:THINGS_TOLD]
            if len(about) == THINGS_TOLD and key not in material.ubiquitous_terms:
                criteria = [(material.label(each, SourceSentence(each, at)), each, 1 / THINGS_TOLD) for each in about]
                prompt = say.tell.format(title=title, term=material.quoted(key), count=THINGS_TOLD)
                yield NoteQuestion(
                    QuestionKind.TELL,
                    (at,),
                    frozenset(about),
                    key,
                    open_question_fields(prompt, " ".join(about), criteria, 3),
                )
                break


def pair_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Questions for the relation of two terms in one sentence."""
    say = material.say
    for source in material.sources():
        if len(words_of(source.sentence)) < 2 * THINGS_TOLD + 2:
            continue
        keys = sorted(material.lexicon.in_text(source.sentence), key=lambda key: key in material.ubiquitous_terms)
        other = next((key for key in keys[1:] if not set(key.split()) & set(keys[0].split())), "")
        if other:
            one, two = material.quoted(keys[0]), material.quoted(other)
            link = say.link_said.format(text=f"{one} – {two}")
            label = material.label(source.sentence, source)
            criteria = [(label, source.sentence, 1 - REST / 2), (say.the_link, link, REST / 2)]
            fields = open_question_fields(say.pair.format(one=one, other=two), source.sentence, criteria, 3)
            yield NoteQuestion(
                QuestionKind.PAIR, (source.unit,), frozenset({source.sentence}), f"{keys[0]} + {other}", fields
            )


def relation_questions(material: QuestionMaterial) -> Iterator[NoteQuestion]:
    """Two parts that speak of the same term, the later ones first: what each of them says about it."""
    for later in range(len(material.units) - 1, 0, -1):
        for earlier in range(later):
            yield from _relation(material, earlier, later)


def _relation(material: QuestionMaterial, earlier: int, later: int) -> Iterator[NoteQuestion]:
    one, other = material.units[earlier], material.units[later]
    both = set(material.lexicon.in_text(other.text)) - material.ubiquitous_terms
    titles = [material.titles[earlier], material.titles[later]]
    for key in (key for key in material.lexicon.in_text(one.text) if key in both):
        sentences = [_beside(titles, unit.sentences, key, material) for unit in (one, other)]
        if all(sentences):
            criteria = [(title, sentence, 1 / 2) for title, sentence in zip(titles, sentences, strict=True)]
            prompt = material.say.relate.format(one=titles[0], other=titles[1], term=material.quoted(key))
            fields = open_question_fields(prompt, " ".join(sentences), criteria, 5)
            yield NoteQuestion(QuestionKind.RELATE, (earlier, later), frozenset(sentences), key, fields)
            return


def _beside(titles: list[str], sentences: tuple[str, ...], key: str, material: QuestionMaterial) -> str:
    """A sentence with the term that is not a title as well: a prompt with that title would give it away."""
    return next(
        (
            sentence
            for sentence in sentences
            if key in material.lexicon.in_text(sentence)
            and not any(title.casefold() in sentence.casefold() for title in titles)
        ),
        "",
    )


def _link(
    kind: QuestionKind,
    material: QuestionMaterial,
    source: SourceSentence,
    prompt: str,
    asked: str,
    given: str,
    difficulty: int,
) -> NoteQuestion:
    """A question with one part of a sentence given and the other asked for; the link between them counts too."""
    say = material.say
    answer = sentence_of(asked)
    label = say.the_reason if kind is QuestionKind.REASON else say.the_outcome
    criteria = [(label, answer, MAIN + REST / 2), (say.the_link, say.link_said.format(text=given), REST / 2)]
    fields = open_question_fields(prompt, answer, criteria, difficulty)
    return NoteQuestion(kind, (source.unit,), frozenset({source.sentence}), "", fields)
