"""Side questions with a thought of the learner's own: "but why can't I just add the 9 and the 5?"."""

import operator
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.quantities import iter_quantities
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.normalization import folded
from sprout.offline.courses.course_search import count_needs_met, names_new_matter, speaks_of_rarest
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, Snippet
from sprout.offline.demo.tutor.lesson import Chunk, TutorLesson
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to
from sprout.offline.demo.tutor.templates import inner_quotes
from sprout.offline.notes.words import needs_context

PAIR = 2  # numbers that one calculation takes
FEWEST_WORDS = 6  # of a sentence that says something
MOST_NUMBERS = 4
MOST_POINTS = 2  # sentences of one step that are pointed to
SHARE_OF_QUESTION = 0.6  # that such a sentence has at least

_APOSTROPHE = re.compile(r"(?<=\w)['’`´](?=\w)")
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_CALCULATIONS: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}
_SIGNED = re.compile(r"\d\s?%?\s?(?:[-+*/:÷×·]|x)\s?\d")
_PAIR_IS_VALUE = re.compile(  # "is 1 to 3 one third?" compares two values, and works out none
    r"(?:(?:so|but|and|then|wait|ok)[ ,]+)*(?:is|are) (?:odds (?:of )?)?\d+ (?:to|in|of|out of) \d+\D.*\d"
)
_NOT_BOTH = re.compile(r"\d\D*\b(?:not|nicht|instead|statt|or|oder|from|of)\b\D*\d")  # no calculation with the two


def thinks_aloud(words: str) -> bool:
    """Return True if the words doubt something or suggest it: "but isn't it the same?"."""
    return _table()["doubts"].search(_plain(words)) is not None


def asks_again(words: str) -> bool:
    """Return True if the words want the matter explained once more, and name none."""
    return _table()["again"].search(_plain(words)) is not None


def asks_reason(words: str) -> bool:
    """Return True if the words ask for a reason."""
    return _table()["reasons"].search(_plain(words)) is not None


def asks_way(words: str) -> bool:
    """Return True if the words ask how something is done: "how do i know if i divide"."""
    return _table()["ways"].search(_plain(words)) is not None


def asks_openly(words: str) -> bool:
    """Return True if the words ask more than yes or no: "what is the 30 for"."""
    return _table()["open"].search(_plain(words)) is not None


def looks_back(words: str) -> bool:
    """Return True if the words ask about what was done before: "why did you add them"."""
    return _table()["back"].search(_plain(words)) is not None


def calculates(words: str) -> bool:
    """Return True if the words suggest a calculation, and do not ask why there is one: "is it like 35 x 100?"."""
    plain = _plain(words)
    by_name = any(_table()[f"{name}_number"].search(plain) for name in _CALCULATIONS)
    is_one = _SIGNED.search(plain) is not None or (by_name and len([*iter_quantities(plain)]) >= PAIR)
    return is_one and not asks_reason(words) and not _PAIR_IS_VALUE.match(plain)


def names_calculation(words: str) -> bool:
    """Return True if the words speak of adding, subtracting, multiplying or dividing."""
    said = frozenset(_plain(words).split())
    return any(not said.isdisjoint(_table()[name]) for name in _CALCULATIONS)


def reasoning_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The course's reply to the number that the learner's thought comes to, where it is a known wrong one."""
    question, words = now.question, now.turn.message
    if question is None or question.kind != "number" or not thinks_aloud(words):
        return
    is_on_number = names_calculation(words) or not now.lesson.course
    if not is_on_number and names_new_matter(now.lesson.course, words, now.pending.prompt):
        return
    for value in _values(now):
        reply = reply_to(question, f"{value:g}")
        if reply and (now.check is None or now.check.passes(reply)):
            said = folded(reply) in folded(now.turn.said)
            text = now.templates.render("about_said", words=f"{value:g}") if said else reply
            yield Snippet(text, whole=True, repeatable=said)
            return


def step_points(now: OpenQuestion) -> Iterator[str]:
    """Replies with sentences of the explanation of the open question's step, none twice in a lesson: what it comes down
    to, if it is to be explained again; else those that have most of what is asked."""
    found = now.lesson.find(now.pending.prompt)
    frames, said, words = now.templates, now.turn.said, now.turn.message
    known = frames.wordings("aside_point")
    points = _nearest_first(words, found[0], now.lesson) if found else []
    for text in points:
        quoted = inner_quotes(text)
        if not any(frames.render(wording, text=quoted) in said for wording in known):
            yield frames.fresh("aside_point", said, text=quoted)


def _values(now: OpenQuestion) -> Iterator[float]:
    """What the calculation that is spoken of comes to, then the numbers that are named, those of the question last."""
    words = _plain(now.turn.message)
    named = [one.quantity.value for one in iter_quantities(words)][:MOST_NUMBERS]
    given = {one.quantity.value for one in iter_quantities(plain_text(now.pending.prompt))}
    if len(named) == PAIR and not _NOT_BOTH.search(words):
        asked = [name for name in _CALCULATIONS if not _table()[name].isdisjoint(words.split())]
        for name in asked:
            if name != "divide" or named[1]:
                yield _CALCULATIONS[name](named[0], named[1])
    yield from sorted(dict.fromkeys(named), key=given.__contains__)


def _nearest_first(words: str, chunk: Chunk, lesson: TutorLesson) -> list[str]:
    """The statements of the explanation that stand alone, or with the one before, nearest to the side question first;
    of the same nearness what holds in general before the numbers of a case, and the later, which concludes, first.

    A sentence that has a word or two of a long question by chance is worse than none. To who wants it explained again
    the nearest is said.
    """
    found: list[tuple[int, bool, int, str]] = []
    wants_any = asks_again(words)
    sentences = sentences_of(" ".join(_FENCED.sub(" ", chunk.explanation).split()))
    for at, sentence in enumerate(sentences):
        text = sentence
        if needs_context(sentence, lesson.language):
            text = f"{sentences[at - 1]} {sentence}" if at else ""
        is_statement = not sentence.rstrip("”\"'’").endswith("?")
        near, of_all = count_needs_met(lesson.course, words, text)
        is_on_one_word = of_all == 1
        least = 0 if wants_any else of_all + 1 if is_on_one_word else max(1, SHARE_OF_QUESTION * of_all)
        is_on_it = wants_any or not lesson.course or speaks_of_rarest(lesson.course, words, text)
        if text and near >= least and is_on_it and is_statement and FEWEST_WORDS <= len(text.split()) <= MOST_OF_ASIDE:
            found.append((near, not any(map(str.isdigit, text)), at, text))
    return [text for *_, text in sorted(found, reverse=True)][:MOST_POINTS]


def _plain(words: str) -> str:
    return _APOSTROPHE.sub("", plain_text(words)).casefold()


@cache
def _table() -> dict[str, Any]:
    file = files("sprout.offline.demo.tutor.replies").joinpath("own_reasoning.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    phrases = {
        name: re.compile(rf"\b(?:{'|'.join(table[name])})\b")
        for name in ("doubts", "again", "reasons", "ways", "back", "open")
    }
    calculations = {name: frozenset(table[name].split()) for name in _CALCULATIONS}
    with_number = {
        f"{name}_number": re.compile(rf"\b(?:{'|'.join(words)})(?: (?:the|by|die|den|durch|mit))* \d")
        for name, words in calculations.items()
    }
    return phrases | calculations | with_number
