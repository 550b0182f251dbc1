"""Definitions of a course's terms, for questions that ask the meaning of a word."""

from sprout.learning.structure.sentences import sentences_of
from sprout.offline.courses.glossary import glossary
from sprout.offline.courses.glossary_format import Term
from sprout.offline.courses.meaning_questions import meaning_questions

LONGEST_TOGETHER = 45  # words


def definition(slug: str, question: str) -> str:
    """Definition, in the course, of the term that a question asks the meaning of, or of both terms whose difference it
    asks for; empty without one.
    """
    for asked in meaning_questions(question):
        terms = [_find(slug, forms) for forms in asked.words]
        known = [term.says for term in terms if term is not None]
        if len(known) == len(terms):
            return _joined(list(dict.fromkeys(known)))
    return ""


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
