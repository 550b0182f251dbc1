"""Replies about the form of an answer, in which no model is asked: it cannot be marked yet as it may be meant."""

from collections.abc import Sequence

from sprout.agents.tutor.turn_state import AttemptResult
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.help_ladder import LadderStep
from sprout.learning.lessons.turn import LearnerInput, denies_suggestion, is_untagged_answer, lacks_number
from sprout.learning.marking.choices import OPTION_LABELS
from sprout.learning.text.language import detect_language


def form_reply(
    question: AskedCheckpoint, given: LearnerInput, result: AttemptResult, before: Sequence[LearnerInput]
) -> str | None:
    """Reply to an answer whose form keeps it from being marked; None to any other.

    Args:
        result: of the learner's message.
        before: the learner's inputs since the question was asked.
    """
    language = detect_language(question.prompt)  # "no" tells little of the learner's
    if (suggested := result.suggested) is not None:
        label = OPTION_LABELS[question.options.index(suggested)]
        return fixed_text("meant_option", language, label=label, option=suggested.text)
    if is_untagged_answer(question, given):
        return fixed_text("untagged", language)
    if result.ladder.step is not LadderStep.WAIT or result.attempt_id is not None:
        return None
    if denies_suggestion(question, given, before):
        return fixed_text("other_option", language)
    return fixed_text("no_number", language) if lacks_number(question, given) else None
