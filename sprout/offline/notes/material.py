"""Material for questions: what some subconcepts state, and what the text around them states."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from sprout.errors import InvalidQuestion
from sprout.learning.questions.questions import Criterion, QuestionDraft, validate_draft
from sprout.learning.structure.glossary import GlossaryEntry
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block
from sprout.offline.notes.facts import Statement, sentences_in, statements_of
from sprout.offline.notes.language import Phrases, empty_titles, language
from sprout.offline.notes.meanings import TermMeaning, glossary_meanings, marked_terms, meanings_in
from sprout.offline.notes.terms import Terms, known_terms
from sprout.offline.notes.words import key_of

EVERYWHERE_SHARE = 1 / 3
EVERYWHERE_LEAST = 5
HEADING_WORDS = 3
LONG_TERM = 6  # letters


class QuestionKind(StrEnum):
    """Kind of question, by what it asks for."""

    TERM = "term"
    TYPED_TERM = "typed_term"
    MEANING = "meaning"
    TRUE_OF = "true_of"
    FITS_GAP = "fits_gap"
    CELL = "cell"
    NEXT_STEP = "next_step"
    NUMBER = "number"
    OWN_WORDS = "own_words"


@dataclass(frozen=True, slots=True)
class NoteQuestion:
    """A question that could be asked.

    Args:
        topic: number of the subconcept that it is about.
        settles: the sentences that settle it; no other question of a set may rest on them.
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
    """What a subconcept is about: its title, the headings it stands under, and its blocks."""

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
    def ubiquitous_terms(self) -> frozenset[str]:
        """Terms in more than a third of the sentences: they tell no part from another."""
        most = max(EVERYWHERE_LEAST, len(self.all_sentences) * EVERYWHERE_SHARE)
        return frozenset(key for key, count in self.terms.counts.items() if count > most)

    @cached_property
    def meanings(self) -> list[tuple[int, TermMeaning]]:
        """The terms that the topics define, each once, with the number of the topic."""
        found: dict[str, tuple[int, TermMeaning]] = {}
        for number, topic in enumerate(self.topics):
            known = known_terms([topic.title, *topic.headings], self.sentences[number], self.code)
            text = " ".join(text_of(block) for block in topic.blocks)
            for one in (
                *meanings_in(topic.blocks, self.code, known=known),
                *glossary_meanings(self._glossary, text, self.code),
            ):
                if self._usable(one.sentence) and not one.loose:
                    found.setdefault(one.key, (number, one))
        return [*found.values()]

    @cached_property
    def all_meanings(self) -> list[TermMeaning]:
        """Those of the topics, then those of the text around them."""
        own = [one for _, one in self.meanings]
        known = known_terms([], self._around_sentences, self.code)
        others = meanings_in(self.around, self.code, known=known)
        keys = {one.key for one in own}
        return [*own, *(one for one in others if one.key not in keys and self._usable(one.sentence) and not one.loose)]

    @cached_property
    def statements(self) -> list[list[Statement]]:
        """Of each topic the sentences that stand alone."""
        return [statements_of(sentences, self._subjects, self._telling, self.code) for sentences in self.sentences]

    @cached_property
    def around_statements(self) -> list[Statement]:
        """The sentences around the topics that stand alone."""
        return statements_of(self._around_sentences, self._subjects, self._telling, self.code)

    @cached_property
    def telling_terms(self) -> list[str]:
        """Terms that are defined, marked, or a heading."""
        blocks = [*(block for topic in self.topics for block in topic.blocks), *self.around]
        headings = dict.fromkeys(heading for topic in self.topics for heading in topic.headings)
        short = [one for one in headings if len(one.split()) <= HEADING_WORDS and one.casefold() not in empty_titles()]
        found = [*(one.term for one in self.all_meanings), *marked_terms(blocks, self.terms), *short]
        terms = {key_of(term, self.code): self.shown(term) for term in reversed(found)}
        return [term for key, term in reversed(terms.items()) if key not in self.ubiquitous_terms and len(term) > 2]

    @cached_property
    def option_terms(self) -> list[str]:
        """Terms that can be taken for one another: telling ones first, then others that the text uses often."""
        used = [key for key, count in self.terms.counts.most_common() if count > 1]
        components = {word for key in used if " " in key for word in key.split()}
        terms = {key_of(term, self.code): term for term in self.telling_terms}
        terms |= {key: self.terms.forms[key] for key in used if key not in components and key not in terms}
        return [*terms.values()]

    @cached_property
    def gap_terms(self) -> list[str]:
        """Terms that a sentence can lack: telling ones first, then longer ones that a few sentences use."""
        telling = set(self.telling_terms)
        others = [term for term in self.option_terms if term not in telling and len(term) >= LONG_TERM]
        few = [term for term in others if key_of(term, self.code) not in self.ubiquitous_terms]
        return [*self.telling_terms, *few]

    def shown(self, term: str) -> str:
        """The term as the text writes it within sentences."""
        usual = self.terms.forms.get(key_of(term, self.code), term)
        return usual if usual.casefold() == term.casefold() else term

    def quoted(self, term: str) -> str:
        """The term in the quotation marks of its language."""
        return self.say.quoted.format(term)

    @cached_property
    def _around_sentences(self) -> list[str]:
        return self._sentences_in(self.around)

    def _sentences_in(self, blocks: Sequence[Block]) -> list[str]:
        return [one for one in dict.fromkeys(sentences_in(blocks, self.code)) if self._usable(one)]

    @cached_property
    def _telling(self) -> frozenset[str]:
        return frozenset(key_of(term, self.code) for term in self.telling_terms)

    @cached_property
    def _subjects(self) -> frozenset[str]:
        return self._telling | {key for key, count in self.terms.counts.items() if count > 1}


def accepted(questions: Iterator[NoteQuestion]) -> Iterator[NoteQuestion]:
    """The questions that the server accepts."""
    for question in questions:
        fields = question.fields
        draft = QuestionDraft(
            prompt=fields["prompt"],
            format=fields["format"],
            correct_answer=fields["correct_answer"],
            difficulty=fields["difficulty"],
            tests=("x",),
            options=tuple(fields.get("options", ())),
            criteria=tuple(Criterion(**row) for row in fields.get("criteria", ())),
            tolerance=fields.get("tolerance"),
            unit=fields.get("unit"),
            accepted=tuple(fields.get("accepted", ())),
        )
        try:
            validate_draft(draft)
        except InvalidQuestion:
            continue
        yield question
