"""Every event of a run in the words of AG-UI, and what a client has of it in the end (open.md O4)."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from ag_ui.core import RunAgentInput

from harness.builders import a_run
from harness.clients.ag_ui_client import AgUiClient
from scripts.api_reference.sample_events import RUN, sample_events
from sprout import events
from sprout.events import Event, NodeRow, Usage
from sprout.learning.paths.repository import BranchRow, PathGraph
from sprout.web.ag_ui.translation import Translation

CHILD = "child"
KINDS = {kind.model_fields["kind"].default for kind in get_args(get_args(Event)[0])}
HELLO = {"id": "q", "role": "user", "content": "Light"}
DONE = events.RunDone(status="completed", reason="end_turn", usage=Usage(input_tokens=1, cache_read_tokens=2))


def a_node(id: str, title: str = "Mirrors") -> NodeRow:
    at = "2026-11-22T09:00:00.000Z"
    return NodeRow(
        id=id, user_id="me", type="concept", branch_id="b", parent_id="r", title=title, desc=None, created_at=at,
        updated_at=at,
    )  # fmt: skip


def a_path(*nodes: str) -> PathGraph:
    branch = BranchRow.model_construct(id="b", user_id="me", title="Light", created_at="", updated_at="")
    details = [{**a_node(one).model_dump(), "reason": "because"} for one in nodes]
    return PathGraph.model_validate({"branch": branch.model_dump(), "nodes": details, "edges": [], "progress": []})


def a_translation(known: list[dict[str, Any]] | None = None, graph: PathGraph | None = None) -> Translation:
    request = RunAgentInput.model_validate({"threadId": "t", "runId": "mine", "messages": [HELLO, *(known or [])]})
    run = replace(a_run(a_node("r")), id=RUN, root_id=RUN, last_seq=0)
    return Translation(request, run, graph)


def wire(sent: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(one.model_dump_json(by_alias=True)) for one in sent]


def play(translation: Translation, *happened: Event, client: AgUiClient | None = None) -> AgUiClient:
    """What a client has after these events, which are numbered as a log numbers them."""
    client = client or AgUiClient([HELLO])
    client.receive(wire(translation.begin()))
    for seq, event in enumerate(happened, 1):
        stamped = event if event.run_id else event.model_copy(update={"run_id": RUN})
        client.receive(wire(translation.translate(stamped, seq if event.durable else None)))
    return client


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_O4_an_event_of_every_kind_keeps_to_the_protocol(kind: str) -> None:
    samples: dict[str, Event] = {one.kind: one for one in sample_events()}
    event, translation = samples[kind], a_translation(graph=a_path())
    client = AgUiClient([HELLO]).receive(wire(translation.begin()))
    if isinstance(event, events.EdgeRemoved | events.NodeRemoved):
        for before in (samples["node_created"], samples["edge_created"]):
            client.receive(wire(translation.translate(before, 1)))
    sent = wire(translation.translate(event, 2))
    client.receive(sent)
    if not translation.ended:
        client.receive(wire(translation.translate(DONE, 3)))
    assert client.types[-1] in ("RUN_FINISHED", "RUN_ERROR")
    silent = {"message_reset", "waiting_on_human", "agent_start", "agent_error", "edge_removed", "node_removed"}
    assert sent or kind in silent  # of what was not there before, and of what is told at the end


def test_O4_texts_grow_and_what_is_withdrawn_is_gone() -> None:
    client = play(
        a_translation(),
        events.ThinkingDelta(block_id="t", text="Hm."),
        events.ThinkingBlock(block_id="t", text="Hm."),
        events.MessageDelta(block_id="a", text="Wro"),
        events.MessageDelta(block_id="a", text="ng"),
        events.MessageReset(block_id="a"),
        events.MessageDelta(block_id="b", text="Ri"),
        events.BlockSnapshot(of="message_delta", block_id="b", text="Right"),
        events.MessageBlock(block_id="b", text="Right."),
        DONE,
    )
    assert client.texts() == ["Right."]
    assert client.texts("reasoning") == ["Hm."]
    assert client.types.count("MESSAGES_SNAPSHOT") == 1
    assert client.messages["q"] == HELLO


def test_O4_a_text_in_flight_is_void_where_its_run_is_taken_up_again() -> None:
    client = play(
        a_translation(),
        events.MessageDelta(block_id="a", text="Half a sen"),
        events.ReasoningDelta(block_id="r", text="of the chi", run_id=CHILD),
        events.RunResumed(attempt=1, cause="cut_off"),
        events.MessageDelta(block_id="a", text="All of it."),
        events.MessageBlock(block_id="a", text="All of it."),
        events.ReasoningBlock(block_id="r", text="of the child", run_id=CHILD),
        DONE,
    )
    assert (client.texts(), client.texts("reasoning")) == (["All of it."], ["of the child"])
    assert client.messages["r"]["subagentRunId"] == CHILD


def test_O4_a_client_that_has_a_part_is_sent_the_rest() -> None:
    happened: list[Event] = [
        events.ReasoningBlock(block_id="r", text="I know this."),
        events.ToolCalled(call_id="c", tool="save_concept", input={"title": "Mirrors"}),
        events.ToolFinished(call_id="c", tool="save_concept", summary="saved", ok=True, duration_ms=1, attempts=1),
        events.MessageBlock(block_id="a", text="Here is your path."),
        events.CheckpointQuestion(question_id="k", prompt="Why?", type="mcq", options=["So", "Not so"]),
    ]
    whole = play(a_translation(), *happened, DONE)
    half = play(a_translation(), *happened[:3], events.BlockSnapshot(of="message_delta", block_id="a", text="Here"))
    known = [one for one in half.messages.values() if one["id"] != "q"]
    resumed = play(a_translation(known), *happened, DONE, client=AgUiClient([HELLO, *known]))
    assert resumed.messages == whole.messages
    assert resumed.texts() == ["Here is your path.", "Why?\n\nA. So\nB. Not so"]
    assert not {"TOOL_CALL_START", "TOOL_CALL_RESULT", "REASONING_START", "MESSAGES_SNAPSHOT"} & {*resumed.types}


def test_O4_the_graph_is_a_snapshot_and_its_changes() -> None:
    translation = a_translation(graph=a_path("old", "a/b~c"))
    client = play(
        translation,
        events.NodeCreated(node=a_node("new")),
        events.NodeUpdated(node=a_node("old", title="Lenses")),
        events.EdgeCreated(edge=events.EdgeEnds(source_node_id="a/b~c", target_node_id="new")),
        events.EdgeCreated(edge=events.EdgeEnds(source_node_id="old", target_node_id="new")),
        events.NodeRemoved(node_id="a/b~c"),
        events.NodeRemoved(node_id="never there"),
        DONE,
    )
    assert {key: node["title"] for key, node in client.state["nodes"].items()} == {"old": "Lenses", "new": "Mirrors"}
    assert [*client.state["edges"]] == ["old new"]
    assert client.state["branch"]["title"] == "Light"


def test_O4_what_the_snapshot_has_already_is_not_changed_back() -> None:
    request = RunAgentInput.model_validate({"threadId": "t", "runId": "mine", "messages": []})
    run = replace(a_run(a_node("r")), id=RUN, root_id=RUN, last_seq=2)
    client = play(
        Translation(request, run, a_path("new")),
        events.NodeCreated(node=a_node("gone since")),
        events.NodeRemoved(node_id="gone since"),
        events.NodeCreated(node=a_node("later")),
        DONE,
    )
    assert [*client.state["nodes"]] == ["new", "later"]
    assert client.types.count("STATE_DELTA") == 1


def test_O4_helpers_are_subagents_and_none_is_left_open() -> None:
    start, error = events.AgentStart(agent="subconcept:light"), sample("agent_error")
    done = events.AgentDone(reason="end_turn", usage=Usage(), run_id="two")
    client = play(
        a_translation(),
        events.AgentStart(),
        *(start.model_copy(update={"run_id": child}) for child in ("one", "two", "two", "three")),
        error.model_copy(update={"run_id": "one"}),
        done,
        events.AgentStart(run_id="two"),
        DONE,
    )
    assert client.types.count("SUBAGENT_STARTED") == 3
    assert (client.types.count("SUBAGENT_ERROR"), client.types.count("SUBAGENT_FINISHED")) == (1, 2)


def sample(kind: str) -> Event:
    return next(one for one in sample_events() if one.kind == kind)


@pytest.mark.parametrize(
    ("ending", "last"),
    [
        ([DONE], ("RUN_FINISHED", "success")),
        ([DONE.model_copy(update={"status": "cancelled"})], ("RUN_FINISHED", "cancelled")),
        ([sample("agent_error"), DONE.model_copy(update={"status": "failed"})], ("RUN_ERROR", "")),
        ([sample("waiting_on_human"), sample("run_waiting"), DONE], ("RUN_FINISHED", "interrupt")),
        ([events.Reconnect(retry_ms=1)], ("RUN_ERROR", "")),
    ],
)
def test_O4_every_end_is_one_event_after_which_nothing_comes(ending: list[Event], last: tuple[str, str]) -> None:
    translation, open_text = a_translation(), events.MessageDelta(block_id="a", text="in the mid")
    sent = [one for event in (open_text, *ending, DONE) for one in wire(translation.translate(event))]
    AgUiClient().receive([*wire(translation.begin()), *sent])
    assert (sent[-1]["type"], sent[-1].get("outcome", {}).get("type", "")) == last
    assert sent[-2]["type"] == "TEXT_MESSAGE_END"
    if last == ("RUN_ERROR", ""):
        assert sent[-1]["code"] in ("reconnect", sample("agent_error").model_dump()["code"])
    if last == ("RUN_FINISHED", "success"):
        assert sent[-1]["usage"][0] | {"model": ""} == {
            "model": "", "inputTokens": 3, "outputTokens": 0, "totalTokens": 3, "cachedInputTokens": 2,
            "cacheWriteInputTokens": 0,
        }  # fmt: skip
