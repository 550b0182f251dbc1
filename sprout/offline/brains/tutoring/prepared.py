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


def with_help_from_first(chunk: Chunk, frames: Frames) -> Task:
    """The changed form of a chunk's question, with help whose parallel is the first form: its help, its solution."""
    first, whole = chunk.first, " ".join(chunk.first.solution)
    earlier = [frames.say("earlier_form", text=text) for text in first.help]
    candidates = [
        [earlier[0]],
        [earlier[1]],
        [frames.say("earlier_solution", text=whole), earlier[2]],
        [earlier[3], frames.say("earlier_solution", text=" ".join(first.solution[:1]))],
    ]
    smaller = first.smaller and frames.say("earlier_smaller", text=first.smaller)
    fits = bool(smaller) and Check(chunk.again.secret()).passes(smaller)
    return with_help(replace(chunk.again, smaller=smaller if fits else ""), candidates, frames)
