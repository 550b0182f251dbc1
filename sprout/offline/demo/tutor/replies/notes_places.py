"""Answers to side questions in the learner's notes: the sentence that fits best, with its place."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import OSA

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import ListBlock
from sprout.learning.text.stems import content_words, shared_stems, stem, stems
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.replies.own_reasoning import asks_reason
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.notes.document import read_document
from sprout.offline.notes.words import word_count

ANSWERS_IT = 0.5  # of the content words of a question; a sentence that answers it has more of them
FIRST_WORDS = 2  # of content, which say what a sentence is about
MOST_COMPARED = 3  # words of a question whose own sentences are told side by side
FEWEST_WORDS, MOST_WORDS = 4, 60
SHORTEST_ASKING = 4  # letters of a word that only asks, with a slip in it: "waht"
_SLIPS = ((8, 2), (5, 1))  # letters of a stem from which on it may have so many slips of the pen
_ASKING = stems(
    [
        "say tell mean meaning means notes word term example please what why how does explain define",
        "get dont difference between happen happens",
        "sag erkläre eigentlich bedeutet heißt meint funktioniert notizen begriff wort beispiel bitte unterschied",
        "zwischen versteh verstehe wieso weshalb",
        "qu est quoi une dire veut signifie comment fonctionne pourquoi explique définis exemple notes quelle quel",
        "différence entre comprends",
        "qué es significa quiere decir cómo funciona explica define ejemplo apuntes cuál diferencia entre entiendo",
        "che cos cosa vuol significa come funziona spiega definisci esempio appunti quale differenza capisco",
        "que é o significa quer dizer como funciona explica define exemplo apontamentos qual diferença entre",
        "wat betekent hoe werkt leg uit co to jest znaczy что такое это значит nedir",
    ]
)
_DIFFERENCE = stems(["difference differ unterschied différence diferencia differenza diferença"])
_GIVES_REASON = re.compile(
    r"\b(?:because|since|so that|therefore|reason|weil|denn|damit|grund|parce qu|puisqu|car|afin|raison|porque|razón|"
    r"motivo|poich[eé]|siccome|affinch[eé]|razão|pois|perch[eé])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NotesAnswer:
    """The words, and ids of the passages that they are taken from."""

    words: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of the notes, with the one after it, and the id of its passage."""

    text: str
    following: str
    passage: str


def answer_from_notes(
    asked: str,
    found: Iterable[Mapping[str, Any]],
    frames: Templates,
    said: str,
    check: LeakCheck | None,
    *,
    secret: Collection[str] = (),
) -> NotesAnswer:
    """The sentence that has most of the question's words, and them first; only its place where it would answer the open
    question; where a difference is asked for, the sentences about each; else that the notes do not say.

    Args:
        found: passages, as the search tells them.
        secret: the sentences that settle the open question.
    """
    told = [one for row in found for one in _said_in(row)]
    wanted = _as_written(stems([asked]) - _ASKING, told)
    differs = any(_is_near(word, _DIFFERENCE) for word in stems([asked]))
    if differs and (both := _side_by_side(wanted, told, frames, check, secret)):
        return both
    fitting = [one for one in told if wanted and _share(wanted, one) > ANSWERS_IT]
    if not fitting:
        return NotesAnswer(frames.fresh("aside_notes_silent", said))
    best = max(_share(wanted, one) for one in fitting)
    why = asks_reason(asked)
    fitting = [one for one in fitting if _share(wanted, one) == best]
    fitting.sort(key=lambda one: (why and not _reason_in(one), _words_before(wanted, one.text)))
    for one in fitting:
        text = f"{one.text} {one.following}" if _goes_on(one, why=why) else one.text
        words = frames.render("aside_notes", text=inner_quotes(text))
        if _may_be_told(one, check, words, secret):
            return NotesAnswer(words, (one.passage,))
    return NotesAnswer(frames.fresh("aside_notes_place", said), (fitting[0].passage,))


