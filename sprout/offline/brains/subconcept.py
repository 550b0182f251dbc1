"""What the offline model says as the subconcept agent: subconcepts, what builds on what, and diagnostic questions."""

from collections.abc import Sequence

from sprout.learning.text.stems import stems
from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.generic import generic_lesson
from sprout.offline.brains.request import Tag, asked_prompts, existing_titles, note_texts, sizes
from sprout.offline.brains.topic import joined, mended, saved
from sprout.offline.courses import course_on, lesson_of
from sprout.offline.notes.path import lesson_from_notes
from sprout.offline.plan import Idea, Item, Plan, kept_to
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

SUBCONCEPTS, QUESTIONS = (8, 12), (5, 10)
SAVE, CONNECT, ASK = "save_subconcept", "save_subconcept_edge", "save_diagnostic_question"


def speak_as_subconcept_agent(conversation: Conversation) -> Reply:
    """The next reply: everything at once, then repairs if something was refused, then a closing sentence."""
    plan = subconcept_plan(conversation)
    if not conversation.may_call:
        return Reply([TextOut(plan.closing)])
    if saving := conversation.left_of(_saving(plan, conversation)):
        return Reply([*([] if conversation.calls else [TextOut(plan.opening)]), *saving])
    if not conversation.mended_already and (repairs := _repairs(plan, conversation)):
        return Reply(repairs)
    more = [plan.no_more] if conversation.corrected and plan.no_more else []
    return Reply([TextOut(" ".join([plan.closing, *more]))])


def subconcept_plan(conversation: Conversation) -> Plan:
    """Subconcepts and questions for the concept: from its passages, else from an authored course, else an outline."""
    request = conversation.request
    topic, concept = request.text_of("topic"), next(iter(request.all("concept")), None)
    title = concept.text_of("title") if concept else topic
    least, most = sizes(request, "subconcepts", SUBCONCEPTS)
    _, most_items = sizes(request, "questions", QUESTIONS)
    desc = concept.text_of("desc") if concept else ""
    texts = note_texts(request.all("passage"))
    plan = lesson_from_notes(texts, least=max(1, least), most=most, most_items=most_items, title=title, desc=desc)
    if plan is None:
        course = course_on(topic)
        authored = lesson_of(course, title) if course else None
        plan = kept_to(authored or generic_lesson(title), most)
    return Plan(plan.opening, plan.ideas, plan.links, plan.closing, spread(plan.items, most_items), plan.no_more)


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """Up to `most` of the items, taken evenly from easy to hard, so that a short set is a mixed one too."""
    if len(items) <= most:
        return list(items)
    if most <= 1:
        return list(items[:most])
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]


def _saving(plan: Plan, conversation: Conversation) -> list[Block]:
    there = existing_titles(conversation.request)
    new = [idea for idea in plan.ideas if idea.title.casefold() not in there]
    known = there | {idea.title.casefold() for idea in new}
    calls: list[Block] = [ToolOut(SAVE, {**saved(idea), **cited(idea, conversation.request)}) for idea in new]
    if CONNECT in conversation.tools:
        calls += joined(plan, known, CONNECT)
    if ASK in conversation.tools:
        asked = asked_prompts(conversation.request)
        calls += [
            ToolOut(ASK, item.input)
            for item in plan.items
            if {test.casefold() for test in item.tests} <= known
            and " ".join(item.input["prompt"].casefold().split()) not in asked
        ]
    return calls


def cited(idea: Idea, request: Tag) -> dict[str, list[str]]:
    """The ids of the passages that say most of what the idea says; nothing where the request has none."""
    said = stems([idea.title, idea.desc])
    shared = {
        tag.attributes["id"]: len(said & stems([tag.attributes.get("heading", ""), tag.text]))
        for tag in request.all("passage")
        if tag.attributes.get("id")
    }
    most = max(shared.values(), default=0)
    return {"passages": [one for one, count in shared.items() if count == most]} if most else {}


def _repairs(plan: Plan, conversation: Conversation) -> list[Block]:
    """Ideas that were too long, shortened; questions that were refused, asked as open ones where that can be done."""
    failures = conversation.failures
    refused = {str(call.input.get("prompt")) for call in failures if call.name == ASK}
    again = [opened for item in plan.items if item.input["prompt"] in refused and (opened := _as_open(item))]
    return [*mended(failures, SAVE), *again]


def _as_open(item: Item) -> ToolOut | None:
    """A choice question without its options; None for one that is open already, which is dropped."""
    question = item.input
    if question["format"] != "mcq":
        return None
    label = question["tests"][0]
    kept = {key: value for key, value in question.items() if key not in ("options", "misconceptions")}
    criteria = [
        {"label": label, "statement": f"The answer is: {question['correct_answer']}", "weight": 0.7},
        {"label": f"{label}: no other answer", "statement": "No answer is given that contradicts it.", "weight": 0.3},
    ]
    return ToolOut(ASK, kept | {"format": "open_ended", "criteria": criteria})
