"""A process killed at every point of a turn: the turn is taken up and ends once, with one question open (Q2, K7)."""

import asyncio
import json
import shutil
import signal
from pathlib import Path

import pytest

from harness.builders import unfinished_runs
from harness.prefork.python import prefork_python
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import calls, number, serving_lesson
from tests.web.handlers.teaching.lesson_turn_process import SESSION, STEPS, load_session

LONGEST_S = 8.0
TOP = Path(__file__).parents[4]
POINTS = {
    "replies": ("input_stored", "reply_stored", "loop_ended", "final_stored"),
    "asks": ("call_begun", "effect_uncommitted", "effect_committed", "call_ended"),
}


@pytest.fixture(scope="module")
async def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lesson whose first question is open, after a clean stop."""
    folder = tmp_path_factory.mktemp("begun")
    async with serving_lesson(folder) as lesson:
        await lesson.turn("", calls(number()))
        state = {"node": lesson.node.model_dump(), "next": lesson.next.model_dump(), "session": lesson.session_id}
        (folder / SESSION).write_text(json.dumps(state))
    return folder


@pytest.mark.parametrize(("kind", "point"), [(kind, point) for kind, points in POINTS.items() for point in points])
async def test_K7_a_turn_that_was_killed_ends_once_and_loses_no_question(
    begun: Path, tmp_path: Path, kind: str, point: str
) -> None:
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    assert await killed(tmp_path, kind, point) == -signal.SIGKILL, "the point was passed"

    async with serving_lesson(tmp_path, session=load_session(tmp_path)) as lesson:
        _, step = STEPS[kind]
        lesson.script(step, step)
        for run in await unfinished_runs(lesson.store):
            async with asyncio.timeout(LONGEST_S):
                async for _ in lesson.live.follow(run.id):
                    pass
            assert (await lesson.store.run(run.id)).state.value == "completed"
        turn = await lesson.turn()
        rows = await lesson.messages()
        assert [row["role"] for row in rows] == ["assistant", "user", "assistant"]
        assert len(await lesson.rows_of(tables.Answer)) == 1
        questions = await lesson.rows_of(tables.Question)
        assert len(questions) == (2 if kind == "asks" else 1)
        assert await lesson.pending() == questions[-1].prompt == turn["question"]["prompt"]
        assert questions[0].ladder["step"] == ("solved" if kind == "asks" else "give_help")
        assert questions[0].ladder["level"] == (0 if kind == "asks" else 1)


async def killed(folder: Path, kind: str, point: str) -> int | None:
    """Kill the process that plays the turn; return its exit code."""
    process = await asyncio.create_subprocess_exec(
        prefork_python(),
        "-m",
        "tests.web.handlers.teaching.lesson_turn_process",
        str(folder),
        kind,
        cwd=TOP,
        env={"SPROUT_CRASH_AT": point, "PYTHONPATH": str(TOP), "PATH": "/usr/bin:/bin"},
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()
