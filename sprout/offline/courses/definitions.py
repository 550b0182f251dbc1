"""Definitions of a course: what its lessons say where they introduce a term."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.stems import stems
from sprout.offline.courses.catalogue import lessons
from sprout.offline.notes.words import needs_context

_FENCED = re.compile(r"```.*?```", re.DOTALL)
_TERM = re.compile(
    r"(?<![\w*])\*(?P<marked>[^*\n]{3,40})\*(?![*:])"  # not the name of a point, "*Belief*: who is …"
    r"|\b(?:is|are) called (?:the |an? )?(?P<called>[a-z-]{3,20}(?: [a-z-]{3,20}){0,2})(?=[,.:;])"
)
_MEANS = re.compile(
    r"\b(?:what|wat)(?: even)?(?:['’]?s| is| are| was| were| does| do)? (?:(?:an?|the|that|this) )?(?P<term>.+?)"
    r"(?: (?:again|here|even|really|actually|mean|means|meant|stand for))*\W*\Z",
    re.IGNORECASE,
)
_LONGEST = 60  # words


def definition(slug: str, question: str) -> str:
    """Definition, in the course, of the term that a question asks the meaning of; empty without one."""
    found = _MEANS.search(question)
    return _definitions(slug).get(stems([found["term"]]), "") if found else ""


def asks_meaning(question: str) -> bool:
    """Return True if the question is what a word means, which no sentence that merely has the word answers."""
    return re.search(r"\bmeans?\b", question, re.IGNORECASE) is not None and _MEANS.search(question) is not None


@cache
def _definitions(slug: str) -> Mapping[frozenset[str], str]:
    """Stems of a term → where it is introduced, the first time."""
    terms: dict[frozenset[str], str] = {}
    for lesson in lessons(slug):
        for step in lesson.steps:
            for term, text in _introduced(_FENCED.sub("", step.says)):
                key = stems([term])
                if key and key not in terms:
                    terms[key] = text
    return terms


def _introduced(says: str) -> Iterator[tuple[str, str]]:
    """The terms of a text, each with the sentence that introduces it, and the one before where it needs that."""
    sentences = sentences_of(re.sub(r"\s+", " ", says))
    for at, sentence in enumerate(sentences):
        for found in _TERM.finditer(sentence):
            whole = " ".join(sentences[max(0, at - 1) : at + 1]) if needs_context(sentence, "en") else sentence
            if len(whole.split()) <= _LONGEST:
                yield found["marked"] or found["called"], whole
