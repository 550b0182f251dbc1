"""Stated answer: whether words say the answer to a question outright.

It is simpler than the tutor's own leak filter, and shares nothing with it: what that one overlooks shall be seen.
"""

import re
from collections.abc import Iterable

from sprout.learning.questions.questions import QuestionDraft

SHARE_OF_WORDS = 0.8  # of the answer's own words: so many of them in one reply say it
FEWEST_WORDS = 3
_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_WORD = re.compile(r"[^\W\d_]{4,}")


def states_answer(words: str, question: QuestionDraft, heard: Iterable[str]) -> bool:
    """Whether the words hold the answer, and neither the question nor the learner has said it before.

    Args:
        heard: what the learner has written since the question was asked.
    """
    known = " ".join([question.prompt, *heard])
    if question.format == "numeric":
        return bool((_numbers(words) - _numbers(known)) & _numbers(question.correct_answer))
    if question.format == "mcq":
        return _holds(words, question.correct_answer) and not any(
            _holds(words, other) for other in question.options if other != question.correct_answer
        )
    if question.accepted:
        return any(_holds(words, term) and not _holds(known, term) for term in question.accepted)
    own = _words(question.correct_answer) - _words(known)
    return len(own) >= FEWEST_WORDS and len(own & _words(words)) >= SHARE_OF_WORDS * len(own)


def _numbers(text: str) -> set[float]:
    return {float(found.replace(",", ".")) for found in _NUMBER.findall(text)}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _holds(text: str, phrase: str) -> bool:
    folded, wanted = (" ".join(re.findall(r"\w+", one.casefold())) for one in (text, phrase))
    return bool(wanted) and f" {wanted} " in f" {folded} "
