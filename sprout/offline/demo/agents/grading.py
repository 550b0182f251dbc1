"""Offline model of the grading agent: it reads no meaning, so every answer is left to its learner."""

from sprout.offline.demo.conversation import Conversation
from sprout.offline.reply import Reply, TextOut, ToolOut

LEAVE = "leave_to_learner"
DONE = "Every answer is looked at."


def reply_as_grading_agent(conversation: Conversation) -> Reply:
    """All answers in one call; then a closing sentence."""
    items = conversation.request.children("item")
    ids = [answer.attributes.get("id", "") for item in items for answer in item.children("learner_answer")]
    if LEAVE not in conversation.tools or conversation.calls_to(LEAVE) or not conversation.may_call or not ids:
        return Reply([TextOut(DONE)])
    return Reply([ToolOut(LEAVE, {"answer_ids": ids})])
