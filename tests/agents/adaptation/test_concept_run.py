"""Opening a concept: what its stream tells, in which order, and what is made on the way (contract §2.3)."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.faults.scenarios import parse_fault
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.offline.script import Scripted
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from tests.agents.classroom import ME, PARTS, Classroom, Event, Later, a_number, adding, classroom, of_kind


def places(events: list[Event], kind: str) -> list[int]:
    return [at for at, event in enumerate(events) if event.kind == kind]


async def answered(room: Classroom) -> None:
    await room.draw_map()
    await room.ask(*(a_number(f"Number {n}?", PARTS[n]) for n in range(4)))
    for n in range(4):
        await room.answer(f"Number {n}?", text="12")


async def test_defect_5_a_concept_that_has_nothing_is_made_and_the_stream_goes_on_to_the_end(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        events = await room.opened()
        nodes, edges = await room.whole()
        status = await room.web.get(f"/api/agents/concepts/{room.concept.id}/diagnostic", params=ME)
    assert 8 <= len(nodes) <= 12
    assert len(of_kind(events, "node_created")) == len(nodes)
    assert len(of_kind(events, "edge_created")) == len(edges)
    done = [event.data["agent"] for event in events if event.kind == "agent_done"]
    assert done == [f"subconcept_bootstrap:{room.concept.title}", "concept_refinement"]
    assert [event.kind for event in events[-2:]] == ["agent_done", "run_done"]
    assert events[-1].data["status"] == "completed"
    (diagnostic,) = of_kind(events, "diagnostic_status")
    assert diagnostic["requiredAnswers"] == len(status.json()["questions"]) > 0
    assert diagnostic["assessment"] == status.json()["assessment"]


async def test_the_order_is_the_agent_then_status_then_the_map_as_it_is_then_its_work_and_its_end(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        await answered(room)
        events = await room.opened()
    kinds = [event.kind for event in events]
    assert kinds[:3] == ["run_started", "agent_start", "diagnostic_status"]
    assert (events[2].data["answeredCount"], events[2].data["requiredAnswers"]) == (4, 4)
    nodes, edges = places(events, "node_created"), places(events, "edge_created")
    assert len(places(events, "agent_start")) == 1
    assert len(nodes) == len(PARTS)
    assert 2 < nodes[0] <= nodes[-1] < edges[0] <= edges[-1] < places(events, "tool_call")[0]
    assert kinds[-2:] == ["agent_done", "run_done"]
    assert {event.data["agent"] for event in events} == {"concept_refinement"}
    assert of_kind(events, "run_started")[0]["lane"].startswith("concept:")


async def test_defect_31_small_is_honoured(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        await room.opened(small=True)
        assert 2 <= len(await room.titles()) <= 3


async def test_defect_4_parts_that_were_left_half_made_are_finished(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        await room.edit(adding("Only this"))
        await room.opened()
        titles = await room.titles()
    assert titles[0] == "Only this"
    assert len(titles) >= 8


async def test_a_concept_about_which_nothing_is_asked_is_finished_when_it_is_opened_again(
    database: Database, data_dir: Path
) -> None:
    parts = [ToolOut("save_subconcept", {"title": title, "desc": "It is."}) for title in PARTS]
    fields = {"format": "numeric", "correct_answer": "3", "difficulty": 2, "tests": [PARTS[0]]}
    asking = ToolOut("save_diagnostic_question", {"prompt": "How many?", **fields})
    closing = Reply([TextOut("That is all.")])
    model = Scripted([Reply([*parts]), *[closing] * 3, Reply([asking]), *[closing] * 3])
    async with classroom(database, data_dir, model) as room:
        await room.opened()
        before = await room.web.get("/api/assessments", params=ME)
        await room.opened()
        after = await room.web.get(f"/api/agents/concepts/{room.concept.id}/diagnostic", params=ME)
    assert before.json() == []
    assert [question["prompt"] for question in after.json()["questions"]] == ["How many?"]


async def test_a_bootstrap_that_fails_fails_the_run_and_says_what_to_do(database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir, Scripted(then=Reply([TextOut("I would rather not.")]))) as room:
        events = await room.opened()
    assert events[-1].data["status"] == "failed"
    assert "could not be created. Try again" in of_kind(events, "agent_error")[-1]["message"]


async def test_defect_23_a_topic_that_is_opened_again_shows_every_edge_of_its_subconcepts(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        await room.draw_map()
        concepts, between = await room.repositories.children(room.root.id)
        for concept in concepts:
            await room.repositories.mark_generated(concept.id, user_id=DEFAULT_USER_ID)
        await room.repositories.mark_generated(room.root.id, user_id=DEFAULT_USER_ID)
        events = await room.streamed(f"/api/agents/topics/{room.root.id}/run")
        _, within = await room.whole()
        assert room.requests == []
    edges = [(one["edge"]["sourceNodeId"], one["edge"]["targetNodeId"]) for one in of_kind(events, "edge_created")]
    assert edges == [(edge.source_node_id, edge.target_node_id) for edge in (*between, *within)]
    known: set[str] = set()
    for event in events:
        if event.kind == "node_created":
            known.add(event.data["node"]["id"])
        elif event.kind == "edge_created":
            assert {event.data["edge"]["sourceNodeId"], event.data["edge"]["targetNodeId"]} <= known


async def test_R4_a_concept_that_its_topic_is_making_is_joined_not_made_twice(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        topic = await room.web.post(f"/api/agents/topics/{room.root.id}/run", params={"wait": "false"}, json=ME)
        events = await room.opened()
        async for _ in room.runs.follow(topic.json()["id"]):
            pass
        await room.runs.wait_until_released(topic.json()["id"])
        titles = await room.titles()
        again = await room.opened()
    assert len(titles) == len(set(titles))
    assert events[-1].data["status"] == "completed"
    assert len(of_kind(again, "node_created")) == len(titles)


@pytest.mark.parametrize("which", ["root", "part", "nothing"])
async def test_only_a_concept_is_opened_like_this(which: str, database: Database, data_dir: Path) -> None:
    async with classroom(database, data_dir) as room:
        await room.draw_map()
        part = (await room.whole())[0][0]
        node_id = {"root": room.root.id, "part": part.id, "nothing": "no-such"}[which]
        answer = await room.web.post(f"/api/agents/concepts/{node_id}/run", json=ME)
        assert await room.runs.runs(user_id=DEFAULT_USER_ID) == []
    assert answer.status_code == (404 if which == "nothing" else 400)


async def until(room: Classroom, run_id: str, kind: str, *, times: int) -> None:
    """Come back when so many events of the kind have been told."""
    async with asyncio.timeout(20), aclosing(room.runs.follow(run_id)) as batches:
        async for batch in batches:
            times -= sum(one.kind == kind for one in batch)
            if times <= 0:
                return


async def test_K4_cut_off_after_a_change_it_goes_on_from_there_and_the_change_is_there_once(
    database: Database, data_dir: Path
) -> None:
    model = Later()
    async with classroom(database, data_dir / "before", model) as room:
        await room.draw_map()
        await room.ask(*(a_number(f"Number {n}?", PARTS[n]) for n in range(4)))
        ids = [await room.answer(f"Number {n}?", text="7") for n in range(4)]
        fields = {
            "title": "A bridge",
            "desc": "Steps.",
            "reason": "Added because.",
            "evidence": ids[2:],
            "depends_on": [PARTS[2]],
            "unlocks": [PARTS[4]],
        }
        observing = [ToolOut("grade_student_answers", {}), ToolOut("get_current_subconcepts", {})]
        change = [ToolOut("add_subconcept", fields), ToolOut("validate_graph", {})]
        model.write(Reply([*observing]), Reply([*change]), parse_fault("stall"))
        run_id = await room.admitted()
        await until(room, run_id, "tool_result", times=4)
        concept = room.concept
    async with classroom(database, data_dir / "after", Scripted(then=Reply([TextOut("A bridge is there.")]))) as room:
        async for _ in room.runs.follow(run_id):
            pass
        run = await room.runs.wait_until_released(run_id)
        events = [
            one for one in await room.store.events(run_id, limit=1_000) if one.kind in ("agent_done", "node_created")
        ]
        assert (run.state, run.epoch) == (RunState.COMPLETED, 2)
        assert await room.titles(concept) == [*PARTS, "A bridge"]
        assert "A bridge is there." in events[-1].data


async def test_K4_a_topic_that_is_only_shown_again_goes_on_without_asking_anybody(
    database: Database, data_dir: Path
) -> None:
    """One of its concepts is still to be worked out when the server stops."""
    parts = [ToolOut("save_subconcept", {"title": title, "desc": "It is."}) for title in PARTS[:3]]
    async with classroom(database, data_dir / "before", Scripted([Reply([*parts]), parse_fault("stall")])) as room:
        await room.draw_map()
        first, _, last = (await room.repositories.children(room.root.id))[0]
        for node in (first, room.root):
            await room.repositories.mark_generated(node.id, user_id=DEFAULT_USER_ID)
        body = {**ME, "small": True}
        sent = await room.web.post(f"/api/agents/topics/{room.root.id}/run", params={"wait": "false"}, json=body)
        await until(room, sent.json()["id"], "tool_result", times=3)
    async with classroom(database, data_dir / "after") as room:
        async for _ in room.runs.follow(sent.json()["id"]):
            pass
        run = await room.runs.wait_until_released(sent.json()["id"])
        assert len(await room.titles(last)) >= 3
    assert (run.state, run.epoch) == (RunState.COMPLETED, 2)


async def test_K4_cut_off_while_its_parts_are_made_it_goes_on_without_asking_anybody(
    database: Database, data_dir: Path
) -> None:
    parts = [ToolOut("save_subconcept", {"title": title, "desc": "It is."}) for title in PARTS]
    async with classroom(database, data_dir / "before", Scripted([Reply([*parts]), parse_fault("stall")])) as room:
        run_id = await room.admitted(small=True)
        await until(room, run_id, "tool_result", times=len(parts))
        concept = room.concept
    async with classroom(database, data_dir / "after") as room:
        async for _ in room.runs.follow(run_id):
            pass
        run = await room.runs.wait_until_released(run_id)
        titles = await room.titles(concept)
    assert run.state is RunState.COMPLETED
    assert len(titles) == len(set(titles)) >= 3


async def test_defect_7_a_missing_diagnostic_is_made_by_the_run_that_opens_the_concept_and_comes_whole(
    database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        address = f"/api/agents/concepts/{room.concept.id}/diagnostic"
        found, again, events = await asyncio.gather(
            room.web.get(address, params=ME), room.web.get(address, params=ME), room.opened()
        )
        runs = (await room.web.get("/api/runs", params={"agent": "refinement"})).json()
    assert (found.status_code, again.json()) == (200, found.json())
    assert found.json()["requiredAnswers"] == len(found.json()["questions"]) >= 5
    assert len(runs) == 1, "one run for all who asked"
    assert of_kind(events, "diagnostic_status")[0]["requiredAnswers"] == found.json()["requiredAnswers"]


@pytest.mark.parametrize("count", [1, 2])
async def test_a_diagnostic_of_one_or_two_questions_adapts_the_path_too(
    database: Database, data_dir: Path, count: int
) -> None:
    async with classroom(database, data_dir) as room:
        await room.draw_map()
        await room.ask(*(a_number(f"Number {n}?", PARTS[n]) for n in range(count)))
        for n in range(count - 1):
            await room.answer(f"Number {n}?", text="12")
        before = of_kind(await room.opened(), "tool_call")
        await room.answer(f"Number {count - 1}?", text="12")
        after = of_kind(await room.opened(), "tool_call")
    assert (before, bool(after)) == ([], True)


async def test_defect_34_deleting_a_path_stops_its_run_which_asks_no_model_any_more(
    database: Database, data_dir: Path
) -> None:
    model = Scripted([parse_fault("stall")])
    async with classroom(database, data_dir, model) as room:
        path, concept = room.concept.branch_id, room.concept.id
        run = (await room.web.post(f"/api/agents/concepts/{concept}/run?wait=false", json=ME)).json()
        async with asyncio.timeout(30):
            while not room.requests:
                await asyncio.sleep(0.01)
        deleted = await room.web.delete(f"/api/branches/{path}")
        again = await room.web.delete(f"/api/branches/{path}")
        gone = await room.web.get(f"/api/runs/{run['id']}")
        asked = len(room.requests)
    assert (deleted.status_code, again.status_code, gone.status_code, asked) == (204, 404, 404, 1)
    assert len(room.requests) == 1
