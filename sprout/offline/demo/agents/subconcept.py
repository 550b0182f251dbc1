"""Offline model of the subconcept agent: subconcepts, their prerequisites, and diagnostic questions."""

from collections.abc import Sequence

from sprout.learning.paths.heading_names import heading_names
from sprout.learning.paths.passages import HEADING_SEPARATOR
from sprout.learning.paths.quoted_text import QuotableTexts
from sprout.learning.structure.titles import heading_key
from sprout.learning.text.stems import stems
from sprout.offline.courses.catalogue import find_course, subconcept_plan
from sprout.offline.demo.agents.outline import outline_lesson
from sprout.offline.demo.agents.topic import edge_calls, node_input, repair_calls
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tagged_request import Tag, existing_prompts, existing_titles, passage_texts, requested_size
from sprout.offline.graph_plan import Plan, PlannedNode, PlannedQuestion, limit_nodes
from sprout.offline.notes.lesson_plan import lesson_plan_from_notes
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

SUBCONCEPTS, QUESTIONS = (8, 12), (5, 10)
SAVE, CONNECT, ASK = "save_subconcept", "save_subconcept_edge", "save_diagnostic_question"
CLOSE = "close_concept"


def reply_as_subconcept_agent(conversation: Conversation) -> Reply:
    """The next reply: everything and the end at once, then repairs if something was refused."""
    plan = choose_plan(conversation)
    if not conversation.may_call:
        return Reply([TextOut(plan.closing)])
    more = [plan.no_more] if conversation.corrected and plan.no_more else []
    bare = {} if plan.questions else {"no_questions": True}
    close = ToolOut(CLOSE, {"note": " ".join([plan.closing, *more]), **bare})
    if saving := conversation.without_repeats(_save_calls(plan, conversation)):
        return Reply([*([] if conversation.calls else [TextOut(plan.opening)]), *saving, close])
    if not conversation.has_repaired and (repairs := _repair_calls(plan, conversation)):
        return Reply([*repairs, close])
    return Reply([close])


def choose_plan(conversation: Conversation) -> Plan:
    """Subconcepts and questions for the concept: from its passages, else from an authored course, else an outline."""
    request = conversation.request
    topic, concept = request.text_of("topic"), next(iter(request.children("concept")), None)
    title = concept.text_of("title") if concept else topic
    _, most = requested_size(request, "subconcepts", SUBCONCEPTS)
    _, most_items = requested_size(request, "questions", QUESTIONS)
    desc = concept.text_of("desc") if concept else ""
    texts = passage_texts(request.children("passage"))
    plan = lesson_plan_from_notes(texts, most=most, most_items=most_items, title=title, desc=desc)
    if plan is None:
        course = find_course(topic)
        authored = subconcept_plan(course, title) if course else None
        plan = limit_nodes(authored or outline_lesson(title), most)
    return Plan(
        plan.opening, plan.nodes, plan.edges, plan.closing, sample_evenly(plan.questions, most_items), plan.no_more
    )


def sample_evenly(items: Sequence[PlannedQuestion], most: int) -> list[PlannedQuestion]:
    """Up to `most` of the items, taken evenly from easy to hard, so that a short set is a mixed one too."""
    if len(items) <= most:
        return list(items)
    if most <= 1:
        return list(items[:most])
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]


def _save_calls(plan: Plan, conversation: Conversation) -> list[Block]:
    there = existing_titles(conversation.request)
    new = [idea for idea in plan.nodes if idea.title.casefold() not in there]
    known = there | {idea.title.casefold() for idea in new}
    calls: list[Block] = [
        ToolOut(SAVE, {**node_input(idea), **cite_passages(idea, conversation.request)}) for idea in new
    ]
    if CONNECT in conversation.tools:
        calls += edge_calls(plan, known, CONNECT)
    if ASK in conversation.tools:
        asked = existing_prompts(conversation.request)
        calls += [
            ToolOut(ASK, item.input)
            for item in plan.questions
            if {test.casefold() for test in item.tests} <= known
            and " ".join(item.input["prompt"].casefold().split()) not in asked
        ]
    return calls


def cite_passages(idea: PlannedNode, request: Tag) -> dict[str, list[str]]:
    """The ids of the passages that the idea names by heading or quotes, or of those that say most of what it says;
    nothing where the request has none."""
    given = [tag for tag in request.children("passage") if tag.attributes.get("id")]
    names = heading_names(idea.desc)
    paths = [tuple(map(heading_key, tag.attributes.get("heading", "").split(HEADING_SEPARATOR))) for tag in given]
    quoted = QuotableTexts([tag.text for tag in given]).quoted_in(idea.desc)
    named = [tag for at, tag in enumerate(given) if at in quoted or any(name.names(paths[at]) for name in names)]
    if not named:
        idea_stems = stems([idea.title, idea.desc])
        shared = [len(idea_stems & stems([tag.attributes.get("heading", ""), tag.text])) for tag in given]
        named = [tag for tag, count in zip(given, shared, strict=True) if count == max(shared) > 0]
    return {"passages": [tag.attributes["id"] for tag in named]} if named else {}


def _repair_calls(plan: Plan, conversation: Conversation) -> list[Block]:
    """Ideas that were too long, shortened; questions that were refused, asked as open ones where that can be done."""
    failures = conversation.failures
    refused = {str(call.input.get("prompt")) for call in failures if call.name == ASK}
    again = [
        opened for item in plan.questions if item.input["prompt"] in refused and (opened := _as_open_question(item))
    ]
    return [*repair_calls(failures, SAVE), *again]


def _as_open_question(item: PlannedQuestion) -> ToolOut | None:
    """A choice question without its options; None for one that is open already, which is dropped."""
    question = item.input
    if question["format"] != "mcq":
        return None
    label = question["tests"][0]
    fields = {key: value for key, value in question.items() if key not in ("options", "misconceptions")}
    criteria = [
        {"label": label, "statement": f"The answer is: {question['correct_answer']}", "weight": 0.7},
        {"label": f"{label}: no other answer", "statement": "No answer is given that contradicts it.", "weight": 0.3},
    ]
    return ToolOut(ASK, fields | {"format": "open_ended", "criteria": criteria})
