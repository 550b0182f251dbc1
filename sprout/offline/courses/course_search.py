"""Search of a course for passages that answer a learner's question, be it in other words."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.confusables import plain
from sprout.learning.text.language import detect_language
from sprout.learning.text.stems import content_words, same_stem, stem
from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.courses.catalogue import MAX_CACHED, added_courses, lessons
from sprout.offline.courses.glossary import glossary
from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.courses.statements import is_statement, lines_of, quotation_depth
from sprout.offline.notes.language import CODES
from sprout.offline.notes.words import needs_context

LONGEST_PHRASE = 4  # words
ALL_OF = 3  # needs: of more than these one may be missing
COMMON_FROM = 4  # passages: a single word that stands in so many of a lesson picks none of them
RARE_UP_TO = 3  # lessons: a word of so few says by itself what a question is about

_MARK = "§"  # begins what is no stem
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_CODE = re.compile(r"`([^`\n]+)`")
_OBLIGED = re.compile(r"\b(?:i|we|you) (?:even |really |always )*(?:need|have|got) to\b")  # "why do we have to count"
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|old|long|often|high|tall|far)\b|\b(?:what|which) (?:year|percent\w*)\b")
_ASKS_PLACE = re.compile(r"\b(?:where|which|what(?! if\b)|who)\b")
_ASKS_REASON = re.compile(r"\b(?:why|how come|what for|reason)\b")
_REASON = re.compile(r"\b(?:because|since|so|as|therefore|thus|then)\b")
_NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|twice|hundred|thousand|million)\b")

Tokens = frozenset[str]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a course, or two in a row.

    Args:
        lesson: title of the subconcept; empty for a definition of the glossary.
        tokens: what it speaks of: stems, and marks of the terms and groups of words that they belong to.
        about: the tokens of its heading; of a definition, the mark of its term.
        is_double: whether it is two sentences.
        is_cut: whether the sentence after it takes it up: "He could …".
    """

    lesson: str
    text: str
    tokens: Tokens
    about: Tokens
    is_double: bool = False
    is_cut: bool = False

    def count_met(self, needs: Sequence[Tokens], subconcept: str) -> tuple[int, int]:
        """How many of the needs it meets, and how many of them by its words alone.

        In the lesson itself half of them may be met by its heading; elsewhere other words of the same group are not
        enough, and a definition is of one of the terms that are asked about.
        """
        if self.lesson == subconcept:
            own = sum(_has(need, self.tokens) for need in needs)
            by_heading = sum(_has(need - _group_marks(), self.about) and not _has(need, self.tokens) for need in needs)
            return (own + by_heading, own) if own >= by_heading else (0, 0)
        if self.is_double or (not self.lesson and all(self.about.isdisjoint(need) for need in needs)):
            return 0, 0
        own = sum(_has(need - _group_marks(), self.tokens) for need in needs if not all(map(str.isdigit, need)))
        return own, own


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is about.

    Args:
        needs: its terms, phrases and words, each with all that meets it.
        also: what a better passage has besides: words that say how it is asked, and terms that are everyday words.
    """

    needs: tuple[Tokens, ...]
    also: Tokens
    wants_number: bool
    wants_reason: bool
    wants_place: bool


def search_course(slug: str, subconcept: str, question: str) -> list[Passage]:
    """The passages that have all that the question is about, best first: of the lesson on the subconcept, of the
    glossary, of other lessons; empty where the course says nothing of it.

    One word that half the course has picks none, and of many that may be missing the rarest may not.
    """
    asked = _asked(slug, question)
    met = {one: one.count_met(asked.needs, subconcept) for one in _index(slug, added_courses()) if asked.needs}
    least = len(asked.needs) if len(asked.needs) <= ALL_OF else len(asked.needs) - 1
    found = [
        one
        for one, (many, _) in met.items()
        if many == len(asked.needs) or (many >= least and has_rarest(slug, asked.needs, one.tokens | one.about))
    ]
    if all(map(_is_number, asked.needs)):
        return []  # a number alone says nothing of what is asked
    if len(asked.needs) == 1:
        here = [one for one in found if one.lesson == subconcept]
        chosen = here if len(here) < COMMON_FROM else [one for one in here if asked.also & one.tokens]
        found = chosen if here or not asked.wants_place else _first_of_most(found)
        asks_where = "where" in plain(question).split()
        found = found if asks_where or is_rare(slug, asked.needs[0]) else []

    def rank(one: Passage) -> tuple[int, int, int, int, bool, int]:
        place = 0 if one.lesson == subconcept else 1 if not one.lesson else 2
        all_met, own = met[one]
        return place, -all_met, -len(asked.also & one.tokens), -own, one.is_cut, len(one.text)

    return sorted((one for one in found if _is_wanted(one, asked)), key=rank)


def _is_number(need: Tokens) -> bool:
    return any(map(str.isdigit, need)) and all(one.isdigit() or one.startswith(_MARK) for one in need)


def is_rare(slug: str, need: Tokens) -> bool:
    """Return True if few lessons of the course speak of it, or none."""
    return _lesson_count(slug, need, added_courses()) <= RARE_UP_TO


def has_rarest(slug: str, needs: Sequence[Tokens], there: Tokens) -> bool:
    """Return True if what is there has the need of which the fewest lessons speak, and all others that are rare: what a
    question is really about. Other words for it are not enough."""
    count = {need: _lesson_count(slug, need, added_courses()) for need in needs}
    least = max(RARE_UP_TO, min(count.values(), default=0))
    return all(_has(need - _group_marks(), there) for need in needs if count[need] <= least)


@lru_cache(maxsize=512)
def _lesson_count(slug: str, need: Tokens, added: AddedCourses) -> int:
    """Number of the course's lessons that have the very word, or else the term; `added` are the courses in use."""
    own = frozenset(one for one in need if not one.startswith(_MARK)) or need
    return len({one.lesson for one in _index(slug, added) if one.lesson and _has(own, one.tokens)})


