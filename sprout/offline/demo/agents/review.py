"""Offline model of the review agent: one more step if everything was solved and nothing follows."""

from sprout.offline.demo.agents.observations import HARDEST, read_observations, transfer_step
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tagged_request import requested_size
from sprout.offline.reply import Reply, TextOut, ToolOut

ANSWERS, ADD, CLOSE = "get_graded_answers", "add_concept", "close_review"
OBSERVE = (ANSWERS, "get_current_subconcepts", "get_future_concepts")
COVERED = "The path has what you need next, so it stays as it is."
ADDED = "I have added one step to the end of your path; the reason stands with it. Take it back if you do not want it."


def reply_as_review_agent(conversation: Conversation) -> Reply:
    """The next reply: look; then add one thing or nothing, and close."""
    if not conversation.may_call:
        return Reply([TextOut(COVERED)])
    if looks := conversation.without_repeats([ToolOut(tool, {}) for tool in OBSERVE]):
        return Reply([*([] if conversation.calls else [TextOut("I look at what you can do now.")]), *looks])
    if not conversation.calls_to(ADD) and (step := _next_step(conversation)):
        return Reply([step, ToolOut(CLOSE, {"message": ADDED})])
    added = [call for call in conversation.calls_to(ADD) if not call.failed]
    return Reply([ToolOut(CLOSE, {"message": ADDED if added else COVERED})])


def _next_step(conversation: Conversation) -> ToolOut | None:
    """New ground after the last concept, where everything in it is learned and its hardest questions were solved."""
    seen = read_observations(conversation, ANSWERS)
    _, most = requested_size(conversation.request, "additions", (0, 1))
    solved = [answer for answer in seen.usable if answer.correct and answer.difficulty >= HARDEST]
    last = next((part for part in seen.subconcepts if part.closing), None)
    if most == 0 or seen.later_concepts or len(solved) < 2 or last is None:
        return None
    if not all(part.state in ("learned", "mastered") for part in seen.subconcepts):
        return None
    return ToolOut(
        ADD,
        {
            **transfer_step(last),
            "reason": "Added because you solved the hardest questions here without help. It takes this to new cases.",
            "evidence": [one.evidence for one in solved[:2]],
        },
    )
