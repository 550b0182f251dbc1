"""The offline refinement agent: what it adds to a map for answers that show the same misconception."""

import json
from collections.abc import Sequence
from dataclasses import replace

from sprout.offline.demo.agents.refinement import plan_changes
from sprout.offline.demo.conversation import Conversation, ToolCall
from sprout.offline.demo.tagged_request import parse_request
from sprout.offline.reply import ToolOut

HOT, CALM = "heat is a substance", "still air warms by itself"


def conversation(*misconceptions: str | None, prerequisites: dict[int, int] | None = None) -> Conversation:
    """A refinement run that has looked: one answer for each, wrong and with that misconception, or right.

    Args:
        prerequisites: the number of a part to that of the part that it rests on.
    """
    answers = [
        {
            "evidence": f"answer {at}",
            "tests": [f"part {at}"],
            "difficulty": 2,
            "correct": thought is None,
            "misconceptions": [f"{thought}."] if thought else [],
            "blank": False,
            "usable": True,
            "choice": False,
        }
        for at, thought in enumerate(misconceptions)
    ]
    parts = [
        {"title": f"part {at}", "desc": "You can tell it.", "mastery": 0.2, "state": "open", "begun": False}
        for at in range(len(misconceptions))
    ]
    edges = [{"source": f"part {one}", "target": f"part {at}"} for at, one in (prerequisites or {}).items()]
    results = {
        "grade_student_answers": {"items": answers},
        "get_current_subconcepts": {"subconcepts": parts, "edges": edges},
    }
    calls = [ToolCall(name, {}, False, json.dumps(found), 1) for name, found in results.items()]
    return Conversation(parse_request(""), "", "", frozenset(), tuple(calls), 1, True, False)


def added(changes: Sequence[object]) -> list[tuple[str, list[str]]]:
    """The titles of what is added, and what they rest on."""
    return [(one.input["title"], one.input["evidence"]) for one in changes if isinstance(one, ToolOut)]


def test_each_misconception_that_came_twice_gets_its_contrast_with_answers_of_its_own() -> None:
    assert added(plan_changes(conversation(HOT, CALM, HOT, CALM, None))) == [
        (f"Put to the test: {HOT}", ["answer 0", "answer 2"]),
        (f"Put to the test: {CALM}", ["answer 1", "answer 3"]),
    ]


def test_a_misconception_that_came_once_gets_nothing() -> None:
    assert added(plan_changes(conversation(HOT, CALM, CALM, None))) == [
        (f"Put to the test: {CALM}", ["answer 1", "answer 2"])
    ]


def test_no_run_adds_more_than_two() -> None:
    assert len(plan_changes(conversation(*[HOT, CALM, "cold flows"] * 2))) == 2


def test_a_bridge_names_the_misconceptions_that_came_twice_though_it_stands_on_one_answer_of_each() -> None:
    (bridge,) = plan_changes(conversation(CALM, HOT, "cold flows", HOT, CALM, None, prerequisites={1: 0}))
    assert isinstance(bridge, ToolOut)
    assert bridge.input["evidence"] == ["answer 0", "answer 1"]
    assert f"A thought to look at: {CALM}. A thought to look at: {HOT}." in bridge.input["desc"]


def test_a_bridge_without_any_that_came_twice_names_the_first() -> None:
    (bridge,) = plan_changes(conversation(CALM, HOT, None, prerequisites={1: 0}))
    assert isinstance(bridge, ToolOut)
    assert f"A thought to look at: {CALM}. You can tell it." in bridge.input["desc"]


def test_a_bridge_stands_on_two_answers_also_where_one_is_about_both_of_its_parts() -> None:
    looked = conversation(HOT, HOT, None, None, prerequisites={1: 0, 2: 1})
    shared = json.loads(looked.calls[0].result)
    for item, tests in zip(shared["items"], (["part 0", "part 1"], ["part 2"], ["part 3"], ["part 3"]), strict=True):
        item["tests"] = tests
    calls = (replace(looked.calls[0], result=json.dumps(shared)), *looked.calls[1:])
    assert added(plan_changes(replace(looked, calls=calls))) == [("Step by step: part 0", ["answer 0", "answer 1"])]