def _first_of_most(found: Sequence[Passage]) -> list[Passage]:
    """The first passage of the lesson that has most of them."""
    counts = Counter(one.lesson for one in found if one.lesson)
    return [next(one for one in found if one.lesson == title) for title, _ in counts.most_common(1)]


def _is_wanted(found: Passage, asked: _Asked) -> bool:
    """Whether it has a number where one is asked for, and a reason where that is."""
    text = found.text.casefold()
    has_reason = not asked.wants_reason or not found.lesson or _REASON.search(text) is not None
    return has_reason and (not asked.wants_number or _NUMBER.search(text) is not None)


def count_needs_met(slug: str, question: str, text: str) -> tuple[int, int]:
    """Number of things that the question is about, in other words too, that the text has; and the number of all."""
    needs = needs_in(slug, question)
    return count_met(needs, tokens_in(slug, text)), len(needs)


def speaks_of_rarest(slug: str, question: str, text: str) -> bool:
    """Return True if the text has what the fewest lessons have of all that the question is about."""
    return has_rarest(slug, needs_in(slug, question), tokens_in(slug, text))


def names_new_matter(slug: str, question: str, text: str) -> bool:
    """Return True if the question is about anything but numbers that the text has not."""
    there, needs = tokens_in(slug, text), needs_in(slug, question)
    return any(not _is_number(need) and not _has(need, there) for need in needs)


def needs_in(slug: str, question: str) -> tuple[Tokens, ...]:
    """Subjects of the question: its terms, phrases and words, each with all that meets it."""
    return _asked(slug, question).needs


def tokens_in(slug: str, text: str) -> Tokens:
    """Subjects of the text: stems and numbers, and marks of the terms and groups of words that they belong to."""
    return _tokens(text, _names(slug))


def names_matter(slug: str, question: str) -> bool:
    """Return True if the question is about anything but numbers."""
    return not all(map(_is_number, needs_in(slug, question)))


def has_term(need: Tokens) -> bool:
    """Return True if the need is a term of the glossary."""
    return any(one.startswith(_MARK) for one in need - _group_marks())


def count_met(needs: Sequence[Tokens], there: Tokens) -> int:
    """Number of the needs that are met by what is there."""
    return sum(_has(need, there) for need in needs)


def defined_term(slug: str, question: str) -> str:
    """Definition of the term that the question is about; empty where it is about more than one thing, or about none."""
    needs = _asked(slug, question).needs
    if len(needs) != 1:
        return ""
    return next((one.text for one in _index(slug, added_courses()) if not one.lesson and one.about & needs[0]), "")


def _asked(slug: str, question: str) -> _Asked:
    """The question as it is searched for: its terms and phrases, the longest first, then its words."""
    text = _OBLIGED.sub(" ", plain(_APOSTROPHE.sub("", question)))
    words, named, faint = text.split(), _names(slug), faint_words()
    needs, also, at = dict[Tokens, None](), set[str](), 0
    while at < len(words):
        length, marks = _phrase_at(words, at, named)
        span = words[at : at + length]
        own = [word for word in span if word.isdigit() or (word not in faint and content_words(word))]
        if own:
            needs[marks | {*map(stem, own)} if length == 1 else marks] = None
        else:
            also |= (marks - _group_marks()) | {*map(stem, filter(content_words, span))}
        at += length
    asks_number, asks_reason = _ASKS_NUMBER.search(text), _ASKS_REASON.search(text)
    asks_place = _ASKS_PLACE.search(text)
    return _Asked((*needs,), frozenset(also), asks_number is not None, asks_reason is not None, asks_place is not None)


