"""What an answer shows of a criterion, judged without understanding it: by an author's phrases, else by its words.

Both know their limits: what is not clear gets a low confidence, and never a sure "missing".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sprout.learning.text.stems import stems
from sprout.offline.lessons import Point
from sprout.offline.phrases import denies, sentences, span_of

CLEAR = 0.95
LIKELY = 0.9
HALF = 0.75
NOT_SURE = 0.3
MOST_OF_IT, SOME_OF_IT = 0.6, 0.35  # of the words that carry a criterion
NEARLY_ALL = 0.75  # of the words that carry a full answer
LONGEST_SPAN = 400

# One who lists what it might be has not said what it is.
_ALTERNATIVES = (
    "maybe/perhaps/possibly/might or",
    "could be any*",
    "i'm/im not sure",
    "i am not sure",
    "vielleicht oder",
    "peut être ou",
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict as the tool takes it; a confidence of `NOT_SURE` says that it is none."""

    verdict: Literal["met", "partly", "missing"]
    span: str = ""
    confidence: float = NOT_SURE
    misconception: str | None = None

    @property
    def is_sure(self) -> bool:
        return self.confidence > NOT_SURE


def by_phrases(point: Point, answer: str) -> Judged:
    """Met, partly or contradicted where a phrase of that kind hits; not sure where none does, or two disagree."""
    met, half, wrong = (_first(phrases, answer) for phrases in (point.accepts, point.half, point.rejects))
    if wrong is not None:
        return Judged("missing") if met else Judged("missing", wrong, CLEAR, point.misconception)
    if met is not None:
        return Judged("partly", met) if _hedged(answer) else Judged("met", met, CLEAR)
    return Judged("partly", half, CLEAR) if half is not None else Judged("missing")


def by_overlap(statement: str, prompt: str, answer: str) -> Judged:
    """By how many of the statement's content words stand in the answer, those of the prompt apart. Too few are no sign
    of a wrong answer: it may say the same in other words."""
    wanted = stems([statement]) - stems([prompt]) or stems([statement])
    said = stems([answer])
    share = len(wanted & said) / len(wanted) if wanted else 0.0
    span = _telling(wanted, answer)
    if share < SOME_OF_IT or not span:
        return Judged("missing")
    if _hedged(answer) or denies(span) != denies(statement):
        return Judged("partly", span)
    return Judged("met", span, LIKELY) if share >= MOST_OF_IT else Judged("partly", span, HALF)


def by_likeness(statement: str, full: str, prompt: str, answer: str) -> Judged:
    """Met where the answer has nearly all content words of a full one that an author has written, which says it in
    other words than the statement; else as by the statement alone."""
    judged = by_overlap(statement, prompt, answer)
    wanted = stems([full]) - stems([prompt]) or stems([full])
    share = len(wanted & stems([answer])) / len(wanted) if wanted else 0.0
    if judged.verdict == "met" or share < NEARLY_ALL or _hedged(answer) or denies(answer) != denies(full):
        return judged
    span = _telling(stems([statement]), answer) or _telling(wanted, answer)
    return Judged("met", span, LIKELY) if span else judged


def _first(phrases: Sequence[str], answer: str) -> str | None:
    return next((span for phrase in phrases if (span := span_of(phrase, answer)) is not None), None)


def _hedged(answer: str) -> bool:
    """Whether the answer does not commit itself, so that nothing in it is simply met."""
    return _first(_ALTERNATIVES, answer) is not None


def _telling(wanted: frozenset[str], answer: str) -> str:
    """The sentence of the answer with the most of the wanted words."""
    spans = [answer[tokens[0].start : tokens[-1].end] for tokens in sentences(answer)]
    best = max(spans, key=lambda span: len(wanted & stems([span])), default="")
    return best[:LONGEST_SPAN].strip() if wanted & stems([best]) else ""
