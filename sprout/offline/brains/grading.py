"""What the offline model says as the grading agent: verdicts by phrases or by words, and one step for the learner."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from sprout.authored import read_yaml
from sprout.learning.marking.answers import parts_for_the_grader
from sprout.learning.text.words import one_line
from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.request import Tag
from sprout.offline.courses import answer_to, ask_of
from sprout.offline.judging import Judged, by_likeness, by_overlap, by_phrases
from sprout.offline.lessons import Ask, Point
from sprout.offline.notes.language import language_of
from sprout.offline.reply import Reply, TextOut, ToolOut

RECORD, FLAG = "record_grade", "flag_for_review"
DONE = "Every answer is looked at."
LONGEST_QUOTE = 100  # characters of the learner's words that are said back


def speak_as_grading_agent(conversation: Conversation) -> Reply:
    """All answers that have no verdicts yet in one reply; then a closing sentence."""
    made = {(call.name, call.input.get("answer_id")) for call in conversation.calls}
    calls = [call for item in conversation.request.all("item") for call in _calls(item, conversation)]
    left = [call for call in calls if (call.name, call.input["answer_id"]) not in made]
    if not conversation.may_call or not left:
        return Reply([TextOut(DONE)])
    return Reply([*left])


def _calls(item: Tag, conversation: Conversation) -> list[ToolOut]:
    answer = _answer_of(item)
    criteria, judged = list(item.all("criterion")), judgements(item)
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
    if FLAG in conversation.tools and parts_for_the_grader(answer.text):
        calls.append(ToolOut(FLAG, {"answer_id": id_, "why": "it speaks to its grader"}))
    return calls


def judgements(item: Tag) -> list[Judged]:
    """For each criterion of an item what its answer shows of it; of a drawing only what is written beside it."""
    answer, criteria = _answer_of(item), list(item.all("criterion"))
    if answer.attributes.get("kind") == "drawing" and not answer.text.strip():
        return [Judged("missing") for _ in criteria]
    prompt = item.text_of("question")
    points = _points(ask_of(prompt), [criterion.text_of("label") for criterion in criteria])
    if points is not None:
        return [by_phrases(point, answer.text) for point in points]
    statements, full = [criterion.text_of("statement") for criterion in criteria], answer_to(prompt)
    if full is None:
        return [by_overlap(statement, prompt, answer.text) for statement in statements]
    return [by_likeness(statement, full, prompt, answer.text) for statement in statements]


def next_step(answer: Tag, labels: Sequence[str], judged: Sequence[Judged]) -> str:
    """What stands, in the learner's words, and one thing to do, in the language of the answer."""
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


def _points(ask: Ask | None, labels: Sequence[str]) -> list[Point] | None:
    """The criteria of the authored question, with their phrases; None where they are not these."""
    if ask is None:
        return None
    by_label = {one_line(point.label): point for point in ask.criteria}
    found = [by_label.get(one_line(label)) for label in labels]
    return [point for point in found if point is not None] if None not in found else None


def _answer_of(item: Tag) -> Tag:
    return next(item.all("learner_answer"), Tag("learner_answer"))


@cache
def _texts() -> dict[str, dict[str, str]]:
    source = files("sprout.offline").joinpath("brains", "grading.yaml")
    texts: dict[str, dict[str, str]] = read_yaml(source.read_text(encoding="utf-8"))
    return texts
