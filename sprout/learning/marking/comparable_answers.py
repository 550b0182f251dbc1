"""Comparable answers: which words in answer to a question for sentences are put beside the model answer."""

import ast
import re
from collections.abc import Sequence

from sprout.learning.marking.attempts import asks_something, begins_by_giving_up, is_genuine_attempt, matter_of
from sprout.learning.marking.comparison import remarks
from sprout.learning.questions.questions import MAX_TERM_WORDS, QuestionDraft
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import stems

_FEW_WORDS, _WHOLE_CLAUSE, _MANY_WORDS = 3, 7, 15
_FEW_OF_MATTER = 2  # words of content: "the loans", "idc kill him lol"
_SUBJECTS = frozenset("it they he she we this that es sie er wir das ça il elle ils elles on".split())
_FEW_NUMBERS = 2

_SENTENCE_END = re.compile(r"[.!?;…](?=\s|\Z)|\n")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*(?!\w)")
_BESIDE_NUMBERS = frozenset("a an the it its is are so thats and or about of es ist sind also und oder etwa".split())
_ANSWERS_SO = re.compile(
    r"\W*(?:they|because|bc|cause|cuz|cos|since|by|so that|sie|weil|damit|indem|parce que|ils|elles|porque|ellos)\b",
    re.IGNORECASE,
)
_REASONS = frozenset("because bc cause cuz cos since so therefore weil denn also deshalb donc car porque".split())


def is_worth_comparing(answer: str, draft: QuestionDraft, taught: Sequence[str] = ()) -> bool:
    """Whether the model answer may stand beside the answer at once: it has words of it, or several of the matter. A
    fragment may not, unless a term is asked for.

    An honest answer may have neither, so it is a reason to ask whether it is meant as one, and no more.

    Args:
        taught: what the tutor has said in the lesson.
    """
    words, said = len(plain(answer).split()), _matter([answer])
    if draft.form == "term" and words <= MAX_TERM_WORDS:
        return not begins_by_giving_up(answer)
    if _is_bare_number(answer) or _is_program(answer) or _is_fragment(answer):
        return False
    of_model = said & _matter([draft.correct_answer, *draft.anchors, *(one.statement for one in draft.criteria)])
    new = of_model - _matter([draft.prompt])
    if begins_by_giving_up(answer):
        return bool(new)
    answers_so = words > _FEW_WORDS + 1 and _ANSWERS_SO.match(answer) is not None
    of_lesson = said & _matter([draft.prompt, *taught]) | of_model
    gives_reason = not _REASONS.isdisjoint(plain(answer).split()) or _says_two_things(answer)
    is_clause = gives_reason or words >= _WHOLE_CLAUSE
    return answers_so or (bool(of_lesson) and is_clause) or words > _MANY_WORDS or bool(new) or len(of_lesson) > 1


def answers_anew(text: str, last: str, draft: QuestionDraft, taught: Sequence[str] = ()) -> bool:
    """Whether words beside the comparison are a new answer in the place of the last one: a sentence of the matter, and
    neither a remark on the two answers nor the model answer copied."""
    is_sentence = len(plain(text).split()) > _FEW_WORDS and not asks_something(text) and not remarks(text)
    is_own = is_genuine_attempt(text, prompt=draft.prompt, last_attempt=last)
    is_copy = not is_genuine_attempt(text, prompt=draft.correct_answer)
    return is_sentence and is_own and not is_copy and is_worth_comparing(text, draft, taught)


def _is_bare_number(answer: str) -> bool:
    """Whether the answer is a number or two with their units, and no sentence: "45 sous so 2.25 livres"."""
    words, numbers = plain(_NUMBER.sub(" ", answer)).split(), _NUMBER.findall(answer)
    return 0 < len(numbers) <= _FEW_NUMBERS and len(numbers) >= sum(word not in _BESIDE_NUMBERS for word in words)


def _is_fragment(answer: str) -> bool:
    """Whether the answer is a word or two of content and hardly more; "it eats the air" is a sentence."""
    matter, words = matter_of(answer), plain(answer).split()
    is_sentence = len(words) > _FEW_WORDS and words[0] in _SUBJECTS
    is_short = len(words) <= _FEW_WORDS + 1 and not is_sentence
    return is_short and len(matter) <= _FEW_OF_MATTER and _DIGITS.search(answer) is None


def _is_program(answer: str) -> bool:
    """Whether the answer is lines of a program, and no words."""
    lines = [line for line in answer.splitlines() if line.strip()]
    try:
        return len(lines) > 1 and bool(ast.parse(answer).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _says_two_things(answer: str) -> bool:
    """Whether the answer has two sentences, or several numbers that lead from one to another."""
    sentences = [one for one in _SENTENCE_END.split(answer) if one.strip()]
    return len(sentences) > 1 or len(_NUMBER.findall(answer)) > _FEW_NUMBERS


def _matter(texts: Sequence[str]) -> frozenset[str]:
    """The content words of the texts, as stems, and their numbers."""
    return stems(texts) | frozenset(_DIGITS.findall(" ".join(texts)))
