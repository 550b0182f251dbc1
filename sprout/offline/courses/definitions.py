"""Definitions of a course's terms and of everyday words, for questions that ask the meaning of a word."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import chain

from sprout.learning.marking.attempts import begins_as_question
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import same_stem, stem
from sprout.offline.courses.course_search import faint_words
from sprout.offline.courses.glossary import glossary
from sprout.offline.courses.glossary_format import Term
from sprout.offline.courses.meaning_questions import likened_words, meaning_questions

LONGEST_TOGETHER = 45  # words
MOST_WORDS = 4  # of what is asked about: "tight pipes"
_ASKS_PERSON = re.compile(r"\bwho(?:s| is| was| are| were)\b")
_SAYS_WHO = re.compile(r"\A(?:\S+ ){1,5}(?:is|are|was|were)\b")  # "Calonne was …", not "Bayes' rule says …"


def definition(slug: str, question: str) -> str:
    """Definition, in the course, of the term that a question asks the meaning of, or of both terms whose difference it
    asks for; empty without one.
    """
    is_of_person = _ASKS_PERSON.search(plain(question)) is not None
    for asked in meaning_questions(question):
        terms = [_find(slug, forms) for forms in asked.words]
        known = [term.says for term in terms if term is not None and (not is_of_person or _SAYS_WHO.match(term.says))]
        if len(known) == len(terms):
            return _joined(list(dict.fromkeys(known)))
    return ""


def likened_definition(slug: str, question: str) -> str:
    """Definition of a term that a question likens to something: "is it like a fraction?", "is a list like a box?"."""
    known = (term.says for forms in likened_words(question) if (term := _find(slug, forms)) is not None)
    return next(known, "")


def plain_words(question: str) -> str:
    """Meaning of the everyday word that a question asks for, or likens to something; empty if unknown."""
    asked = chain((one.words for one in meaning_questions(question)), (reversed(likened_words(question)),))
    forms = (form for form in chain.from_iterable(chain.from_iterable(asked)) if not begins_as_question(form))
    named = (plain(form).split() for form in forms if len(form.split()) <= MOST_WORDS)
    words = (stem(word) for form in named for word in form if len(form) == 1 or word not in faint_words())
    return next((says for word in words for known, says in _plain_words().items() if same_stem(word, known)), "")


def asks_meaning(question: str) -> bool:
    """Return True if the question is what a word means, which no sentence that merely has the word answers."""
    return any(asked.says_mean for asked in meaning_questions(question))


def _find(slug: str, forms: tuple[str, ...]) -> Term | None:
    return next(filter(None, map(glossary(slug).find, forms)), None)


def _joined(texts: list[str]) -> str:
    """The texts in a row; where they are long together, the first sentence of each."""
    whole = " ".join(texts)
    if len(texts) > 1 and len(whole.split()) > LONGEST_TOGETHER:
        return " ".join(sentences_of(text)[0] for text in texts)
    return whole


@cache
def _plain_words() -> Mapping[str, str]:
    """Meanings of everyday words, by stem."""
    table = tomllib.loads(files("sprout.offline.courses").joinpath("plain_words.toml").read_text(encoding="utf-8"))
    return {stem(word): says for word, says in table.items()}
