"""Help texts of a question that has no authored ones: of several candidates the first that is safe."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.templates import Templates

LEVELS = (HelpLevel.READ_AGAIN, HelpLevel.LOOK_HERE, HelpLevel.PARALLEL, HelpLevel.WORKED_STEP)


def with_help(task: PreparedQuestion, candidates: Sequence[Sequence[str]], frames: Templates) -> PreparedQuestion:
    """The task with the first candidate of each level that gives nothing away after those before it.

    Each level has a last resort that speaks of no subject at all.
    """
    secret, previous_texts, chosen = task.secret(), "", list[str]()
    for level, texts in zip(LEVELS, candidates, strict=True):
        check = LeakCheck(secret, previous_texts, level)
        text = next((each for each in texts if each and check.passes(each)), frames.render(f"any_help_{level.value}"))
        previous_texts = f"{previous_texts}{text}\n"
        chosen.append(text)
    return replace(task, help=tuple(chosen))
