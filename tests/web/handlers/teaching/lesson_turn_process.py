"""One turn of a lesson in a process of its own, which SPROUT_CRASH_AT may kill on the way: folder, kind of turn."""

import asyncio
import json
import sys
from pathlib import Path

from sprout.events import NodeRow
from sprout.offline.script import Step
from tests.web.handlers.teaching.lesson_server import calls, number, says, serving_lesson

SESSION = "session.json"
WRONG, RIGHT = "[ANSWER]\nMode: text\n13", "[ANSWER]\nMode: text\n42"
STEPS: dict[str, tuple[str, Step]] = {
    "replies": (WRONG, says("Look at the sign between the two numbers.")),
    "asks": (RIGHT, calls(number("What is 3 times 3?", 9))),
}


def load_session(folder: Path) -> tuple[NodeRow, NodeRow, str]:
    """The session that was begun in the folder."""
    state = json.loads((folder / SESSION).read_text())
    return NodeRow.model_validate(state["node"]), NodeRow.model_validate(state["next"]), state["session"]


async def main(folder: Path, kind: str) -> None:
    content, step = STEPS[kind]
    async with serving_lesson(folder, session=load_session(folder)) as lesson:
        await lesson.turn(content, step)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
