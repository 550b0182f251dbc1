"""M2 and T5 in lessons over HTTP: what a side question may call, with the prompt's prefix unchanged."""

import json
from pathlib import Path

from sprout.offline.reply import ToolOut
from tests.web.handlers.teaching.lesson_server import LessonServer, calls, checkpoint, says, serving_lesson


def prefix(lesson: LessonServer, number: int) -> bytes:
    """System prompt and tools of a request, with its cache breakpoints."""
    body = lesson.requests[number].body
    return json.dumps([body["system"], body["tools"]]).encode()


async def results_of(lesson: LessonServer, run_id: str) -> dict[str, bool]:
    """Tool → whether its call succeeded."""
    ends = await lesson.events_of_kind(run_id, "tool_result")
    return {end["tool"]: end["ok"] for end in ends}


async def test_M2_T5_a_side_question_calls_what_it_needs_and_nothing_else_with_the_same_prefix(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"carbon": True}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        card = ToolOut("generate_example", {"title": "A candle", "body": "It gets lighter while it burns."})
        told = await lesson.aside(
            "Who weighed the soil?",
            calls(ToolOut("memory_recall", {}), card, checkpoint("Another question?")),
            says("A careful gardener did. The question is still open."),
        )
        assert "<callable_tools" in lesson.state(-2)
        assert await results_of(lesson, told["runId"]) == {
            "memory_recall": True,
            "generate_example": True,
            "ask_checkpoint": False,
        }
        refused = json.dumps(lesson.requests[-1].body["messages"][-1])
        assert "ask_checkpoint cannot be called in this turn" in refused
        assert told["message"].startswith("A careful gardener did.")
        assert await lesson.pending() == "What did most of the wood come from?"

        told = await lesson.answer("carbon dioxide", calls(checkpoint("And where does the water come from?")))
        assert "<callable_tools" not in lesson.state()
        assert await results_of(lesson, told["runId"]) == {"ask_checkpoint": True}
        assert len({prefix(lesson, number) for number in range(len(lesson.requests))}) == 1
        assert len(lesson.requests) == 4


async def test_M2_a_greeting_beside_an_open_question_gets_few_tools_and_one_with_nothing_open_gets_all(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("Good morning, nice to meet you!", calls(checkpoint()))
        assert "<callable_tools" not in lesson.state()
        assert await lesson.pending() is not None
        await lesson.turn("Good morning once more, my cat says hello too!", says("Good morning. It is still open."))
        assert "<callable_tools" in lesson.state()
        assert prefix(lesson, 0) == prefix(lesson, 1)


async def test_M2_what_a_refused_question_said_is_withdrawn_and_nothing_of_it_stays(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        told = await lesson.aside("What is a leaf?", calls(checkpoint()), says("It is flat and green."))
        assert told["message"] == "It is flat and green."
        assert await lesson.events_of_kind(told["runId"], "message_reset")
        assert await lesson.pending() is None
        assert "soil beside it" not in json.dumps(await lesson.messages())
