"""One turn of a lesson in a process of its own, which SPROUT_CRASH_AT may kill on the way: folder, kind of turn."""

import asyncio
import json
import sys
from pathlib import Path

from sprout.events import NodeRow
from sprout.offline.script import Step
from tests.web.teaching import calls, number, says, teaching

SESSION = "session.json"
WRONG, RIGHT = "[ANSWER]\nMode: text\n13", "[ANSWER]\nMode: text\n42"
STEPS: dict[str, tuple[str, Step]] = {
    "replies": (WRONG, says("Look at the sign between the two numbers.")),
    "asks": (RIGHT, calls(number("What is 3 times 3?", 9))),
}


def kept_session(folder: Path) -> tuple[NodeRow, NodeRow, str]:
    """The session that was begun in the folder."""
    kept = json.loads((folder / SESSION).read_text())
    return NodeRow.model_validate(kept["node"]), NodeRow.model_validate(kept["next"]), kept["session"]


async def main(folder: Path, kind: str) -> None:
    content, step = STEPS[kind]
    async with teaching(folder, session=kept_session(folder)) as lesson:
        await lesson.turn(content, step)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
