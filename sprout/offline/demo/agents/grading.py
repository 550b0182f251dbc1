"""Offline model of the grading agent: verdicts by phrases or by words, and one step for the learner."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from sprout.learning.marking.answers import grader_directed_spans
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import find_answer, find_lesson_question
from sprout.offline.courses.lesson_format import LessonCriterion, LessonQuestion
from sprout.offline.demo.agents.criterion_judging import (
    CriterionJudgement,
    judge_by_overlap,
    judge_by_phrases,
    judge_by_similarity,
)
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.notes.language import language_of
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.yaml_loader import load_yaml

RECORD, FLAG = "record_grade", "flag_for_review"
DONE = "Every answer is looked at."
LONGEST_QUOTE = 100  # characters of the learner's words that are said back


def reply_as_grading_agent(conversation: Conversation) -> Reply:
    """All answers that have no verdicts yet in one reply; then a closing sentence."""
    made = {(call.name, call.input.get("answer_id")) for call in conversation.calls}
    calls = [call for item in conversation.request.children("item") for call in _calls(item, conversation)]
    left = [call for call in calls if (call.name, call.input["answer_id"]) not in made]
    if not conversation.may_call or not left:
        return Reply([TextOut(DONE)])
    return Reply([*left])


def _calls(item: Tag, conversation: Conversation) -> list[ToolOut]:
    answer = _answer_of(item)
    criteria, judged = list(item.children("criterion")), judge_answer(item)
    verdicts = [
        {
            "criterion": criterion.attributes.get("id", ""),
            "span": one.span,
            "verdict": one.verdict,
            "confidence": one.confidence,
            **({"misconception": one.misconception} if one.misconception else {}),
        }
        for criterion, one in zip(criteria, judged, strict=True)
    ]
    step = next_step(answer, [criterion.text_of("label") for criterion in criteria], judged)
    id_ = answer.attributes.get("id", "")
    calls = [ToolOut(RECORD, {"answer_id": id_, "verdicts": verdicts, "next_step": step})]
    if FLAG in conversation.tools and grader_directed_spans(answer.text):
        calls.append(ToolOut(FLAG, {"answer_id": id_, "why": "it speaks to its grader"}))
    return calls


def judge_answer(item: Tag) -> list[CriterionJudgement]:
    """For each criterion of an item what its answer shows of it; of a drawing only what is written beside it."""
    answer, criteria = _answer_of(item), list(item.children("criterion"))
    if answer.attributes.get("kind") == "drawing" and not answer.text.strip():
        return [CriterionJudgement("missing") for _ in criteria]
    prompt = item.text_of("question")
    points = _authored_criteria(find_lesson_question(prompt), [criterion.text_of("label") for criterion in criteria])
    if points is not None:
        return [judge_by_phrases(point, answer.text) for point in points]
    statements, full = [criterion.text_of("statement") for criterion in criteria], find_answer(prompt)
    if full is None:
        return [judge_by_overlap(statement, prompt, answer.text) for statement in statements]
    return [judge_by_similarity(statement, full, prompt, answer.text) for statement in statements]


def next_step(answer: Tag, labels: Sequence[str], judged: Sequence[CriterionJudgement]) -> str:
    """Feedback in the answer's language: what holds, quoted, and one thing to do next."""
    say = _texts()[language_of(answer.text.casefold().split())]
    stands = next((one.span for one in judged if one.verdict == "met" and one.is_sure), "")
    words = one_line(stands)[:LONGEST_QUOTE].strip()
    left = [(label, one) for label, one in zip(labels, judged, strict=True) if one.verdict != "met" or not one.is_sure]
    if not left:
        return say["all"].format(words=words)
    label, one = next(((label, one) for label, one in left if not one.is_sure), left[0])
    if answer.attributes.get("kind") == "drawing":
        return say["drawing"].format(label=label)
    if not one.is_sure:
        return say["unclear"].format(label=label)
    return say["rest" if words else "start"].format(words=words, label=label)


def _authored_criteria(ask: LessonQuestion | None, labels: Sequence[str]) -> list[LessonCriterion] | None:
    """The criteria of the authored question, with their phrases; None where they are not these."""
    if ask is None:
        return None
    by_label = {one_line(point.label): point for point in ask.criteria}
    found = [by_label.get(one_line(label)) for label in labels]
    return [point for point in found if point is not None] if None not in found else None


def _answer_of(item: Tag) -> Tag:
    return next(item.children("learner_answer"), Tag("learner_answer"))


@cache
def _texts() -> dict[str, dict[str, str]]:
    source = files("sprout.offline.demo.agents").joinpath("grading.yaml")
    texts: dict[str, dict[str, str]] = load_yaml(source.read_text(encoding="utf-8"))
    return texts
