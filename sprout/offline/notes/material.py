"""Material for questions: what some subconcepts state, and what the text around them states."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from sprout.errors import InvalidQuestion
from sprout.learning.questions.questions import Criterion, QuestionDraft, validate_draft
from sprout.learning.structure.glossary import GlossaryEntry
from sprout.learning.structure.tree import Block
from sprout.learning.text.stems import same_stem
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.language import Phrases, language
from sprout.offline.notes.meanings import TermMeaning, glossary_meaning, glossary_meanings, meanings_in
from sprout.offline.notes.terms import Terms, known_terms
from sprout.offline.notes.words import key_of

MOST_KINDS = 3  # from a term to a kind of a kind of it


class QuestionKind(StrEnum):
    """Kind of question, by what it asks for."""

    TERM = "term"
    TYPED_TERM = "typed_term"
    MEANING = "meaning"
    CELL = "cell"
    STEP = "step"
    OWN_WORDS = "own_words"


@dataclass(frozen=True, slots=True)
class NoteQuestion:
    """A question that could be asked.

    Args:
        topic: number of the subconcept that it is about.
        settles: the sentences that settle it; no other question of a set may rest on them. None for own words, with
            which the whole text is compared.
        about: the term, or whatever else it asks about, for a learner.
        fields: the input of the tool that saves it, without the titles that it tests.
        said_of: wrong option → what the notes say it of.
    """

    kind: QuestionKind
    topic: int
    settles: tuple[str, ...]
    about: str
    fields: Mapping[str, Any]
    said_of: Mapping[str, str]

    @property
    def prompt(self) -> str:
        return str(self.fields["prompt"])


@dataclass(frozen=True, slots=True)
class Topic:
    """Subject of a subconcept: its title, the headings it stands under, and its blocks."""

    title: str
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]


class Material:
    """What topics state.

    Args:
        around: blocks whose facts are for wrong options alone.
        usable: whether a sentence may be used at all.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        around: Sequence[Block],
        glossary: Sequence[GlossaryEntry],
        code: str,
        usable: Callable[[str], bool] = bool,
    ) -> None:
        self.topics, self.around, self.code = topics, around, code
        self._glossary, self._usable = glossary, usable
        self.say: Phrases = language(code).phrases

    @cached_property
    def sentences(self) -> list[list[str]]:
        """Of each topic the sentences that say something."""
        return [self._sentences_in(topic.blocks) for topic in self.topics]

    @cached_property
    def all_sentences(self) -> list[str]:
        return [*dict.fromkeys([*(one for each in self.sentences for one in each), *self._around_sentences])]

    @cached_property
    def terms(self) -> Terms:
        """The terms of all that is given."""
        return Terms.of(self.all_sentences, self.code)

    @cached_property
    def meanings(self) -> list[tuple[int, TermMeaning]]:
        """What the topics say of terms, each meaning once, with the number of the topic."""
        found: dict[str, tuple[int, TermMeaning]] = {}
        for number, topic in enumerate(self.topics):
            known = known_terms([topic.title, *topic.headings], self.sentences[number], self.code)
            for one in (
                *meanings_in(topic.blocks, self.code, known=known),
                *glossary_meanings(self._glossary, self.sentences[number], self.code),
            ):
                if self._usable(one.sentence):
                    found.setdefault(one.key, (number, one))
        return [*found.values()]

    @cached_property
    def all_meanings(self) -> list[TermMeaning]:
        """Those of the topics, then those of the text around them, then the glossary's."""
        own = [one for _, one in self.meanings]
        known = known_terms([], self._around_sentences, self.code)
        others = meanings_in(self.around, self.code, known=known)
        listed = (glossary_meaning(entry, self.code) for entry in self._glossary)
        found = {one.key: one for one in reversed([*own, *others, *filter(None, listed)])}
        return [one for one in reversed(found.values()) if self._usable(one.sentence)]

    def related(self, one: TermMeaning, other: TermMeaning) -> bool:
        """Whether what is said of one term may be true of the other: one names the other, or a kind of it."""
        words, others = set(one.key.split()), set(other.key.split())
        if words <= others or others <= words or same_stem(one.key, other.key):
            return True
        return other.key in self._kinds[one.key] or one.key in self._kinds[other.key]

    def shown(self, term: str) -> str:
        """The term as the text writes it within sentences."""
        usual = self.terms.forms.get(key_of(term, self.code), term)
        return usual if usual.casefold() == term.casefold() else term

    def quoted(self, term: str) -> str:
        """The term in the quotation marks of its language."""
        return self.say.quoted.format(term)

    @cached_property
    def _kinds(self) -> Mapping[str, set[str]]:
        """Key of a term → the terms in what it means, and those in what these mean."""
        said: dict[str, str] = defaultdict(str)
        for one in self.all_meanings:
            said[one.key] += f" {key_of(one.meaning, self.code)} "
        kinds = {key: {other for other in said if f" {other} " in text} for key, text in said.items()}
        for _ in range(MOST_KINDS):
            kinds = {key: found.union(*(kinds[other] for other in found)) for key, found in kinds.items()}
        return kinds

    @cached_property
    def _around_sentences(self) -> list[str]:
        return self._sentences_in(self.around)

    def _sentences_in(self, blocks: Sequence[Block]) -> list[str]:
        return [one for one in dict.fromkeys(sentences_in(blocks, self.code)) if self._usable(one)]


def accepted(questions: Iterator[NoteQuestion]) -> Iterator[NoteQuestion]:
    """The questions that the server accepts."""
    for question in questions:
        criteria = tuple(Criterion(**row) for row in question.fields.get("criteria", ()))
        try:
            validate_draft(QuestionDraft(**{**question.fields, "tests": ("x",), "criteria": criteria}))
        except InvalidQuestion:
            continue
        yield question
