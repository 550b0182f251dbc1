"""Prepared help of a checkpoint: the text of a level, if it keeps the answer secret."""

from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import Secret, build_secret
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.help_ladder import HelpLevel


def secret_of(question: AskedCheckpoint, *learner_texts: str) -> Secret:
    """The secret of a question; the learner's own words are none, nor the feedback on their last attempt."""
    draft = question.checkpoint.draft
    return build_secret(
        draft,
        anchors=draft.anchors,
        steps=draft.solution,
        learner_texts=[*learner_texts, question.last_feedback],
        label=question.label,
    )


def prepared_help(question: AskedCheckpoint, level: HelpLevel) -> str:
    """The prepared text of a level; empty without one, and if it would give the answer away."""
    texts, number = question.checkpoint.help, level - question.ladder.given
    text = texts[number - 1] if 0 < number <= len(texts) else ""
    leak_filter = LeakFilter(secret_of(question), level=level)
    unchanged = leak_filter.feed(text) + leak_filter.end() == text
    return text if unchanged and leak_filter.withheld is None else ""


def given_help(question: AskedCheckpoint) -> tuple[str, ...]:
    """The prepared texts that the learner has got so far, in order."""
    levels = (HelpLevel(level) for level in range(question.ladder.given + 1, question.ladder.level + 1))
    return tuple(text for level in levels if (text := prepared_help(question, level)))