def _phrase_at(words: list[str], at: int, named: Mapping[str, Tokens]) -> tuple[int, Tokens]:
    """Length of the longest known phrase at a place, and its marks; one word without any where none is known."""
    for length in range(min(LONGEST_PHRASE, len(words) - at), 0, -1):
        if marks := named.get(_key(words[at : at + length])):
            return length, marks
    return 1, frozenset()


def _has(need: Tokens, there: Tokens) -> bool:
    stems = [one for one in need if not one.startswith(_MARK)]
    return not need.isdisjoint(there) or any(same_stem(one, other) for one in stems for other in there)


def _key(words: list[str]) -> str:
    return " ".join(map(stem, words))


def _tokens(text: str, named: Mapping[str, Tokens]) -> Tokens:
    """Stems and numbers of the text, and the marks of all phrases and signs in it."""
    words = plain(text).split()
    spans = (words[at : at + length] for at in range(len(words)) for length in range(1, LONGEST_PHRASE + 1))
    said = ((_key(span), bool(content_words(" ".join(span)))) for span in spans)
    # "for" and "in" are terms where they stand as code.
    phrases = (named[key] if is_said else named[key] & _group_marks() for key, is_said in said if key in named)
    marks = (*phrases, *(named[key] for key in _CODE.findall(text) if key in named))
    numbers = frozenset(word for word in words if word.isdigit())
    return frozenset(map(stem, content_words(text))).union(numbers, *marks)


@lru_cache(maxsize=MAX_CACHED)
def _index(slug: str, added: AddedCourses) -> tuple[Passage, ...]:
    """All passages of a course; `added` are the courses in use."""
    named = _names(slug)
    found = [passage for lesson in lessons(slug) for passage in _passages(lesson, named)]
    defined = dict.fromkeys(glossary(slug).terms.values())
    return (
        *found,
        *(Passage("", term.says, _tokens(term.says, named), frozenset({_MARK + term.term})) for term in defined),
    )


def _passages(lesson: Lesson, named: Mapping[str, Tokens]) -> Iterator[Passage]:
    """The sentences of a lesson that stand alone, and each with the one after it."""
    language = detect_language(" ".join(step.says for step in lesson.steps), among=CODES)
    said = [(step.says, f"{lesson.subconcept} {step.can}") for step in lesson.steps]
    # The case against the lesson's wrong idea is left out: its sentences work out what that idea would lead to.
    for text, heading in (*said, (lesson.example.text, lesson.subconcept)):
        about = _tokens(heading, named)
        for line in lines_of(text):
            depth = 0
            for sentence, following in pairwise([*sentences_of(line), ""]):
                is_said_by_someone, depth = depth > 0, depth + quotation_depth(sentence)
                if is_said_by_someone or needs_context(sentence, language):
                    continue
                both = f"{sentence} {following}".strip()
                is_cut = following != "" and needs_context(following, language) and is_statement(both)
                if is_statement(sentence):
                    yield Passage(lesson.subconcept, sentence, _tokens(sentence, named), about, is_cut=is_cut)
                if following and is_statement(both):
                    yield Passage(lesson.subconcept, both, _tokens(both, named), about, is_double=True)


@lru_cache(maxsize=MAX_CACHED)
def _names(slug: str) -> Mapping[str, Tokens]:
    """Marks of each phrase and sign: of the term of the glossary, and of the groups of everyday words."""
    marks = dict[str, Tokens]()
    listed = [(f"{_MARK}{term.term}", term.names) for term in dict.fromkeys(glossary(slug).terms.values())]
    listed += [(_group_mark(group), group) for group in _groups()]
    for mark, phrases in listed:
        for phrase in phrases:
            for key in _keys(phrase):
                marks[key] = marks.get(key, frozenset()) | {mark}
    return marks


def _keys(phrase: str) -> set[str]:
    """Keys of a phrase in the singular and in the plural; a sign is its own key."""
    words = plain(phrase).split()
    return {_key(words), _key([*words[:-1], f"{words[-1]}s"])} if words else {phrase.strip()}


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    lines = filter(None, map(str.strip, _table()["groups"].splitlines()))
    return tuple(tuple(phrase.strip() for phrase in line.split("|")) for line in lines)


@cache
def _group_marks() -> Tokens:
    return frozenset(map(_group_mark, _groups()))


def _group_mark(group: tuple[str, ...]) -> str:
    return f"{_MARK}{' | '.join(group)}"


@cache
def faint_words() -> Tokens:
    """Words that say how something is asked."""
    return frozenset(_table()["faint"].split())


@cache
def _table() -> dict[str, str]:
    file = files("sprout.offline.courses").joinpath("everyday_words.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
