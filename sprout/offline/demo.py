"""The offline demo model: it tells from the tools on offer which agent it is asked to be."""

from collections.abc import Callable

from sprout.offline.brains.conversation import Conversation, read_conversation
from sprout.offline.brains.grading import speak_as_grading_agent
from sprout.offline.brains.key_check import speak_as_key_check
from sprout.offline.brains.plain import speak_plainly
from sprout.offline.brains.refinement import speak_as_refinement_agent
from sprout.offline.brains.review import speak_as_review_agent
from sprout.offline.brains.subconcept import speak_as_subconcept_agent
from sprout.offline.brains.topic import speak_as_topic_agent
from sprout.offline.brains.tutor import speak_as_tutor
from sprout.offline.reply import Body, Reply, ToolOut
from sprout.offline.tampering import example_input

# The tool that only this agent has → the agent's brain. An agent more is one module and one line here.
AGENTS: dict[str, Callable[[Conversation], Reply]] = {
    "save_concept": speak_as_topic_agent,
    "save_subconcept": speak_as_subconcept_agent,
    "record_solutions": speak_as_key_check,
    "record_grade": speak_as_grading_agent,
    "remove_subconcept": speak_as_refinement_agent,
    "get_graded_answers": speak_as_review_agent,
    "ask_checkpoint": speak_as_tutor,
}


class DemoModel:
    """Answers as Sprout's agents would, without knowing anything: from notes, from authored courses, or honestly."""

    def answer(self, body: Body) -> Reply:
        if forced := _forced(body):
            return Reply([forced])
        conversation = read_conversation(body)
        speak = next((speak for tool, speak in AGENTS.items() if tool in conversation.tools), speak_plainly)
        return speak(conversation)


def demo_model() -> DemoModel:
    """The model that Sprout serves itself where no other is configured."""
    return DemoModel()


def _forced(body: Body) -> ToolOut | None:
    """The call that a forced tool choice asks for, with an input that fits its schema."""
    choice = body.get("tool_choice") or {}
    if choice.get("type") != "tool":
        return None
    tool = next(tool for tool in body["tools"] if tool["name"] == choice["name"])
    return ToolOut(tool["name"], example_input(tool["input_schema"]))
