"""Agents that go in circles, in the running server: nobody is asked how they should work (D5)."""

from collections.abc import Callable
from pathlib import Path

from harness.journeys.learner import IMMEDIATE
from harness.journeys.sprout_server import COURSE, Row, SproutServer, StoredEvent, start_server, titles
from harness.models.closes_later import ClosesLater
from sprout.offline.demo.conversation import Conversation, read_conversation
from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, ToolOut

FIRST = ToolOut("save_concept", {"title": "Chance", "desc": "The learner can say how likely something is. No more."})
LOOK = ToolOut("get_saved_parts", {})


class CirclingModel:
    """The built-in model, whose agent that has `tool` makes one reply over and over again.

    Args:
        replies: how many replies it makes as it should before that.
        again: the call that it repeats.
    """

    def __init__(self, tool: str, replies: int, again: Callable[[Conversation], ToolOut]) -> None:
        self._demo, self._closes_later = demo_model(), ClosesLater()
        self._tool = tool
        self._replies = replies
        self._again = again

    def answer(self, body: Body) -> Reply:
        conversation = read_conversation(body)
        if self._tool not in conversation.tools:
            return self._demo.answer(body)
        if conversation.turns < self._replies:
            return self._closes_later.answer(body)
        return Reply([self._again(conversation)])


def last_save(conversation: Conversation) -> ToolOut:
    call = next(call for call in reversed(conversation.calls) if call.name.startswith("save_"))
    return ToolOut(call.name, call.input)


async def ended(grown: SproutServer, *, small: bool = True) -> tuple[Row, list[StoredEvent]]:
    """The run of a path that was begun, at its end, and its events; nobody was asked anything."""
    run_id = await grown.start_path(COURSE, small=small)
    events = await grown.events_of(run_id)
    assert "run_waiting" not in [event.kind for event in events]
    found: Row = await grown.get(f"/runs/{run_id}")
    return found, events


def last_words(events: list[StoredEvent], kind: str) -> list[Row]:
    """The closing events of that kind of the runs that worked out concepts."""
    return [
        event.data for event in events if event.kind == kind and event.data["agent"].startswith("subconcept_bootstrap")
    ]


async def test_D5_a_path_whose_agent_circles_after_its_work_is_complete_with_a_note(
    tmp_path: Path, topology_url: str
) -> None:
    model = CirclingModel("save_concept", 1, last_save)
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE, offline_model=model) as grown:
        run, _ = await ended(grown)
        graph = await grown.graph()
    assert (run["state"], run["reason"]) == ("completed", "stuck")
    assert run["ending"].startswith("The run was going in circles. What it saved is kept.")
    assert titles(graph, "concept")
    assert titles(graph, "subconcept")


async def test_D5_a_path_whose_agent_circles_before_anything_is_usable_has_failed_and_can_be_tried_again(
    tmp_path: Path, topology_url: str
) -> None:
    look = ToolOut("save_concept_edge", {"source_title": "A", "target_title": "B", "why": "A comes first."})
    model = CirclingModel("save_concept", 0, lambda _: look)
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE, offline_model=model) as grown:
        run, _ = await ended(grown)
    assert (run["state"], run["reason"], run["error"]["retryable"]) == ("failed", "no_progress", True)
    assert "Start it again" in run["ending"]


async def test_D5_a_path_with_too_few_concepts_keeps_what_it_has_and_can_be_tried_again(
    tmp_path: Path, topology_url: str
) -> None:
    model = CirclingModel("save_concept", 0, lambda _: FIRST)
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE, offline_model=model) as grown:
        run, _ = await ended(grown, small=False)
        graph = await grown.graph()
    assert (run["state"], run["error"]["retryable"]) == ("failed", True)
    assert titles(graph, "concept") == ["Chance"]


async def test_D5_a_concept_whose_agent_circles_holds_nothing_up(tmp_path: Path, topology_url: str) -> None:
    model = CirclingModel("save_subconcept", 0, lambda _: LOOK)
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE, offline_model=model) as grown:
        run, events = await ended(grown)
    assert run["state"] == "completed"
    failed = last_words(events, "agent_error")
    assert {(one["code"], one["retryable"]) for one in failed} == {("no_progress", True)}


async def test_D5_a_concept_whose_agent_circles_after_its_work_is_usable(tmp_path: Path, topology_url: str) -> None:
    model = CirclingModel("save_subconcept", 1, last_save)
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE, offline_model=model) as grown:
        run, events = await ended(grown)
        graph = await grown.graph()
    assert run["state"] == "completed"
    assert {one["reason"] for one in last_words(events, "agent_done")} == {"stuck"}
    assert titles(graph, "subconcept")
