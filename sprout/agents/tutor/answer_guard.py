"""Answer guard: keeps the answer to the open question out of what the tutor says in a turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sprout.errors import ToolFailure
from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.prepared_help import secret_of
from sprout.learning.leaks.secret import Secret
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.help_ladder import HelpLevel


@dataclass(slots=True)
class AnswerGuard:
    """Guard of one turn; until it has a question, everything passes.

    Args:
        level: the help that has been given, which allows more the higher it is.
        said: the tutor's explanations since the question was asked.
    """

    secret: Secret = field(default_factory=Secret)
    level: HelpLevel = HelpLevel.NONE
    said: str = ""
    output: LeakFilter | None = None

    def protect(self, question: AskedCheckpoint, level: HelpLevel, said: Sequence[str], answers: Sequence[str]) -> None:
        """Guard the question's answer from now on.

        Args:
            answers: the learner's words since it was asked, which are no secret.
        """
        self.secret, self.level, self.said = secret_of(question, *answers), level, "\n".join(said)

    def protect_nothing(self, level: HelpLevel) -> None:
        self.secret, self.level = Secret(), level

    def new_output_filter(self) -> LeakFilter:
        """A leak filter for one reply, which also knows the replies before it."""
        before = self.output.recent_text if self.output is not None else self.said
        self.output = LeakFilter(self.secret, before=before, level=self.level)
        return self.output

    def refuse_leaks(self, *texts: str) -> None:
        """Raises ToolFailure: one of the texts gives away the answer to the open question."""
        for text in texts:
            if (leak := self.find_leak(text)) is not None:
                raise ToolFailure(f"This would give the answer to the open question away ({leak}). Show another case.")

    def find_leak(self, text: str) -> str | None:
        """The form in which the text gives away the answer to the open question; None if it does not."""
        leak_filter = LeakFilter(self.secret, level=self.level)
        leak_filter.feed(text)
        leak_filter.end()
        return leak_filter.withheld
