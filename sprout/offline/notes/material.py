"""Material for questions: what some subconcepts state, and what the text around them states."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from sprout.errors import InvalidQuestion
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.learning.structure.tree import Block
from sprout.learning.text.stems import same_stem
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.language import Phrases, language
from sprout.offline.notes.meanings import TermMeaning, in_capitals, labelled_in, meanings_in
from sprout.offline.notes.terms import known_terms
from sprout.offline.notes.words import key_of

MOST_KINDS = 3  # from a term to a kind of a kind of it
KIND_WORDS = 5  # of a meaning, among which its kind stands: "a broad mountain with …"


class QuestionKind(StrEnum):
    """Kind of question, by what it asks for."""

    TERM = "term"
    TYPED_TERM = "typed_term"
    CELL = "cell"
    LABEL = "label"
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
        may_use: whether a sentence may be used at all.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        around: Sequence[Block],
        code: str,
        may_use: Callable[[str], bool] = bool,
    ) -> None:
        self.topics, self.around, self.code = topics, around, code
        self.may_use = may_use
        self.say: Phrases = language(code).phrases

    @cached_property
    def sentences(self) -> list[list[str]]:
        """Of each topic the sentences that say something."""
        return [self.sentences_in(topic.blocks) for topic in self.topics]

    @cached_property
    def all_sentences(self) -> list[str]:
        return [*dict.fromkeys([*(one for each in self.sentences for one in each), *self.sentences_in(self.around)])]

    @cached_property
    def meanings(self) -> list[tuple[int, TermMeaning]]:
        """What the topics say of terms, each meaning once, with the number of the topic."""
        found: dict[str, tuple[int, TermMeaning]] = {}
        for number, one in self._stated:
            if number < len(self.topics):
                found.setdefault(one.key, (number, one))
        return [*found.values()]

    @cached_property
    def labelled(self) -> list[tuple[int, list[TermMeaning]]]:
        """The lists of the topics that say something of one thing after the other, with the number of the topic.

        A label that two lists have is an aspect, such as "Age", and no thing.
        """
        lists = [
            (number, items)
            for number, topic in enumerate(self.topics)
            for items in labelled_in(topic.blocks, self.code)
            if all(self.may_use(one.sentence) for one in items)
        ]
        others = labelled_in(self.around, self.code)
        uses = Counter(one.key for items in (*(items for _, items in lists), *others) for one in items)
        return [(number, items) for number, items in lists if all(uses[one.key] == 1 for one in items)]

    @cached_property
    def all_meanings(self) -> list[TermMeaning]:
        """Those of the topics, then those of the text around them."""
        found = {one.key: one for _, one in reversed(self._stated)}
        return [*reversed(found.values())]

    def related(self, one: TermMeaning, other: TermMeaning) -> bool:
        """Whether what is said of one term may be true of the other: one names the other, or a kind of it."""
        words, others = set(one.key.split()), set(other.key.split())
        if words <= others or others <= words or same_stem(one.key, other.key):
            return True
        return other.key in self._kinds[one.key] or one.key in self._kinds[other.key]

    def shown(self, term: str) -> str:
        """The term as the text writes it within sentences: with a small first letter, if it does anywhere."""
        small = term[:1].lower() + term[1:]
        alone = re.compile(rf" {re.escape(small)}(?!\w)")
        return small if any(map(alone.search, self.all_sentences)) else term

    def shown_alike(self, terms: Sequence[str]) -> list[str]:
        """The terms as the text writes them, all with capital letters if one has a capital."""
        shown = [self.shown(term) for term in terms]
        return shown if all(term[0].islower() for term in shown) else [term[:1].upper() + term[1:] for term in shown]

    def quoted(self, term: str) -> str:
        """The term in the quotation marks of its language."""
        return self.say.quoted.format(term)

    @cached_property
    def _kinds(self) -> Mapping[str, set[str]]:
        """Key of a term → the terms among the first words of what it means, and those of what these mean."""
        said = {
            one.key: f" {' '.join(key_of(one.meaning, self.code).split()[:KIND_WORDS])} " for one in self.all_meanings
        }
        kinds = {key: {other for other in said if f" {other} " in text} for key, text in said.items()}
        for _ in range(MOST_KINDS):
            kinds = {key: found.union(*(kinds[other] for other in found)) for key, found in kinds.items()}
        return kinds

    @cached_property
    def _stated(self) -> list[tuple[int, TermMeaning]]:
        """All usable meanings with the number of the topic, those of the text around with the next number. Where most
        terms are no capitals, these mark a label."""
        texts = [*(topic.blocks for topic in self.topics), self.around]
        every = [
            (number, one)
            for number, blocks in enumerate(texts)
            for one in meanings_in(blocks, self.code, known=self._known)
            if self.may_use(one.sentence)
        ]
        labels = sum(in_capitals(one.term) for _, one in every)
        return [each for each in every if 2 * labels >= len(every) or not in_capitals(each[1].term)]

    @cached_property
    def _known(self) -> frozenset[str]:
        headings = [heading for topic in self.topics for heading in (topic.title, *topic.headings)]
        return known_terms(headings, self.all_sentences, self.code)

    def sentences_in(self, blocks: Sequence[Block]) -> list[str]:
        """The usable sentences of the blocks that say something, each once."""
        return [one for one in dict.fromkeys(sentences_in(blocks, self.code)) if self.may_use(one)]


def accepted(questions: Iterator[NoteQuestion]) -> Iterator[NoteQuestion]:
    """The questions that the server accepts."""
    for question in questions:
        criteria = tuple(Criterion(**row) for row in question.fields.get("criteria", ()))
        try:
            validate_draft(QuestionDraft(**{**question.fields, "tests": ("x",), "criteria": criteria}))
        except InvalidQuestion:
            continue
        yield question
