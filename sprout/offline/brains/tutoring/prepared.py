"""The four help texts of a question that nobody wrote any for: of several candidates the first that is safe to say."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.lessons.help import HelpLevel
from sprout.offline.brains.tutoring.frames import Frames
from sprout.offline.brains.tutoring.speech import Check
from sprout.offline.brains.tutoring.teaching import Chunk, Task

LEVELS = (HelpLevel.READ_AGAIN, HelpLevel.LOOK_HERE, HelpLevel.PARALLEL, HelpLevel.WORKED_STEP)


def with_help(task: Task, candidates: Sequence[Sequence[str]], frames: Frames) -> Task:
    """The task with the first candidate of each level that gives nothing away after those before it.

    Each level has a last resort that speaks of no subject at all.
    """
    secret, said, chosen = task.secret(), "", list[str]()
    for level, texts in zip(LEVELS, candidates, strict=True):
        check = Check(secret, said, level)
        text = next((each for each in texts if each and check.passes(each)), frames.say(f"any_help_{level.value}"))
        said = f"{said}{text}\n"
        chosen.append(text)
    return replace(task, help=tuple(chosen))


def with_help_from_other_form(chunk: Chunk, frames: Frames) -> Task:
    """The form of a chunk's question that has no help of its own, with the help of the other one as a parallel.

    The other form's solution is part of it only where that was asked before: it may still come.
    """
    if chunk.first.help:
        return _with_help_like(chunk.again, chunk.first, "earlier", frames)
    return _with_help_like(chunk.first, replace(chunk.again, solution=()), "other", frames)


def _with_help_like(task: Task, other: Task, which: str, frames: Frames) -> Task:
    candidates = [[frames.say(f"{which}_form", text=text)] for text in other.help]
    if other.solution:
        candidates[2].insert(0, frames.say(f"{which}_solution", text=" ".join(other.solution)))
        candidates[3].append(frames.say(f"{which}_solution", text=other.solution[0]))
    smaller = other.smaller and frames.say(f"{which}_smaller", text=other.smaller)
    fits = bool(smaller) and Check(task.secret()).passes(smaller)
    return with_help(replace(task, smaller=smaller if fits else ""), candidates, frames)
