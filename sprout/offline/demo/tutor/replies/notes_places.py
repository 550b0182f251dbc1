"""Answers to side questions in the learner's notes: the sentence that fits best, with its place."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.stems import content_words, shared_stems, stem, stems
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.notes.document import read_document
from sprout.offline.notes.words import word_count

ANSWERS_IT = 0.5  # of the content words of a question
FEWEST_WORDS, MOST_WORDS = 4, 60
_ASKING = stems(
    [
        "say tell mean meaning means notes word term example please what why how does explain define",
        "get dont difference",
        "sag erkläre eigentlich bedeutet heißt meint funktioniert notizen begriff wort beispiel bitte",
        "qu est quoi une dire veut signifie comment fonctionne pourquoi explique définis exemple notes",
        "qué es significa quiere decir cómo funciona explica define ejemplo apuntes",
        "che cos cosa vuol significa come funziona spiega definisci esempio appunti",
        "que é o significa quer dizer como funciona explica define exemplo apontamentos",
        "wat betekent hoe werkt leg uit co to jest znaczy что такое это значит nedir",
    ]
)


@dataclass(frozen=True, slots=True)
class NotesAnswer:
    """The words, and ids of the passages that they are taken from."""

    words: str
    passages: tuple[str, ...] = ()


def answer_from_notes(
    asked: str, found: Iterable[Mapping[str, Any]], frames: Templates, said: str, check: LeakCheck | None
) -> NotesAnswer:
    """The sentence that has most of the question's words, and them first; only its place where it would answer the open
    question; else that the notes do not say.

    Args:
        found: passages, as the search tells them.
    """
    wanted = stems([asked]) - _ASKING
    told = [(one, row) for row in found for one in _said_in(row)] if wanted else []
    shares = [(shared_stems(wanted, stems([one])) / len(wanted), one, row) for one, row in told]
    fitting = [each for each in shares if each[0] >= ANSWERS_IT]
    if not fitting:
        return NotesAnswer(frames.fresh("aside_notes_silent", said))
    fitting.sort(key=lambda each: (-each[0], _words_before(wanted, each[1])))
    best = fitting[0][0]
    for share, sentence, row in fitting:
        words = frames.render("aside_notes", text=inner_quotes(sentence))
        if share == best and (check is None or check.passes(words)):
            return NotesAnswer(words, (str(row["id"]),))
    return NotesAnswer(frames.fresh("aside_notes_place", said), (str(fitting[0][2]["id"]),))


def _words_before(wanted: Set[str], sentence: str) -> int:
    """The words of content before the first that is wanted: what a sentence begins with is what it is about."""
    words = content_words(sentence)
    return next((at for at, word in enumerate(words) if shared_stems(wanted, [stem(word)])), len(words))


def _said_in(row: Mapping[str, Any]) -> Iterator[str]:
    for block in read_document(str(row.get("text") or "")).content.all_blocks:
        for sentence in sentences_of(text_of(block)):
            if FEWEST_WORDS <= word_count(sentence) <= MOST_WORDS:
                yield sentence
