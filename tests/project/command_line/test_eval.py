"""`sprout eval` as a user runs it: scorecards, a stop and a kill in the middle, a budget, a comparison (E1)."""

import asyncio
import json
import signal
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.models.word_counter import WordCountingGrader
from sprout.commands.evaluate import SUMMARIES
from sprout.evaluation.suites import SUITES
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Body, Reply
from sprout.offline.server import running_offline_server
from tests.evaluation.marking.few_answers import FEW, MODEL
from tests.project.commands import run_sprout, start_sprout

MARKING = ("eval", "marking", "--model", MODEL, "--data", "few.yaml")
WAIT_S = 60


@dataclass
class StallsAfter:
    """Marks some answers, then leaves every request without a word."""

    replies: int
    grader: WordCountingGrader = field(default_factory=WordCountingGrader)
    stalled: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, body: Body) -> Reply | Fault:
        if self.grader.requests < self.replies:
            return self.grader.answer(body)
        self.stalled.set()
        return Fault("stall")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "few.yaml").write_text(FEW)
    return tmp_path


def provider(url: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "any"}


def scorecard(folder: Path, model: str = MODEL, suite: str = "marking") -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "evaluations" / suite / model / "scorecard.json").read_text())
    return read


def test_E1_the_command_line_names_every_suite() -> None:
    assert {name: kind.says for name, kind in SUITES.items()} == SUMMARIES


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
async def test_E1_an_evaluation_that_was_stopped_goes_on_from_there(folder: Path, how: signal.Signals) -> None:
    first = StallsAfter(replies=6)
    async with running_offline_server(first) as server:
        process = await start_sprout(*MARKING, folder=folder, **provider(server.base_url))
        async with asyncio.timeout(WAIT_S):
            await first.stalled.wait()
            out = await _stop(process, how)
        assert how is signal.SIGKILL or "the same command goes on from here" in out
        port = int(server.base_url.rpartition(":")[2])
    rest = WordCountingGrader()
    async with running_offline_server(rest, port=port) as server:
        ran = await run_sprout(*MARKING, folder=folder, **provider(server.base_url))
    assert ran.code == 0, ran.err
    found = scorecard(folder)
    assert found["calls"]["fromDisk"] >= 1
    assert rest.requests == found["calls"]["count"] - found["calls"]["fromDisk"] < found["calls"]["count"]
    assert len(found["items"]) == 5
    assert "Written to evaluations/marking" in ran.out


async def _stop(process: Process, how: signal.Signals) -> str:
    process.send_signal(how)
    out, _ = await process.communicate()
    return out.decode()


async def test_E1_a_budget_that_is_spent_ends_with_one_sentence_and_loses_nothing(folder: Path) -> None:
    async with running_offline_server(WordCountingGrader()) as server:
        stopped = await run_sprout(*MARKING, "--budget", "0.001", folder=folder, **provider(server.base_url))
        whole = await run_sprout(*MARKING, "--budget", "5", folder=folder, **provider(server.base_url))
    assert (stopped.code, whole.code) == (1, 0)
    assert "budget of $0.001" in stopped.err
    assert "the same command goes on from here" in stopped.err
    assert scorecard(folder)["calls"]["spentUsd"] < 5


async def test_E1_two_scorecards_are_compared(folder: Path) -> None:
    async with running_offline_server(WordCountingGrader()) as server:
        one = await run_sprout(*MARKING, folder=folder, **provider(server.base_url))
    other = await run_sprout("eval", "marking", "--model", "offline", "--data", "few.yaml", folder=folder)
    assert (one.code, other.code) == (0, 0), one.err + other.err
    places = [str(Path("evaluations") / "marking" / name) for name in ("sprout-offline", MODEL)]
    compared = await run_sprout("eval", "compare", *places, folder=folder)
    assert compared.code == 0, compared.err
    assert compared.out.startswith(f"# marking: sprout-offline → {MODEL}")
    assert "| marked  | 0.000 |" in compared.out
    assert len(scorecard(folder)["prompts"]["grading/grading"]["sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("eval", "marking", "--model", MODEL), "No provider is configured"),
        (("eval", "placement", "--model", MODEL), "calls no model"),
        (("eval", "marking", "--model", "offline", "--judge", MODEL), "needs no judge"),
        (("eval", "dialogue", "--model", "offline"), "give --judge NAME"),
        (("eval", "dialogue", "--model", "offline", "--judge", MODEL), "cannot judge beside the offline model"),
        (("eval", "placement", "--data", "few.yaml"), "takes no data"),
        (("eval", "marking", "--model", "offline", "--data", "none.csv"), "cannot be read"),
        (("eval", "compare", "few.yaml", "few.yaml"), "no scorecard"),
        (("eval", "mastery", "--budget", "much"), "not an amount"),
        (("eval", "everything"), "invalid choice"),
    ],
)
async def test_E1_a_wrong_request_is_answered_in_one_line(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = await run_sprout(*arguments, folder=folder)
    assert ran.code in (1, 2)
    assert says in ran.err
    assert "Traceback" not in ran.err


async def test_E1_a_budget_needs_a_known_price(folder: Path) -> None:
    arguments = ("eval", "marking", "--model", "some-local-model", "--budget", "1", "--data", "few.yaml")
    ran = await run_sprout(*arguments, folder=folder, **provider("http://127.0.0.1:9"))
    assert ran.code == 1
    assert "No price of some-local-model is known" in ran.err
