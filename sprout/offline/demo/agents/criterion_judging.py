"""Judging of an answer by one criterion, without understanding: an author's phrases, else shared words.

Both know their limits: what is not clear gets a low confidence, and never a sure "missing".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sprout.learning.text.stems import stems
from sprout.offline.courses.lesson_format import LessonCriterion
from sprout.offline.demo.agents.phrase_matching import contains_negation, match_phrase, tokenize_sentences

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
class CriterionJudgement:
    """A verdict as the tool takes it; a confidence of `NOT_SURE` says that it is none."""

    verdict: Literal["met", "partly", "missing"]
    span: str = ""
    confidence: float = NOT_SURE
    misconception: str | None = None

    @property
    def is_sure(self) -> bool:
        return self.confidence > NOT_SURE


def judge_by_phrases(point: LessonCriterion, answer: str) -> CriterionJudgement:
    """Met, partly or contradicted where a phrase of that kind hits; not sure where none does, or two disagree."""
    met, half, wrong = (_first_match(phrases, answer) for phrases in (point.accepts, point.half, point.rejects))
    if wrong is not None:
        return (
            CriterionJudgement("missing") if met else CriterionJudgement("missing", wrong, CLEAR, point.misconception)
        )
    if met is not None:
        return CriterionJudgement("partly", met) if _is_hedged(answer) else CriterionJudgement("met", met, CLEAR)
    return CriterionJudgement("partly", half, CLEAR) if half is not None else CriterionJudgement("missing")


def judge_by_overlap(statement: str, prompt: str, answer: str) -> CriterionJudgement:
    """By how many of the statement's content words stand in the answer, those of the prompt apart. Too few are no sign
    of a wrong answer: it may say the same in other words."""
    wanted = stems([statement]) - stems([prompt]) or stems([statement])
    answer_stems = stems([answer])
    share = len(wanted & answer_stems) / len(wanted) if wanted else 0.0
    span = _best_sentence(wanted, answer)
    if share < SOME_OF_IT or not span:
        return CriterionJudgement("missing")
    if _is_hedged(answer) or contains_negation(span) != contains_negation(statement):
        return CriterionJudgement("partly", span)
    return CriterionJudgement("met", span, LIKELY) if share >= MOST_OF_IT else CriterionJudgement("partly", span, HALF)


def judge_by_similarity(statement: str, full: str, prompt: str, answer: str) -> CriterionJudgement:
    """Met where the answer has nearly all content words of a full one that an author has written, which says it in
    other words than the statement; else as by the statement alone."""
    judged = judge_by_overlap(statement, prompt, answer)
    wanted = stems([full]) - stems([prompt]) or stems([full])
    share = len(wanted & stems([answer])) / len(wanted) if wanted else 0.0
    if (
        judged.verdict == "met"
        or share < NEARLY_ALL
        or _is_hedged(answer)
        or contains_negation(answer) != contains_negation(full)
    ):
        return judged
    span = _best_sentence(stems([statement]), answer) or _best_sentence(wanted, answer)
    return CriterionJudgement("met", span, LIKELY) if span else judged


def _first_match(phrases: Sequence[str], answer: str) -> str | None:
    return next((span for phrase in phrases if (span := match_phrase(phrase, answer)) is not None), None)


def _is_hedged(answer: str) -> bool:
    """Return True if the answer does not commit itself, so that no criterion is simply met."""
    return _first_match(_ALTERNATIVES, answer) is not None


def _best_sentence(wanted: frozenset[str], answer: str) -> str:
    """The sentence of the answer with the most of the wanted words."""
    spans = [answer[tokens[0].start : tokens[-1].end] for tokens in tokenize_sentences(answer)]
    best = max(spans, key=lambda span: len(wanted & stems([span])), default="")
    return best[:LONGEST_SPAN].strip() if wanted & stems([best]) else ""
