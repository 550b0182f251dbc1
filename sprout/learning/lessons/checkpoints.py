"""Checkpoints: the prepared questions of a lesson, and what has become of the one that was asked."""

from dataclasses import dataclass

from sprout.events import AnswerType, ReadingShown
from sprout.learning.lessons.help_ladder import HelpLadder
from sprout.learning.marking.choices import OPTION_LABELS, Option
from sprout.learning.marking.comparison import Comparison, build_comparison
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.normalization import folded


@dataclass(frozen=True, slots=True)
class LessonCheckpoint:
    """A question that the tutor has prepared, with all that belongs to it; everything but its prompt, kind and options
    is secret.

    Args:
        help: a text for each level, in their order; of a gap for the last level alone.
        is_gap: whether it is a worked case with one step left out.
    """

    draft: QuestionDraft
    kind: AnswerType
    help: tuple[str, ...] = ()
    is_gap: bool = False


@dataclass(frozen=True, slots=True)
class AskedCheckpoint:
    """A checkpoint that was asked, and how far its help has gone.

    Args:
        options: of a choice, in the order in which the learner sees them.
        last_attempt_id: the newest attempt that the ladder has counted.
        last_attempt_text: its words.
        last_feedback: the feedback that the learner got on it.
        unmarked: whether it could not be marked, so that it may be repeated, and is marked together with what follows.
        missed: how many attempts were wrong.
        reading: what is to be read before it, with the pieces that settle it, which are secret.
    """

    id: str
    checkpoint: LessonCheckpoint
    options: tuple[Option, ...] = ()
    ladder: HelpLadder = HelpLadder()
    last_attempt_id: str | None = None
    last_attempt_text: str = ""
    last_feedback: str = ""
    unmarked: bool = False
    missed: int = 0
    reading: ReadingShown | None = None

    @property
    def prompt(self) -> str:
        return self.checkpoint.draft.prompt

    @property
    def kind(self) -> AnswerType:
        return self.checkpoint.kind

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that waits for the learner's verdicts; None if none does."""
        return build_comparison(self.checkpoint.draft) if self.ladder.comparing else None

    @property
    def is_for_sentences(self) -> bool:
        draft = self.checkpoint.draft
        return self.kind == "text" and draft.format == "open_ended" and not draft.accepted

    @property
    def asks_whether_answer(self) -> bool:
        """Whether the learner was asked if the words before are meant as an answer in sentences."""
        return self.is_for_sentences and self.ladder.unmarked > 0 and not self.unmarked and not self.ladder.comparing

    def words_to_mark(self, text: str) -> str:
        """The words of a new attempt: after one in sentences that could not be marked, both are one answer."""
        before = self.last_attempt_text if self.unmarked and self.is_for_sentences else ""
        return f"{before}\n\n{text}" if before and folded(before) != folded(text) else text

    @property
    def label(self) -> str | None:
        """The letter before the right option."""
        right = self.checkpoint.draft.correct_answer
        return next((OPTION_LABELS[at] for at, option in enumerate(self.options) if option.text == right), None)
