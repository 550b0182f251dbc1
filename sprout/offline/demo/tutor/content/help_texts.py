"""Help texts of a question that has no authored ones: of several candidates the first that is safe."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.lesson import Chunk, PreparedQuestion
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


def with_help_from_other_form(chunk: Chunk, frames: Templates, asked: Sequence[str]) -> PreparedQuestion:
    """The form of a chunk's question that has no help of its own, with the help of the other one as a parallel.

    The other form's solution is part of it only where that was asked before: it may still come.

    Args:
        asked: prompts of the lesson so far.
    """
    task, other = chunk.question, chunk.changed_form
    if task.help:
        task, other = other, task
    if any(map(other.matches_prompt, asked)):
        return _with_parallel_help(task, other, "earlier", frames)
    return _with_parallel_help(task, replace(other, solution=()), "other", frames)


def _with_parallel_help(
    task: PreparedQuestion, other: PreparedQuestion, which: str, frames: Templates
) -> PreparedQuestion:
    candidates = [[frames.render(f"{which}_form", text=text)] for text in other.help]
    if other.solution:
        candidates[2].insert(0, frames.render(f"{which}_solution", text=" ".join(other.solution)))
        candidates[3].append(frames.render(f"{which}_solution", text=other.solution[0]))
    return with_help(task, candidates, frames)
