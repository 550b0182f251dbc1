"""Offline model of the topic agent: a path from notes, from an authored course, or an honest outline."""

from collections.abc import Sequence

from sprout.offline.courses.catalogue import find_course, path_plan
from sprout.offline.demo.agents.outline import outline_path
from sprout.offline.demo.conversation import Conversation, ToolCall, shorten_calls
from sprout.offline.demo.tagged_request import existing_titles, requested_size
from sprout.offline.graph_plan import Plan, PlannedNode, limit_nodes
from sprout.offline.notes.path import path_from_notes
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

SIZE = (6, 10)
LEAST_WHOLE_PATH = 4
EXTRACT = "extract_all_concept_contexts"
SAVE, CONNECT, CLOSE = "save_concept", "save_concept_edge", "close_path"
NOTE_CHARACTERS = 300
REPAIRED_CHARACTERS = {"title": 60, "desc": 240}


def reply_as_topic_agent(conversation: Conversation) -> Reply:
    """The next reply: where concepts come from, then all concepts, edges and the end at once, repairs if need be."""
    plan = choose_plan(conversation)
    if not conversation.may_call:
        return Reply([TextOut(plan.closing)])
    close = ToolOut(CLOSE, {"rationale": plan.closing})
    if EXTRACT in conversation.tools and _documents(conversation) and not conversation.calls:
        concepts = [{"title": idea.title, "desc": idea.desc} for idea in plan.nodes]
        return Reply([TextOut(plan.opening), ToolOut(EXTRACT, {"concepts": concepts})])
    if saving := conversation.without_repeats(_save_calls(plan, conversation)):
        topic, opening = conversation.request.text_of("topic") or "", plan.opening[:NOTE_CHARACTERS]
        notes = conversation.note_down(objective=topic, decisions=[opening])
        return Reply([*([] if conversation.calls else [TextOut(plan.opening)]), *notes, *saving, close])
    if not conversation.has_repaired and (repairs := repair_calls(conversation.failures, SAVE)):
        return Reply([*repairs, close])
    return Reply([close])


def choose_plan(conversation: Conversation) -> Plan:
    """The path for the request: the learner's notes come first, then an authored course, then the outline."""
    request = conversation.request
    topic = request.text_of("topic") or conversation.first_text.strip()[:80]
    least, most = requested_size(request, "concepts", SIZE)
    if plan := path_from_notes(_documents(conversation), least=max(least, 1), most=most):
        return plan
    course = find_course(topic)
    plan = path_plan(course) if course else outline_path(topic)
    return limit_nodes(plan, most) if most < LEAST_WHOLE_PATH else plan


def repair_calls(failures: Sequence[ToolCall], save_tool: str) -> list[Block]:
    """One more try for ideas that were refused for their length; everything else that was refused is dropped."""
    return [*shorten_calls([call for call in failures if call.name == save_tool], REPAIRED_CHARACTERS)]


def _save_calls(plan: Plan, conversation: Conversation) -> list[Block]:
    there = existing_titles(conversation.request)
    new = [idea for idea in plan.nodes if idea.title.casefold() not in there]
    calls: list[Block] = [ToolOut(SAVE, node_input(idea)) for idea in new]
    known = there | {idea.title.casefold() for idea in new}
    if CONNECT in conversation.tools:
        calls += edge_calls(plan, known, CONNECT)
    return calls


def node_input(idea: PlannedNode) -> dict[str, str]:
    """An idea as the input of the tool that saves it."""
    return {"title": idea.title, "desc": idea.desc}


def edge_calls(plan: Plan, known: set[str], connect_tool: str) -> list[ToolOut]:
    """The plan's links between titles that are known, in small letters, as calls of the tool that saves them."""
    return [
        ToolOut(connect_tool, {"source_title": link.source, "target_title": link.target, "why": link.why})
        for link in plan.edges
        if {link.source.casefold(), link.target.casefold()} <= known
    ]


def _documents(conversation: Conversation) -> list[str]:
    return [tag.text for tag in conversation.request.children("document") if tag.text.strip()]