def _side_by_side(
    wanted: Set[str], told: list[_Said], frames: Templates, check: LeakCheck | None, secret: Collection[str]
) -> NotesAnswer | None:
    """The sentences about each of two or three words, which a question for their difference wants."""
    if not 1 < len(wanted) <= MOST_COMPARED:
        return None
    own = [_about(word, told) for word in sorted(wanted)]
    both = [one for one in dict.fromkeys(own) if one is not None]
    if None in own or len(both) < len(own):
        return None
    words = frames.render("aside_notes", text=inner_quotes(" ".join(one.text for one in both)))
    if not all(_may_be_told(one, check, words, secret) for one in both):
        return None
    return NotesAnswer(words, tuple(dict.fromkeys(one.passage for one in both)))


def _about(word: str, told: list[_Said]) -> _Said | None:
    """The sentence that comes to the word soonest, if that is among its first; a row of a table is none."""
    near = [(_words_before({word}, one.text), at) for at, one in enumerate(told) if one.text.endswith(".")]
    before, at = min(near, default=(FIRST_WORDS, 0))
    return told[at] if before < FIRST_WORDS else None


def _may_be_told(one: _Said, check: LeakCheck | None, words: str, secret: Collection[str]) -> bool:
    return not any(one.text in other or other in one.text for other in secret) and (
        check is None or check.passes(words)
    )


def _share(wanted: Set[str], one: _Said) -> float:
    return shared_stems(wanted, stems([one.text])) / len(wanted)


def _reason_in(one: _Said) -> bool:
    return _GIVES_REASON.search(f"{one.text} {one.following}") is not None


def _goes_on(one: _Said, *, why: bool) -> bool:
    """Whether the sentence needs the one after it: it leads in a list, or that gives the reason."""
    is_reason = why and not _GIVES_REASON.search(one.text) and _GIVES_REASON.search(one.following)
    return bool(one.following) and (one.text.endswith(":") or bool(is_reason))


def _as_written(wanted: Set[str], told: list[_Said]) -> Set[str]:
    """The words as the notes write them, where the question has a slip of the pen, without those that only ask."""
    known = stems([one.text for one in told])
    strange = {word for word in wanted if not shared_stems([word], known)}
    return (wanted - strange) | {_nearest(word, known) for word in strange if not _is_near(word, _ASKING)}


def _is_near(word: str, known: Set[str]) -> bool:
    return len(word) >= SHORTEST_ASKING and any(OSA.distance(word, other, score_cutoff=1) <= 1 for other in known)


def _nearest(word: str, known: Set[str]) -> str:
    most = next((slips for letters, slips in _SLIPS if len(word) >= letters), 0)
    near = [(OSA.distance(word, other), other) for other in known if abs(len(other) - len(word)) <= most]
    distance, other = min(near, default=(most + 1, word))
    return other if distance <= most else word


def _words_before(wanted: Set[str], sentence: str) -> int:
    """The words of content before the first that is wanted: what a sentence begins with is what it is about."""
    words = content_words(sentence)
    return next((at for at, word in enumerate(words) if shared_stems(wanted, [stem(word)])), len(words))


def _said_in(row: Mapping[str, Any]) -> Iterator[_Said]:
    blocks = read_document(str(row.get("text") or "")).content.all_blocks
    for number, block in enumerate(blocks):
        lists = [one for one in blocks[number + 1 : number + 2] if isinstance(one, ListBlock)]
        sentences = [*sentences_of(text_of(block)), *(line for one in lists for line in text_of(one).splitlines())]
        for at, sentence in enumerate(sentences):
            following = sentences[at + 1 :] if sentence.endswith(":") else sentences[at + 1 : at + 2]
            if FEWEST_WORDS <= word_count(sentence) <= MOST_WORDS:
                yield _Said(sentence, " ".join(following), str(row["id"]))
