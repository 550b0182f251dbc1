"""O9: runs with models that are slow, or known to be unfit."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from harness.loop.scripted_turn import QUICK
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.policy import LoopPolicy
from sprout.offline.pace import Pace
from sprout.offline.script import Reply, Scripted, TextOut
from sprout.runs.model_probes import ModelProbe, ModelUnfit
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from sprout.store.runs.model_probes import SqlModelProbes
from tests.runs.live_app import live_app
from tests.runs.scripted_agents import an_agent

ADDRESS = "http://127.0.0.1:1"
WORDS = Reply([TextOut("word " * 500)])
PROBES = partial(SqlModelProbes, addresses=[ADDRESS])
UNFIT = ModelProbe(model="sprout-offline", address=ADDRESS, probed_at=datetime.now(UTC), tool_calls=0)


async def test_O9_the_prompt_of_a_run_that_the_hard_limit_cuts_is_counted(database: Database, data_dir: Path) -> None:
    policy = LoopPolicy.model_validate({**QUICK.model_dump(), "hard_limit_s": 3.0, "soft_limit_s": 2.9})
    spec, pace = an_agent(policy=policy), Pace(tokens_per_s=20)
    async with live_app(database, Scripted([WORDS]), data_dir, agents=[spec], pace=pace) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        run = await life.store.run(run_id)
    assert (run.state, run.reason) == (RunState.TIMED_OUT, "hard_limit")
    assert run.usage.input_tokens > 0
    assert run.usage.output_tokens > 0


async def test_O9_a_run_of_a_model_that_was_found_unfit_meanwhile_calls_it_no_more(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, Scripted([WORDS]), data_dir, agents=[an_agent()], probes=PROBES) as life:
        await PROBES(database).save(UNFIT)
        with pytest.raises(ModelUnfit):
            await life.start()
        admitted = await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID, needs_model=False)
        await life.streamed(admitted.run.id)
        run = await life.store.run(admitted.run.id)
        assert (run.state, run.reason) == (RunState.FAILED, "model_calls_no_tools")
        assert life.server.requests == []


async def test_O7_a_new_probe_takes_the_place_of_the_last_one(database: Database) -> None:
    probes = PROBES(database)
    await probes.save(UNFIT)
    better = UNFIT.model_copy(update={"tool_calls": 3, "calls_in_one_reply": 1, "long_prompt": "kept", "window": 8_192})
    await probes.save(better)
    assert await probes.all() == [better]
    assert await probes.of("sprout-offline") == better
    assert await probes.of("another") is None
    assert await SqlModelProbes(database, ["http://elsewhere"]).all() == []
