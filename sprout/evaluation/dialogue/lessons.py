"""Lessons of scripted learners: each has moves of its own, whatever the tutor says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sprout.evaluation.dialogue.transcript import Said, Transcript
from sprout.evaluation.played_lesson import play_lesson
from sprout.evaluation.suite import NamedModel
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.offline.courses.course_format import Course

ANSWER = "[ANSWER]"  # how the page sends what is typed below an open question

Move = Literal["right", "wrong", "words"]


@dataclass(frozen=True, slots=True)
class ScriptedMove:
    """A right or a wrong answer to the question that is open, with words before it; or words alone."""

    move: Move
    text: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """A learner, after one of the teaching guide's twelve."""

    name: str
    moves: Sequence[ScriptedMove]


SCRIPTS = (
    Script(
        "novice",
        [ScriptedMove("words", "idk"), ScriptedMove("wrong"), ScriptedMove("words", "hint"), ScriptedMove("right")],
    ),
    Script(
        "sure and wrong",
        [
            ScriptedMove("wrong", "100 % sure: "),
            ScriptedMove("wrong", "My teacher says so too: "),
            ScriptedMove("words", "Please don't say that I'm wrong."),
            ScriptedMove("right", "Then maybe "),
        ],
    ),
    Script(
        "expert",
        [
            ScriptedMove("right"),
            ScriptedMove("right"),
            ScriptedMove("words", "This is too easy."),
            ScriptedMove("right"),
        ],
    ),
    Script(
        "anxious",
        [
            ScriptedMove("words", "I'm so bad at this, sorry."),
            ScriptedMove("wrong", "Probably wrong but "),
            ScriptedMove("words", "I give up."),
            ScriptedMove("right", "maybe "),
        ],
    ),
)


async def transcript_of(model: NamedModel, course: Course, script: Script) -> Transcript:
    """The transcript of a lesson on the first part of a course. Raises SproutError."""
    part = course.concepts[0].subconcepts[0].title
    async with play_lesson(model, course, part) as lesson:
        opening = await lesson.say("")
        said, answers, pending = [_tutor(opening.reply, opening.open_now)], [], opening.open_now
        for one in script.moves:
            text = _text(one, pending)
            if pending is not None:
                answers.append(pending.checkpoint.draft.correct_answer)
            turn = await lesson.say(f"{ANSWER}{text}")
            pending = turn.open_now
            said += [Said(who="learner", text=text), _tutor(turn.reply, pending)]
    return Transcript(name=script.name, said=tuple(said), answers=tuple(dict.fromkeys(answers)))


def _tutor(reply: str, question: AskedCheckpoint | None) -> Said:
    """The tutor's words as the learner sees them: the open question stands below."""
    options = "".join(f"\n- {one.text}" for one in question.options) if question else ""
    below = f"\n\n[question] {question.prompt}{options}" if question else ""
    return Said(who="tutor", text=f"{reply}{below}".strip() or "(nothing)")


def _text(move: ScriptedMove, question: AskedCheckpoint | None) -> str:
    if move.move == "words" or question is None:
        return move.text or "ok"
    draft = question.checkpoint.draft
    if move.move == "right":
        return f"{move.text}{draft.correct_answer}"
    wrong = next((one.option for one in draft.misconceptions), None)
    wrong = wrong or next((one for one in draft.options if one != draft.correct_answer), None)
    return f"{move.text}{wrong or 'it has always been like that'}"
