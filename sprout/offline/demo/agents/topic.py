"""Offline model of the topic agent: a path from notes or from a course, or the plain word that it knows neither."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.offline.courses.catalogue import path_plan
from sprout.offline.courses.coverage import known_course
from sprout.offline.demo.conversation import Conversation, ToolCall, shorten_calls
from sprout.offline.demo.tagged_request import existing_titles, requested_size
from sprout.offline.graph_plan import Plan, PlannedNode, limit_nodes
from sprout.offline.notes.path import key_words_alone, path_from_notes
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

SIZE = (6, 10)
LEAST_WHOLE_PATH = 4
EXTRACT = "extract_all_concept_contexts"
SAVE, CONNECT, CLOSE = "save_concept", "save_concept_edge", "close_path"
NOTE_CHARACTERS = 300
QUOTED_CHARACTERS = 80
UNKNOWN_TOPIC = (
    "I am the built-in model and know nothing about “{topic}”, so there is no path. Add notes on it, choose one of my "
    "courses, or connect a real model, then start again."
)
THIN_NOTES = (
    "Your notes say too little for a path about “{topic}”, and I am the built-in model and know nothing else about it. "
    "Add longer notes, choose one of my courses, or connect a real model, then start again."
)
SHORT_COURSE = (
    "This is a short path: {kept} of the {all} concepts of the course “{title}”, from its beginning. "
    "A full path has them all."
)
REPAIRED_CHARACTERS = {"title": 60, "desc": 240}


def reply_as_topic_agent(conversation: Conversation) -> Reply:
    """The next reply: where concepts come from, then all concepts, edges and the end at once, repairs if need be.

    Without notes and a course it is the end alone, which says why nothing was saved.
    """
    plan = choose_plan(conversation)
    if plan is None:
        words = _refusal(conversation)
        return Reply([ToolOut(CLOSE, {"rationale": words}) if conversation.may_call else TextOut(words)])
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


def choose_plan(conversation: Conversation) -> Plan | None:
    """The path for the request: the learner's notes come first, then the course that the topic names; else None."""
    request = conversation.request
    least, most = requested_size(request, "concepts", SIZE)
    if plan := path_from_notes(_documents(conversation), least=max(least, 1), most=most):
        return plan
    course = known_course(_topic(conversation))
    if course is None:
        return None
    whole = path_plan(course)
    if most >= min(LEAST_WHOLE_PATH, len(whole.nodes)):
        return whole
    short = limit_nodes(whole, most)
    return replace(short, closing=SHORT_COURSE.format(kept=len(short.nodes), all=len(whole.nodes), title=course.title))


def _topic(conversation: Conversation) -> str:
    return conversation.request.text_of("topic") or conversation.first_text.strip()[:QUOTED_CHARACTERS]


def _refusal(conversation: Conversation) -> str:
    documents = _documents(conversation)
    if key_words := key_words_alone(documents):
        return key_words
    text = THIN_NOTES if documents else UNKNOWN_TOPIC
    return text.format(topic=_topic(conversation)[:QUOTED_CHARACTERS])


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
