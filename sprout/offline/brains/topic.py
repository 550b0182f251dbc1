"""What the offline model says as the topic agent: a path from notes, from an authored course, or an honest outline."""

from collections.abc import Sequence

from sprout.offline.brains.conversation import Call, Conversation, shortened
from sprout.offline.brains.generic import generic_path
from sprout.offline.brains.request import existing_titles, sizes
from sprout.offline.courses import course_on, path_of
from sprout.offline.notes.path import path_from_notes
from sprout.offline.plan import Idea, Plan, kept_to
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

SIZE = (6, 10)
LEAST_WHOLE_PATH = 4
EXTRACT = "extract_all_concept_contexts"
SAVE, CONNECT = "save_concept", "save_concept_edge"
MENDED_CHARACTERS = {"title": 60, "desc": 240}


def speak_as_topic_agent(conversation: Conversation) -> Reply:
    """The next reply: where concepts come from, then all concepts and edges at once, repairs if need be, the end."""
    plan = topic_plan(conversation)
    if not conversation.may_call:
        return Reply([TextOut(plan.closing)])
    if EXTRACT in conversation.tools and _documents(conversation) and not conversation.calls:
        concepts = [{"title": idea.title, "desc": idea.desc} for idea in plan.ideas]
        return Reply([TextOut(plan.opening), ToolOut(EXTRACT, {"concepts": concepts})])
    if saving := conversation.left_of(_saving(plan, conversation)):
        return Reply([*([] if conversation.calls else [TextOut(plan.opening)]), *saving])
    if not conversation.mended_already and (repairs := mended(conversation.failures, SAVE)):
        return Reply(repairs)
    return Reply([TextOut(plan.closing)])


def topic_plan(conversation: Conversation) -> Plan:
    """The path for the request: the learner's notes come first, then an authored course, then the outline."""
    request = conversation.request
    topic = request.text_of("topic") or conversation.first_text.strip()[:80]
    least, most = sizes(request, "concepts", SIZE)
    if plan := path_from_notes(_documents(conversation), least=max(least, 1), most=most):
        return plan
    course = course_on(topic)
    plan = path_of(course) if course else generic_path(topic)
    return kept_to(plan, most) if most < LEAST_WHOLE_PATH else plan


def mended(failures: Sequence[Call], save_tool: str) -> list[Block]:
    """One more try for ideas that were refused for their length; everything else that was refused is dropped."""
    return [*shortened([call for call in failures if call.name == save_tool], MENDED_CHARACTERS)]


def _saving(plan: Plan, conversation: Conversation) -> list[Block]:
    there = existing_titles(conversation.request)
    new = [idea for idea in plan.ideas if idea.title.casefold() not in there]
    calls: list[Block] = [ToolOut(SAVE, saved(idea)) for idea in new]
    known = there | {idea.title.casefold() for idea in new}
    if CONNECT in conversation.tools:
        calls += joined(plan, known, CONNECT)
    return calls


def saved(idea: Idea) -> dict[str, str]:
    """An idea as the input of the tool that saves it."""
    return {"title": idea.title, "desc": idea.desc}


def joined(plan: Plan, known: set[str], connect_tool: str) -> list[ToolOut]:
    """The plan's links between titles that are known, in small letters, as calls of the tool that saves them."""
    return [
        ToolOut(connect_tool, {"source_title": link.source, "target_title": link.target, "why": link.why})
        for link in plan.links
        if {link.source.casefold(), link.target.casefold()} <= known
    ]


def _documents(conversation: Conversation) -> list[str]:
    return [tag.text for tag in conversation.request.all("document") if tag.text.strip()]
