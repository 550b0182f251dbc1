"""Everything that can be asked about runs, over real HTTP (runs.md R3, R5, X1, W1, F1; traps 58, 65, 66, 70)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from harness.builders import a_question, a_run, a_topic, end_run
from harness.servers.web import Web, a_static_folder, serving_web
from sprout.clock import utc_now
from sprout.events import ReachedLimit
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.questions import CONTINUE_ANYWAY, START_AGAIN, STOP, RunQuestion, changed_question, in_doubt_question
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, Entry, OnBusy, WorkerLease
from sprout.runs.state import Run, RunError, RunState
from sprout.runs.turn_end import TurnEnd
from tests import topologies

ME = {"userId": DEFAULT_USER_ID}
NO_WAIT = {"wait": "false"}
ELSEWHERE = WorkerLease("a worker that is gone", lease_s=0.0)
ROW = {
    *("id", "agent", "label", "state", "reason", "lane", "nodeId", "branchId", "parentId", "rootId", "model"),
    *("offline", "small", "usage", "caps", "error", "createdAt", "startedAt", "endedAt", "lastEventId", "position"),
    *("question", "offers", "resumes", "cutOff", "discarded", "reachedLimit"),
}


def address(node_id: str) -> str:
    return f"/api/agents/topics/{node_id}/run"


async def a_topic_id(web: Web) -> str:
    return (await web.a_topic(f"Topic {utc_now().timestamp()}"))[1].id


async def cut_off_run(web: Web) -> Run:
    """A running run whose worker is gone, and which nobody has looked for yet."""
    _, root = await web.a_topic(f"Topic {utc_now().timestamp()}")
    return (await web.store.admit(a_run(root), lease=ELSEWHERE)).run


async def waiting_run(web: Web, question: RunQuestion | None = None) -> Run:
    return await web.store.pause(await cut_off_run(web), question or a_question(), [])


async def ended_run(web: Web, state: RunState) -> Run:
    run = await cut_off_run(web)
    return await end_run(web.store, run, state)


async def release(web: Web, *run_ids: str) -> None:
    """Let the agents of these runs go, and wait until the runs have ended."""
    for run_id in run_ids:
        web.agent.finish(run_id)
    for run_id in run_ids:
        async for _ in web.live.follow(run_id):
            pass
        await web.live.wait_until_released(run_id)


async def posted(web: Web, node_id: str, on_busy: str, **headers: str) -> Any:
    return await web.client.post(
        address(node_id),
        json=ME,
        params={**NO_WAIT, "onBusy": on_busy},
        headers={k.replace("_", "-"): v for k, v in headers.items()},
    )


async def test_R3_onBusy_attach_gives_the_run_that_is_going(web: Web) -> None:
    node_id = await a_topic_id(web)
    first = await web.client.post(address(node_id), json=ME, params=NO_WAIT)
    second = await posted(web, node_id, "attach")
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json()["id"] == second.json()["id"] == second.headers["x-run-id"]
    assert first.headers["location"] == f"/api/runs/{first.json()['id']}"
    await release(web, first.json()["id"])


async def test_R3_B6_onBusy_enqueue_says_how_many_come_before_and_says_it_again_when_that_changes(web: Web) -> None:
    node_id = await a_topic_id(web)
    rows = [(await posted(web, node_id, "enqueue")).json() for _ in range(4)]
    assert [row["position"] for row in rows] == [0, 1, 2, 3]
    assert [row["state"] for row in rows[1:]] == ["queued"] * 3
    assert rows[1]["offers"] == ["cancel"]
    cancelled = await web.client.post(f"/api/runs/{rows[1]['id']}/cancel")
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    shown = (await web.client.get(f"/api/runs/{rows[3]['id']}")).json()
    assert shown["position"] == 2
    positions = [event["data"]["position"] for event in shown["lastEvents"] if event["kind"] == "run_queued"]
    assert positions == [3, 2]
    await release(web, rows[0]["id"], rows[2]["id"], rows[3]["id"])
    log = await web.store.events(rows[3]["id"])
    assert [json.loads(one.data)["position"] for one in log if one.kind == "run_queued"] == [3, 2, 1, 0]


async def test_R3_onBusy_reject_names_the_active_run(web: Web) -> None:
    node_id = await a_topic_id(web)
    first = await posted(web, node_id, "reject")
    refused = await posted(web, node_id, "reject")
    assert (first.status_code, refused.status_code) == (202, 409)
    assert refused.json()["activeRunId"] == first.json()["id"]
    assert first.json()["id"] in refused.json()["error"]
    await release(web, first.json()["id"])


async def test_R3_onBusy_interrupt_stops_the_active_run(web: Web) -> None:
    node_id = await a_topic_id(web)
    first = (await posted(web, node_id, "interrupt")).json()
    second = await posted(web, node_id, "interrupt")
    assert second.status_code == 202
    stopped = await web.store.run(first["id"], user_id=DEFAULT_USER_ID)
    assert stopped.cancel_requested
    await web.live.cancel(stopped.id, user_id=DEFAULT_USER_ID)  # one of several processes hears of it a moment later
    await release(web, first["id"], second.json()["id"])
    states = [(await web.client.get(f"/api/runs/{one}")).json()["state"] for one in (first["id"], second.json()["id"])]
    assert states == ["cancelled", "completed"]


@pytest.mark.parametrize(
    ("params", "status"), [({"onBusy": "shout"}, 422), ({"onBusy": ""}, 422), ({"wait": "perhaps"}, 422)]
)
async def test_a_run_that_is_asked_for_in_no_known_way_is_refused(
    web: Web, params: dict[str, str], status: int
) -> None:
    answer = await web.client.post(address(await a_topic_id(web)), json=ME, params=params)
    assert answer.status_code == status
    assert next(iter(params)) in answer.json()["error"]


async def test_R5_trap_65_a_hundred_posts_with_one_key_make_one_run(web: Web) -> None:
    node_id = await a_topic_id(web)
    key = f"key-{node_id}"
    answers = await asyncio.gather(*(posted(web, node_id, "enqueue", Idempotency_Key=key) for _ in range(100)))
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 99 + [202]
    assert sum(answer.headers.get("idempotent-replay") == "true" for answer in answers) == 99
    run_id = answers[0].json()["id"]
    await release(web, run_id)
    late = await posted(web, node_id, "enqueue", Idempotency_Key=key)
    assert (late.status_code, late.json()["id"], late.json()["state"]) == (200, run_id, "completed")


async def test_R5_the_same_key_with_another_request_is_refused(web: Web) -> None:
    node_id, other_id = await a_topic_id(web), await a_topic_id(web)
    key = {"Idempotency-Key": f"key-{node_id}"}
    first = await web.client.post(address(node_id), json=ME, params=NO_WAIT, headers=key)
    others = [
        await web.client.post(address(node_id), json={**ME, "small": True}, params=NO_WAIT, headers=key),
        await web.client.post(address(other_id), json=ME, params=NO_WAIT, headers=key),
        await web.client.post(address(node_id), json=ME, params={**NO_WAIT, "onBusy": "enqueue"}, headers=key),
    ]
    assert [answer.status_code for answer in others] == [422] * 3
    assert all("Idempotency-Key" in answer.json()["error"] for answer in others)
    assert [
        run.id for run in await web.store.unfinished_roots(DEFAULT_USER_ID) if run.node_id in (node_id, other_id)
    ] == [first.json()["id"]]
    await release(web, first.json()["id"])


async def test_R5_a_key_is_for_the_stream_too(web: Web) -> None:
    node_id = await a_topic_id(web)
    key = {"Idempotency-Key": f"key-{node_id}"}
    first = await web.client.post(address(node_id), json=ME, params=NO_WAIT, headers=key)
    await release(web, first.json()["id"])
    again = await web.client.post(address(node_id), json=ME, headers=key)
    assert again.headers["x-run-id"] == first.json()["id"]
    assert again.headers["idempotent-replay"] == "true"
    assert again.text.count("event: run_done") == 1


@pytest.mark.parametrize("key", ["", "a b", "a\tb", "x" * 201])
async def test_R5_a_key_that_cannot_be_one_is_refused(web: Web, key: str) -> None:
    answer = await web.client.post(
        address(await a_topic_id(web)), json=ME, params=NO_WAIT, headers={"Idempotency-Key": key}
    )
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json()["error"]


async def test_runs_are_listed_newest_first_by_page_with_a_link_to_the_next(own_web: Web) -> None:
    node_id = await a_topic_id(own_web)
    ids = [(await posted(own_web, node_id, "enqueue")).json()["id"] for _ in range(7)]
    pages, url = [], "/api/runs?limit=3&state=queued,running"
    while url:
        answer = await own_web.client.get(url)
        pages.append([row["id"] for row in answer.json()])
        url = answer.headers.get("link", "").removeprefix("<").removesuffix('>; rel="next"')
    assert pages == [ids[:3:-1], ids[3:0:-1], ids[:1]]
    await release(own_web, *ids)


async def test_the_list_of_runs_is_filtered(own_web: Web) -> None:
    failed = await ended_run(own_web, RunState.FAILED)
    going = await cut_off_run(own_web)
    stranger = (await own_web.store.admit(a_run(await a_topic(own_web.paths, user_id="someone-else")))).run
    listed = {
        "state=failed": [failed.id],
        "state=failed,completed": [failed.id],
        "state=failed, running": [going.id, failed.id],
        "state=": [going.id, failed.id],
        "agent=topic": [going.id, failed.id],
        "agent=tutor": [],
        f"branchId={going.branch_id}": [going.id],
        f"branchId={going.branch_id}&state=failed": [],
        f"before={going.id}": [failed.id],
        f"before={failed.id}": [],
        f"before={stranger.id}": [],
        "before=no-such-run": [],
        "limit=0": [going.id],
        "limit=999": [going.id, failed.id],
    }
    for query, expected in listed.items():
        answer = await own_web.client.get(f"/api/runs?{query}")
        assert (query, [row["id"] for row in answer.json()]) == (query, expected)


@pytest.mark.parametrize(
    "query", ["state=asleep", "state=failed,asleep", "limit=ten", "limit=-1", "limit=1000", "before="]
)
async def test_a_list_that_cannot_be_made_is_refused_and_the_field_is_named(web: Web, query: str) -> None:
    answer = await web.client.get(f"/api/runs?{query}")
    assert answer.status_code in (400, 422)
    assert query.partition("=")[0] in answer.json()["error"]


async def test_F1_a_run_is_shown_with_all_that_is_needed_to_take_over(web: Web) -> None:
    run = await cut_off_run(web)
    error = RunError("overloaded", "Claude is overloaded: try again later.", retryable=True)
    await web.store.settle(run, RunState.FAILED, reason="overloaded", usage=run.usage, error=error, entries=[])
    shown = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert set(shown) == {*ROW, "ending", "transitions", "journal", "lastEvents"}
    assert set(shown["journal"]) == {"objective", "reached", "next", "codes", "params"}
    assert all(shown["journal"][part] for part in ("objective", "reached", "next"))
    assert [(event["seq"], event["kind"]) for event in shown["lastEvents"]] == [(1, "run_started")]
    assert shown["error"] == {"code": "overloaded", "message": error.message, "params": {}, "retryable": True}
    assert (shown["state"], shown["offers"], shown["cutOff"]) == ("failed", ["retry", "discard"], False)
    listed = (await web.client.get("/api/runs", params={"branchId": run.branch_id})).json()
    assert set(listed[0]) == ROW


async def test_M3_a_run_says_how_it_ended_in_words_with_the_limit_and_its_transitions(web: Web) -> None:
    run, limit = await cut_off_run(web), ReachedLimit(unit="tokens", amount=4_000)
    before = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert (before["ending"], before["reachedLimit"], before["transitions"]) == (None, None, [])
    last = Checkpoint("final", state=TurnEnd(transitions=("next_turn", "budget")).model_dump_json())
    await web.store.settle(
        run,
        RunState.COMPLETED,
        reason="budget",
        usage=run.usage,
        error=None,
        entries=[last],
        reached_limit=limit,
    )
    shown = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert (shown["reason"], shown["reachedLimit"]) == ("budget", {"unit": "tokens", "amount": 4_000})
    assert shown["ending"].startswith("The run spent its budget of 4,000 tokens. What it saved is kept.")
    assert shown["transitions"] == ["next_turn", "budget"]
    assert shown["journal"]["next"] == "Start it again from the beginning.", "nothing was saved"
    assert shown["journal"]["codes"]["next"] == "next_start_over"
    (listed,) = (await web.client.get("/api/runs", params={"branchId": run.branch_id})).json()
    assert listed["reachedLimit"] == shown["reachedLimit"]

    saved = await cut_off_run(web)
    entries: list[Entry] = [CallBegun("c1", "save_concept", "{}", "write"), CallEnded("c1", "saved", False, 1), last]
    await web.store.settle(
        saved,
        RunState.COMPLETED,
        reason="budget",
        usage=saved.usage,
        error=None,
        entries=entries,
        reached_limit=limit,
    )
    journal = (await web.client.get(f"/api/runs/{saved.id}")).json()["journal"]
    assert (journal["codes"]["next"], journal["next"]) == (
        "next_start_again",
        "Start it again: it builds on what was saved.",
    )


async def test_W1_an_answer_has_the_run_go_on_and_counts_once(web: Web) -> None:
    run = await waiting_run(web)
    shown = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert (shown["state"], shown["offers"]) == ("waiting_on_human", ["answer", "discard", "cancel"])
    assert shown["question"] == {
        "kind": "question",
        "question": "Which notation?",
        "choices": ["Leibniz", "Newton"],
        "why": "Two are in use.",
        "tool": None,
        "input": None,
        "since": "2026-11-21T00:00:00.000Z",
    }
    context = a_question("context")
    other = await waiting_run(web, context)
    answers = await asyncio.gather(
        *(web.client.post(f"/api/runs/{other.id}/answer", json={"answer": "Newton"}) for _ in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    row = next(answer.json() for answer in answers if answer.status_code == 200)
    assert (row["id"], row["question"]) == (other.id, None)
    await release(web, other.id)
    late = await web.client.post(f"/api/runs/{other.id}/answer", json={"answer": "Newton"})
    assert late.status_code == 409
    assert (await web.client.get(f"/api/runs/{other.id}")).json()["resumes"] == 1


async def test_W1_the_stream_of_a_client_that_only_starts_a_run_ends_where_it_waits(web: Web) -> None:
    run = await waiting_run(web)
    heard = await web.client.post(address(run.node_id), json=ME)
    frames = [part.split("\n") for part in heard.text.strip().split("\n\n")[1:]]
    kinds = [next(line[7:] for line in frame if line.startswith("event: ")) for frame in frames]
    assert kinds[-3:] == ["waiting_on_human", "run_waiting", "agent_done"]
    asked, done = (json.loads(frame[-1].removeprefix("data: ")) for frame in frames[-2:])
    assert (asked["question"], asked["choices"]) == ("Which notation?", ["Leibniz", "Newton"])
    assert (done["agent"], done["reason"]) == ("topic", "waiting_on_human")
    assert not any(line.startswith("id: ") for frame in frames[-2:] for line in frame), "they are not in the log"


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 400), ({"answer": ""}, 400), ({"answer": None}, 400), ({"answer": 7}, 422), ({"answer": "x" * 20_001}, 400),
     ({"answer": "x", "result": 7}, 422), ({"answer": "a\x00"}, 400), ([], 400)],
)  # fmt: skip
async def test_an_answer_that_is_none_is_refused_and_the_run_waits_on(web: Web, body: object, status: int) -> None:
    run = await waiting_run(web)
    answer = await web.client.post(f"/api/runs/{run.id}/answer", json=body)
    assert answer.status_code == status
    assert (await web.client.get(f"/api/runs/{run.id}")).json()["state"] == "waiting_on_human"


async def test_K6_only_the_choices_will_do_where_a_call_is_in_doubt(web: Web) -> None:
    run = await waiting_run(web, in_doubt_question("post", "c1", {"letter": "a bill"}, utc_now()))
    question = (await web.client.get(f"/api/runs/{run.id}")).json()["question"]
    assert (question["kind"], question["tool"], question["input"]) == ("in_doubt", "post", {"letter": "a bill"})
    other = await web.client.post(f"/api/runs/{run.id}/answer", json={"answer": "Perhaps"})
    assert other.status_code == 400
    assert all(choice in other.json()["error"] for choice in question["choices"])
    stopped = await web.client.post(f"/api/runs/{run.id}/answer", json={"answer": STOP})
    assert (stopped.status_code, stopped.json()["state"]) == (200, "cancelled")


async def test_K5_starting_again_ends_the_run_and_gives_the_new_one(web: Web) -> None:
    question = changed_question(utc_now(), before="a" * 64, after="b" * 64)
    run = await waiting_run(web, question)
    assert question.choices == (START_AGAIN, CONTINUE_ANYWAY, STOP)
    again = await web.client.post(f"/api/runs/{run.id}/answer", json={"answer": START_AGAIN})
    assert again.status_code == 200
    assert again.json()["id"] != run.id
    old = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert (old["state"], old["reason"], old["question"]) == ("cancelled", "started_again", None)
    await release(web, again.json()["id"])


async def test_K4_a_run_that_was_cut_off_is_resumed_once(web: Web) -> None:
    run = await cut_off_run(web)
    shown = (await web.client.get(f"/api/runs/{run.id}")).json()
    assert (shown["cutOff"], shown["offers"]) == (True, ["resume", "discard", "cancel"])
    assert (await web.client.post(f"/api/runs/{run.id}/resume")).status_code == 200
    await release(web, run.id)
    again = await web.client.post(f"/api/runs/{run.id}/resume")
    assert again.status_code == 409
    log = [one.kind for one in await web.store.events(run.id)]
    assert log[:2] == ["run_started", "run_resumed"]
    going = await web.a_run()
    assert (await web.client.post(f"/api/runs/{going.id}/resume")).status_code == 409
    await web.end(going)


async def test_a_retry_makes_a_new_run_or_gives_the_one_that_is_going(web: Web) -> None:
    failed = await ended_run(web, RunState.FAILED)
    first = await web.client.post(f"/api/runs/{failed.id}/retry")
    second = await web.client.post(f"/api/runs/{failed.id}/retry")
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json()["id"] == second.json()["id"] != failed.id
    assert first.headers["location"] == f"/api/runs/{first.json()['id']}"
    row = first.json()
    assert (row["nodeId"], row["agent"], row["small"]) == (failed.node_id, failed.agent, failed.small)
    assert (await web.client.post(f"/api/runs/{row['id']}/retry")).status_code == 409
    await release(web, row["id"])


async def test_a_run_is_discarded_where_it_does_not_go(tmp_path: Path) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path), quiet=True) as web:  # nobody takes up the one cut off
        going = await web.a_run()
        assert (await web.client.post(f"/api/runs/{going.id}/discard")).status_code == 409
        await web.end(going)
        runs = [await ended_run(web, RunState.FAILED), await waiting_run(web), await cut_off_run(web)]
        for run, state in zip(runs, ("failed", "cancelled", "cancelled"), strict=True):
            for _ in range(2):
                answer = await web.client.post(f"/api/runs/{run.id}/discard")
                assert (answer.status_code, answer.json()["state"], answer.json()["discarded"]) == (200, state, True)
            assert answer.json()["offers"] == ["retry"]
            log = [one.kind for one in await web.store.events(run.id)]
            assert log.count("run_done") == 1
        assert (await web.store.run(runs[1].id)).reason == "discarded"


async def test_trap_58_a_cancel_is_answered_with_how_it_stands(web: Web) -> None:
    completed, waiting, cut = await ended_run(web, RunState.COMPLETED), await waiting_run(web), await cut_off_run(web)
    for run, state in ((completed, "completed"), (waiting, "cancelled"), (cut, "cancelled")):
        for _ in range(2):
            answer = await web.client.post(f"/api/runs/{run.id}/cancel")
            assert (answer.status_code, answer.json()["state"]) == (200, state)


@pytest.mark.parametrize("what", ["", "/events", "/cancel", "/answer", "/resume", "/retry", "/discard"])
async def test_a_run_of_another_learner_is_as_unknown_as_one_that_is_not_there(web: Web, what: str) -> None:
    theirs = await a_topic(web.paths, f"Theirs {utc_now().timestamp()}", user_id="someone-else")
    run = (await web.store.admit(a_run(theirs), on_busy=OnBusy.ENQUEUE)).run
    method = "GET" if what in ("", "/events") else "POST"
    body = {"answer": "Newton"} if what == "/answer" else None
    foreign = await web.client.request(method, f"/api/runs/{run.id}{what}", json=body)
    missing = await web.client.request(method, f"/api/runs/no-such-run{what}", json=body)
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.json()["error"].replace(run.id, "") == missing.json()["error"].replace("no-such-run", "")
    assert (await web.store.run(run.id)).state in (RunState.QUEUED, RunState.RUNNING)


@pytest.mark.parametrize("what", ["/answer", "/resume"])
async def test_what_only_some_runs_take_is_a_conflict_for_others(web: Web, what: str) -> None:
    completed = await ended_run(web, RunState.COMPLETED)
    body = {"answer": "Newton"} if what == "/answer" else None
    answer = await web.client.post(f"/api/runs/{completed.id}{what}", json=body)
    assert answer.status_code == 409
    assert answer.json()["error"]


@topologies.own_runs
async def test_a_server_that_is_going_away_starts_nothing_and_says_when_to_come_back(own_web: Web) -> None:
    failed, node_id = await ended_run(own_web, RunState.FAILED), await a_topic_id(own_web)
    own_web.live.begin_shutdown()
    answers = [await posted(own_web, node_id, "attach"), await own_web.client.post(f"/api/runs/{failed.id}/retry")]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert all(int(answer.headers["retry-after"]) > 0 for answer in answers)
