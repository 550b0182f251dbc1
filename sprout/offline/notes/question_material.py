"""Material for questions: the sentences of some units, their definitions, and similar terms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from sprout.offline.notes.language import Phrases, phrases
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.parser import WORD, words_of
from sprout.offline.notes.segments import Unit
from sprout.offline.notes.terms import Lexicon, stems_of
from sprout.offline.notes.title_claims import Definition, find_definition, needs_context

DISTRACTORS = 3
CLEAR, SALIENT = 2.0, 3.0
EVERYWHERE_SHARE = 0.4
EVERYWHERE_LEAST = 5
FEWEST_WORDS, MOST_WORDS = 5, 40


class QuestionKind(StrEnum):
    """Kind of material that a question is made of."""

    DESCRIBED = "described"
    MEANING = "meaning"
    CLOZE = "cloze"
    WHICH_REASON = "which_reason"
    DEFINE = "define"
    REASON = "reason"
    OUTCOME = "outcome"
    CONSEQUENCE = "consequence"
    NUMBER = "number"
    TELL = "tell"
    PAIR = "pair"
    RELATE = "relate"


@dataclass(frozen=True, slots=True)
class NoteQuestion:
    """A question that could be asked.

    Args:
        units: indexes of the units that it tests.
        uses: the sentences that it quotes or asks for; no other question of the set may use them.
        term: key of the term that it is about, if it is about one.
        fields: the input of the tool that saves it, without the titles that it tests.
    """

    kind: QuestionKind
    units: tuple[int, ...]
    uses: frozenset[str]
    term: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence and the index of the unit that it stands in."""

    sentence: str
    unit: int


@dataclass(frozen=True, slots=True)
class LocatedDefinition:
    """A definition and where it stands."""

    definition: Definition
    source: SourceSentence

    @property
    def key(self) -> str:
        return self.definition.key


class QuestionMaterial:
    """The units of a lesson, read for questions."""

    def __init__(self, units: Sequence[Unit], titles: Sequence[str], lexicon: Lexicon) -> None:
        self.units, self.titles, self.lexicon = units, titles, lexicon
        self.say: Phrases = phrases(lexicon.language)

    def sources(self, *, vague: bool = False) -> Iterator[SourceSentence]:
        """Sentences of a fitting length, first those of every unit's start; `vague` ones need the one before them."""
        for at in range(max((len(unit.sentences) for unit in self.units), default=0)):
            for number, unit in enumerate(self.units):
                if at < len(unit.sentences):
                    sentence = unit.sentences[at]
                    fits = FEWEST_WORDS <= len(words_of(sentence)) <= MOST_WORDS
                    if fits and (vague or not needs_context(sentence, self.lexicon.language)):
                        yield SourceSentence(sentence, number)

    @cached_property
    def definitions(self) -> list[LocatedDefinition]:
        """Definitions in the sentences, each term once."""
        found: dict[str, LocatedDefinition] = {}
        for source in self.sources():
            if defined := find_definition(source.sentence, self.lexicon):
                found.setdefault(defined.key, LocatedDefinition(defined, source))
        return [*found.values()]

    @cached_property
    def ubiquitous_terms(self) -> frozenset[str]:
        """Terms in more than two fifths of the sentences: a gap where they stood would teach nothing."""
        found = [set(self.lexicon.in_text(sentence)) for unit in self.units for sentence in unit.sentences]
        if len(found) < EVERYWHERE_LEAST:
            return frozenset()
        return frozenset(
            key for key in self.lexicon.weight if sum(key in each for each in found) > len(found) * EVERYWHERE_SHARE
        )

    @cached_property
    def component_terms(self) -> frozenset[str]:
        """Words that longer terms are made of, and too general to ask for: “water” where there is “water vapour”."""
        return frozenset(word for key in self.lexicon.weight if " " in key for word in key.split())

    def quoted(self, key: str) -> str:
        """The term as it is shown, in the quotation marks of its language."""
        return self.say.quoted.format(self.lexicon.display_forms[key])

    def similar_terms(self, key: str, sentence: str, article: str | None = None) -> list[str]:
        """Keys of three other terms of the same kind: number, capitals, length, and seen with this article if given."""
        shown, language = self.lexicon.display_forms, self.lexicon.language
        here = set(stems_of(sentence, language)) | set(key.split())
        fitting = [
            other
            for other, weight in self.lexicon.weight.items()
            if weight >= CLEAR
            and other not in self.ubiquitous_terms
            and not set(other.split()) & here
            and shown[other][:1].isupper() == shown[key][:1].isupper()
            and self._is_plural(other) == self._is_plural(key)
            and (article is None or article in self.lexicon.articles.get(other, ()))
        ]
        size = len(key.split())
        fitting.sort(
            key=lambda other: (
                self.is_salient(other) != self.is_salient(key),
                other in self.component_terms,
                abs(len(other.split()) - size),
                -min(6.0, self.lexicon.weight[other]),
                other,
            )
        )
        return fitting[:DISTRACTORS]

    def as_written(self, sentence: str, key: str) -> str:
        """The term as this sentence has it; empty unless it stands there exactly once."""
        size, words = len(key.split()), WORD.findall(sentence)
        spans = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
        found = [span for span in spans if " ".join(stems_of(span, self.lexicon.language)) == key]
        return found[0] if len(found) == 1 and len(re.findall(rf"\b{re.escape(found[0])}\b", sentence)) == 1 else ""

    def article_before(self, sentence: str, term: str) -> str | None:
        """The article right before the term; "" where it stands bare; None where another word stands between."""
        before = words_of(sentence[: sentence.index(term)])[-1:]
        given = words_in(self.lexicon.language)
        if not before:
            return ""
        if before[0] in given.words.articles:
            return before[0]
        return "" if before[0] in given.stopwords else None

    def label(self, text: str, source: SourceSentence) -> str:
        """Learner-visible label of a criterion: the terms that it is about, not the statement about them."""
        terms = self.lexicon.in_text(text)
        terms = terms[:1] + [term for term in terms[1:] if not set(term.split()) & set(terms[0].split())][:1]
        shown = [self.lexicon.display_forms[term] for term in terms]
        named = self.say.listed(shown)
        return self.say.what_it_says.format(term=named) if named else self.titles[source.unit]

    def is_salient(self, key: str) -> bool:
        """Return True if the text names the term or mentions it often."""
        return key in self.lexicon.named or self.lexicon.weight[key] >= SALIENT

    def _is_plural(self, key: str) -> bool:
        shown = self.lexicon.display_forms[key]
        return shown.endswith(words_in(self.lexicon.language).plural_endings) and not shown.endswith(("ss", "us", "is"))


def sentence_of(text: str) -> str:
    """A clause as a sentence: with a capital and a full stop."""
    text = text.strip(" ,;:")
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def open_question_fields(
    prompt: str, answer: str, criteria: Sequence[tuple[str, str, float]], difficulty: int
) -> dict[str, Any]:
    """The fields of an open question; criteria as label, statement and weight."""
    return {
        "prompt": prompt,
        "format": "open_ended",
        "correct_answer": answer,
        "criteria": [
            {"label": label, "statement": statement, "weight": weight} for label, statement, weight in criteria
        ],
        "difficulty": difficulty,
    }
