"""Offline model server as a process: `python -m bench.servers.model_server WORK FIRST_TOKEN_S TOKENS_PER_S`."""

import asyncio
import sys

from bench.lesson_workload import LessonModel
from bench.workloads import NoteTakingModel, OnboardingModel
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server

WORK: dict[str, type[OfflineModel]] = {
    "notes": NoteTakingModel,
    "onboarding": OnboardingModel,
    "lesson": LessonModel,
}


async def main(work: str, first_token_s: float, tokens_per_s: float) -> None:
    """Serve until the process is ended; the first line on standard output is the base URL. 0 tokens/s is at once."""
    pace = Pace(first_token_s, tokens_per_s or None)
    async with running_offline_server(WORK[work](), pace=pace, keep_requests=0) as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])))
