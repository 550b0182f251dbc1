"""What the offline model says as the review agent: one more step where all was solved and nothing follows."""

from sprout.offline.brains.adapting import HARDEST, new_ground, picture
from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.request import sizes
from sprout.offline.reply import Reply, TextOut, ToolOut

ANSWERS, ADD = "get_graded_answers", "add_concept"
OBSERVE = (ANSWERS, "get_current_subconcepts", "get_future_concepts")
COVERED = "The path has what you need next, so it stays as it is."
ADDED = "I have added one step to the end of your path; the reason stands with it. Take it back if you do not want it."


def speak_as_review_agent(conversation: Conversation) -> Reply:
    """The next reply: look, add one thing or nothing, close."""
    if not conversation.may_call:
        return Reply([TextOut(COVERED)])
    if looks := conversation.left_of([ToolOut(tool, {}) for tool in OBSERVE]):
        return Reply([*([] if conversation.calls else [TextOut("I look at what you can do now.")]), *looks])
    if not conversation.called(ADD) and (step := _next_step(conversation)):
        return Reply([step])
    added = [call for call in conversation.called(ADD) if not call.failed]
    return Reply([TextOut(ADDED if added else COVERED)])


def _next_step(conversation: Conversation) -> ToolOut | None:
    """New ground after the last concept, where everything in it is mastered and its hardest questions were solved."""
    seen = picture(conversation, ANSWERS)
    _, most = sizes(conversation.request, "additions", (0, 1))
    solved = [answer for answer in seen.usable if answer.correct and answer.difficulty >= HARDEST]
    last = next((part for part in seen.parts if part.closing), None)
    if most == 0 or seen.later or len(solved) < 2 or last is None:
        return None
    if not all(part.state in ("mastered", "due") for part in seen.parts):
        return None
    return ToolOut(
        ADD,
        {
            **new_ground(last),
            "reason": "Added because you solved the hardest questions here without help. It takes this to new cases.",
            "evidence": [one.evidence for one in solved[:2]],
        },
    )
