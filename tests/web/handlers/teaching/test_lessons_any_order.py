"""Whatever learners and tutors do in a lesson: at most one question is open, and it is never lost (Q2)."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprout.offline.faults.scenarios import Fault, Scenario
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.offline.script import Step
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import (
    LessonServer,
    calls,
    choice,
    completes,
    number,
    says,
    serving_lesson,
)

Says = Literal["right", "wrong", "idk", "help", "aside", "talk", "again", "nothing"]
Does = Literal["asks", "asks a choice", "asks twice", "replies", "completes", "fails", "leaks", "cares", "is silent"]
LONGEST = 7


@dataclass(frozen=True)
class Turn:
    says: Says
    does: Does


TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(["right", "wrong", "idk", "help", "aside", "talk", "again", "nothing"]),
        st.sampled_from(
            ["asks", "asks a choice", "asks twice", "replies", "completes", "fails", "leaks", "cares", "is silent"]
        ),
    ),
    min_size=1,
    max_size=LONGEST,
)
CONTENT = {
    "idk": "[ANSWER]\nI don't know",
    "help": "[ANSWER]\na hint please",
    "aside": "[CLARIFICATION]\nwhat is a row of chairs?",
    "talk": "do you like football?",
    "nothing": "",
}


def does(action: Does) -> list[Step]:
    """Steps of the tutor in a turn, repeated as often as it is asked."""
    reply = says("Look at the rows once more, please.")
    match action:
        case "asks":
            return [calls(number()), reply, reply, reply]
        case "asks a choice":
            return [calls(choice()), reply, reply, reply]
        case "asks twice":
            return [calls(number(), number("What is 5 times 5?", 25)), reply, reply, reply]
        case "replies":
            return [reply] * 4
        case "completes":
            return [completes(), calls(number()), reply, reply]
        case "fails":
            return [Fault(Scenario.BAD_KEY)]
        case "leaks":
            return [says("The answer is 42, and it is steam.")] * 4
        case "cares":
            return [calls(ToolOut("raise_concern")), reply, reply, reply]
        case "is silent":
            return [Reply([TextOut("")])] * 5


async def played(lesson: LessonServer, turns: Sequence[Turn]) -> None:
    """Play the turns; after each of them the lesson is in order."""
    wrong = 100
    content = ""
    for turn in turns:
        before = await lesson.lessons.lesson(lesson.session_id, user_id=lesson.node.user_id)
        rows_before = len(await lesson.messages())
        draft = before.pending.checkpoint.draft if before.pending else None
        match turn.says:
            case "right":
                content = f"[ANSWER]\n{draft.correct_answer if draft else 42}"
            case "wrong":
                wrong += 1
                content = f"[ANSWER]\n{wrong}" if draft is None or draft.format != "mcq" else "[ANSWER]\nstone"
            case "again":
                pass
            case other:
                content = CONTENT[other]
        lesson.model.steps[:] = does(turn.does)
        response = await lesson.turn(content)
        after = await lesson.lessons.lesson(lesson.session_id, user_id=lesson.node.user_id)
        rows = await lesson.messages()
        await in_order(lesson)
        assert response["isComplete"] is after.ended
        assert (response["question"] or {}).get("prompt") == (after.pending.prompt if after.pending else None)
        if len(rows) == rows_before:  # the turn failed, or was none: everything is as it was
            assert after.pending == before.pending or _only_attempts_differ(before.pending, after.pending)
        else:
            assert rows[-1]["role"] == "assistant"
        if before.pending and not after.ended and after.pending is None:
            assert (before.pending.id, True) in await settled(lesson)


def _only_attempts_differ(before: object, after: object) -> bool:
    return getattr(before, "id", None) == getattr(after, "id", None)


async def settled(lesson: LessonServer) -> set[tuple[str, bool]]:
    """Questions that were solved, or worked through."""
    return {(one.id, one.ladder["step"] in ("solved", "work_through")) for one in await lesson.rows_of(tables.Question)}


async def in_order(lesson: LessonServer) -> None:
    """At most one question is open, and every question before it is closed; no reply without words, and no words of a
    learner without a reply."""
    (session,) = await lesson.rows_of(tables.ChatSession)
    closed = await settled(lesson)
    open_ones = [question_id for question_id, is_closed in closed if not is_closed]
    assert open_ones == ([session.pending_question_id] if session.pending_question_id else [])
    rows = await lesson.messages()
    for row, following in pairwise(rows):
        assert row["role"] != "user" or following["role"] == "assistant"
    assert not rows or rows[-1]["role"] == "assistant"
    for answer in await lesson.rows_of(tables.Answer):
        assert answer.score is not None


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(turns=TURNS)
async def test_Q2_never_two_questions_are_open_and_none_is_lost(empty_sqlite: Path, turns: Sequence[Turn]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(empty_sqlite, Path(folder, "sprout.sqlite3"))
        async with serving_lesson(Path(folder)) as lesson:
            await played(lesson, turns)
