"""The offline demo model: the offered tools select the agent that it plays."""

from collections.abc import Callable

from sprout.offline.courses.added_course import NO_COURSES, AddedCourses
from sprout.offline.courses.catalogue import use_added_courses
from sprout.offline.demo.agents.grading import reply_as_grading_agent
from sprout.offline.demo.agents.key_check import reply_as_key_check
from sprout.offline.demo.agents.plain_text import reply_plainly
from sprout.offline.demo.agents.probe import reply_to_probe
from sprout.offline.demo.agents.refinement import reply_as_refinement_agent
from sprout.offline.demo.agents.review import reply_as_review_agent
from sprout.offline.demo.agents.subconcept import reply_as_subconcept_agent
from sprout.offline.demo.agents.topic import reply_as_topic_agent
from sprout.offline.demo.conversation import Conversation, read_conversation
from sprout.offline.demo.tutor.agent import reply_as_tutor
from sprout.offline.faults.reply_faults import example_input
from sprout.offline.reply import Body, Reply, ToolOut

# The tool that only this agent has → the agent's brain. An agent more is one module and one line here.
AGENTS: dict[str, Callable[[Conversation], Reply]] = {
    "save_concept": reply_as_topic_agent,
    "save_subconcept": reply_as_subconcept_agent,
    "record_solutions": reply_as_key_check,
    "record_grade": reply_as_grading_agent,
    "remove_subconcept": reply_as_refinement_agent,
    "get_graded_answers": reply_as_review_agent,
    "ask_checkpoint": reply_as_tutor,
    "note_number": reply_to_probe,
    "note_shelf": reply_to_probe,
}


class DemoModel:
    """Answers as Sprout's agents would, without knowing anything: from notes, from courses, or honestly.

    Args:
        added: courses beside the built-in ones.
    """

    def __init__(self, added: AddedCourses = NO_COURSES) -> None:
        self._added = added

    def answer(self, body: Body) -> Reply:
        if forced := _forced(body):
            return Reply([forced])
        conversation = read_conversation(body)
        speak = next((speak for tool, speak in AGENTS.items() if tool in conversation.tools), reply_plainly)
        with use_added_courses(self._added):
            return speak(conversation)


def demo_model(added: AddedCourses = NO_COURSES) -> DemoModel:
    """The model that Sprout serves itself where no other is configured."""
    return DemoModel(added)


def _forced(body: Body) -> ToolOut | None:
    """The call that a forced tool choice asks for, with an input that fits its schema."""
    choice = body.get("tool_choice") or {}
    if choice.get("type") != "tool":
        return None
    tool = next(tool for tool in body["tools"] if tool["name"] == choice["name"])
    return ToolOut(tool["name"], example_input(tool["input_schema"]))
