"""A lesson from its opening to its end: what is asked, marked, helped with and kept (Q2, Q6, H1, H3, A3)."""

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.offline.reply import ToolOut
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import (
    EXPLANATION,
    HELP,
    calls,
    checkpoint,
    choice,
    completes,
    number,
    says,
    serving_lesson,
)

LOOKING = (ToolOut("check_student_progress"), ToolOut("check_prerequisite_mastery"))
HINT = "You have read the scales rightly. What stands in the way is the weight of the soil."


async def test_an_opening_is_a_chunk_with_one_question_as_clients_read_it(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        turn = await lesson.turn("", calls(*LOOKING), calls(checkpoint(plan=["weigh", "explain", "apply"])))
        assert turn["message"] == (
            f"{EXPLANATION}\n\nQuestion Type: text\n\nQuestion:\nWhat did most of the wood come from?"
        )
        assert turn["isComplete"] is False
        assert turn["toolsUsed"] == ["check_student_progress", "check_prerequisite_mastery", "ask_checkpoint"]
        assert turn["reasoning"] == []
        assert turn["question"]["prompt"] == "What did most of the wood come from?"
        (row,) = await lesson.messages()
        assert (row["role"], row["kind"], row["content"]) == ("assistant", "learning", turn["message"])
        content = (await lesson.client.get(f"/api/nodes/{lesson.node.id}/contents/active")).json()
        assert content["explanationMd"] == EXPLANATION
        (card,) = json.loads(content["cards"])
        assert (card["index"], card["explanation"], card["questionType"]) == (0, EXPLANATION, "text")
        assert card["question"] == "What did most of the wood come from?"


async def test_an_opening_asked_for_twice_is_the_same_opening(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        lesson.script(calls(checkpoint()))
        both = await asyncio.gather(lesson.post(), lesson.post())
        assert len({answer.json()["message"] for answer in both}) == 1
        again = await lesson.turn()
        assert again["message"] == both[0].json()["message"]
        assert lesson.model.asked == 1
        assert len(await lesson.messages()) == 1


@pytest.mark.parametrize(
    "marked_by",
    [
        {"accepted": ["CANARY-14"], "wrong": [{"option": "CANARY-15", "misconception": "CANARY-16"}]},
        {
            "type": "code",
            "program_tests": [
                {
                    "before": "a = 'CANARY-14'",
                    "typed": "CANARY-15",
                    "prints": "CANARY-16",
                    "misconception": "CANARY-17",
                },
                {"after": "CANARY_18", "gives": "'CANARY-19'"},
            ],
        },
    ],
)
async def test_Q6_nothing_prepared_is_in_any_byte_before_it_may_be_seen(
    tmp_path: Path, marked_by: dict[str, Any]
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        secrets: dict[str, Any] = {
            "answer": "carbon dioxide CANARY-1",
            "criteria": [
                {
                    "label": "a",
                    "statement": "CANARY-2",
                    "weight": 0.5,
                    "partly_if": "CANARY-3",
                    "misconception": "CANARY-4",
                },
                {"label": "b", "statement": "CANARY-5", "weight": 0.5},
            ],
            "anchors": ["CANARY-6", "CANARY-7"],
            "help": ["CANARY-8", "CANARY-9", "CANARY-10", "CANARY-11"],
            "solution": ["CANARY-12"],
        } | marked_by
        turn = await lesson.turn("", calls(checkpoint(**secrets)))
        run_id = turn["runId"]
        seen = [
            json.dumps(turn),
            *(one.data for one in await lesson.events(run_id)),
            *[
                (await lesson.client.get(path)).text
                for path in (
                    f"/api/runs/{run_id}",
                    f"/api/chat/sessions/{lesson.session_id}/messages",
                    f"/api/nodes/{lesson.node.id}/contents/active",
                    f"/api/assessments?userId={lesson.node.user_id}",
                    *[f"/api/assessments/{one.id}/questions" for one in await lesson.rows_of(tables.Assessment)],
                )
            ],
        ]
        assert [text for text in seen if "CANARY" in text] == []
        (question,) = await lesson.rows_of(tables.Question)
        assert "CANARY-1" in question.correct_answer
        assert "CANARY-14" in json.dumps(question.marked_by)


async def test_H1_wrong_answers_bring_level_after_level_then_it_is_worked_through_and_asked_in_a_changed_form(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number(plan=["multiply", "explain", "apply"])))
        for level, wrong in enumerate(("13", "41", "43", "40"), start=1):
            turn = await lesson.answer(wrong, says(f"Not yet, this is try {level}: look at the rows again."))
            assert f'level="{level}"' in lesson.state()
            assert 'step="give_help"' in lesson.state()
            assert f'<help level="{level}"' in lesson.state()
            assert turn["graded"]["correct"] is False
            assert turn["graded"]["helpLevel"] == level - 1
            assert turn["question"]["prompt"] == "What is 6 times 7?" == await lesson.pending()
            assert turn["message"].endswith("Question:\nWhat is 6 times 7?")
        turn = await lesson.answer(
            "39", calls(number("What is 7 times 6, and why?", message="We take five rows first."))
        )
        assert '<settled how="worked_through" level="4"' in lesson.state()
        assert "35 and 7 is 42" in lesson.state()
        assert await lesson.pending() == "What is 7 times 6, and why?"
        turn = await lesson.answer("42", calls(number("What is 8 times 3?", 24)))
        assert turn["graded"] | {"answerId": "", "questionId": ""} == {
            "questionId": "",
            "answerId": "",
            "state": "graded",
            "score": 1.0,
            "correct": True,
            "criteria": [],
            "nextStep": "",
            "helpLevel": 0,
        }
        assert '<settled how="solved" level="0"' in lesson.state()


async def test_H1_the_model_cannot_skip_a_level_or_take_the_question_away(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        turn = await lesson.answer(
            "13", calls(number("What is 2 times 2?", 4)), completes(), says("Look at the sign again.")
        )
        refused = [one for one in await lesson.events_of_kind(turn["runId"], "tool_result") if not one["ok"]]
        assert [one["tool"] for one in refused] == ["ask_checkpoint", "complete_subconcept"]
        assert await lesson.pending() == "What is 6 times 7?"
        assert turn["message"].startswith("Look at the sign again.")
        assert len(await lesson.rows_of(tables.Question)) == 1


async def test_H3_two_right_answers_without_help_end_the_lesson_and_aided_ones_do_not(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        await lesson.answer("13", says("Look at the sign between the two numbers."))
        turn = await lesson.answer("42", completes(), calls(number("What is 3 times 3?", 9)))
        (refused,) = [one for one in await lesson.events_of_kind(turn["runId"], "tool_result") if not one["ok"]]
        assert refused["tool"] == "complete_subconcept"
        assert "2 more to be answered right at once" in refused["summary"]
        assert turn["graded"]["helpLevel"] == 1
        await lesson.answer("9", calls(number("What is 4 times 5?", 20)))
        last = await lesson.answer("20", completes())
        assert 'may_complete="true"' in lesson.state()
        assert last["isComplete"] is True
        assert last["message"] == "You can say now where wood comes from."
        assert last["question"] is None
        progress = (await lesson.client.get(f"/api/progress?userId={lesson.node.user_id}")).json()
        (done,) = [one for one in progress if one["nodeId"] == lesson.node.id]
        assert done["completedAt"]
        assert done["masteredAt"] is None
        assert done["masteryScore"] >= 0.7
        shown = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        assert (shown["needed"], shown["completed"], shown["mastered"]) == (0, True, False)
        waits = datetime.fromisoformat(shown["masteredFrom"]) - datetime.fromisoformat(done["completedAt"])
        assert abs(waits - timedelta(days=1)) < timedelta(seconds=1)
        changes = await lesson.events_of_kind(last["runId"], "mastery_changed")
        assert any(one["nodeId"] == lesson.node.id and one["completed"] for one in changes)
        kinds = [one.kind for one in await lesson.events(last["runId"])]
        assert kinds.index("graded") < kinds.index("tool_call")
        again = await lesson.answer("20")
        assert again == last, "who did not hear the end asks once more"
        streamed = await lesson.post("[ANSWER]\nMode: text\n20", headers={"Accept": "text/event-stream"})
        assert "event: graded" in streamed.text
        assert "event: run_done" in streamed.text
        after = await lesson.answer("more", mode="text")
        assert after["isComplete"] is True
        assert "is finished" in after["message"]
        assert len(await lesson.messages()) == 9


async def test_Q2_a_question_after_the_end_is_answered_and_the_lesson_stays_over(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        await lesson.answer("42", calls(number("What is 4 times 5?", 20)))
        await lesson.answer("20", completes())
        (before,) = [one for one in await lesson.rows_of(tables.ChatSession) if one.id == lesson.session_id]
        asked = await lesson.aside("can I swap them?", calls(number("3 + 3?", 6)), says("Yes: 6 times 7 is 7 times 6."))
        assert asked["message"] == "Yes: 6 times 7 is 7 times 6."
        assert (asked["isComplete"], asked["question"]) == (True, None)
        assert 'kind="lesson_over"' in lesson.state(-2)
        (refused,) = [one for one in await lesson.events_of_kind(asked["runId"], "tool_result") if not one["ok"]]
        assert refused["tool"] == "ask_checkpoint"
        (after,) = [one for one in await lesson.rows_of(tables.ChatSession) if one.id == lesson.session_id]
        assert after.ended_at == before.ended_at
        assert [row["kind"] for row in await lesson.messages()][-2:] == ["hint_request", "hint_response"]


async def test_Q2_side_questions_reloads_and_other_tabs_leave_the_question_pending(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        opening = await lesson.turn("", calls(checkpoint()))
        aside = await lesson.aside("what is a gas again?", says("Something that fills any room it is let into."))
        assert aside["message"] == "Something that fills any room it is let into."
        assert 'turn="clarification"' in lesson.state()
        assert 'step="wait"' in lesson.state()
        assert aside["question"] == opening["question"]
        lesson.script(says("The one about soil is open still, and nothing was counted."))
        tabs = await asyncio.gather(*(lesson.post("and who weighed it?") for _ in range(3)))
        assert len({tab.json()["runId"] for tab in tabs}) == 1
        assert await lesson.pending() == opening["question"]["prompt"]
        rows = await lesson.messages()
        assert [(row["role"], row["kind"]) for row in rows] == [
            ("assistant", "learning"),
            ("user", "hint_request"),
            ("assistant", "hint_response"),
            ("user", "learning"),
            ("assistant", "learning"),
        ]
        assert rows[1]["content"] == "[CLARIFICATION]\nwhat is a gas again?"
        assert len(await lesson.rows_of(tables.Answer)) == 0


async def test_Q4_H1a_not_knowing_and_asking_for_help_are_no_attempts_and_each_brings_the_next_level(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(checkpoint()))
        said = ("just tell me the answer", "I don't know", "idk", "help me please")
        for level, (words, text) in enumerate(zip(said, HELP, strict=True), start=1):
            turn = await lesson.answer(words, says(f"{HINT} {level}"))
            assert 'step="give_help"' in lesson.state(), words
            assert f'<help level="{level}"' in lesson.state()
            assert text in lesson.state()
            assert turn["question"]["help"] == list(HELP[:level])
        await lesson.answer("idk", calls(checkpoint("Where does a log's weight come from?")))
        assert '<settled how="worked_through"' in lesson.state()
        assert await lesson.rows_of(tables.Answer) == []


async def test_A2_an_open_answer_is_graded_by_the_grading_agent_before_the_tutor_speaks(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"out of the air": True}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("from the soil, I think", says(HINT))
        assert 'state="graded" correct="false" score="0.00"' in lesson.state()
        assert '<criterion label="the gas" verdict="missing"' in lesson.state()
        turn = await lesson.answer("it is taken out of the air", calls(checkpoint("And the water?")))
        assert 'correct="true"' in lesson.state()
        assert turn["question"]["prompt"] == "And the water?"


async def test_A3_what_cannot_be_graded_is_told_so_and_the_question_stays(tmp_path: Path) -> None:
    verdicts: dict[str, bool | None] = {"": None}
    async with serving_lesson(tmp_path, verdicts=verdicts) as lesson:
        await lesson.turn("", calls(checkpoint()))
        turn = await lesson.answer(
            "from what it breathes", says("I could not mark this. Say once more what it takes in.")
        )
        assert 'state="ungraded" correct="none"' in lesson.state()
        assert 'step="wait"' in lesson.state()
        assert turn["graded"]["state"] == "ungraded"
        assert turn["graded"]["score"] is None
        assert await lesson.pending() == "What did most of the wood come from?"
        (answer,) = await lesson.rows_of(tables.Answer)
        assert answer.is_correct is None
        verdicts.clear()
        verdicts["breathes"] = True
        again = await lesson.answer("from what it breathes", calls(checkpoint("And the water?")))
        assert again["question"]["prompt"] == "And the water?"
        assert len(await lesson.rows_of(tables.Answer)) == 1


async def test_Q1_a_choice_is_answered_by_its_text_or_by_the_letter_that_was_shown(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        opening = await lesson.turn("", calls(choice()))
        assert "Question Type: text" in opening["message"]
        options = opening["question"]["options"]
        assert sorted(options) == ["milk", "sand", "steam", "stone"]
        assert opening["message"].endswith("\n".join(f"{'ABCD'[at]}. {one}" for at, one in enumerate(options)))
        wrong = "ABCD"[options.index("milk")]
        turn = await lesson.answer(wrong.lower(), says("Milk keeps to its cup. Which of them does not stay put?"))
        assert turn["graded"]["correct"] is False
        assert "takes all that flows for a gas" in lesson.state()
        none = await lesson.answer("the green one", says("That is none of the four."))
        assert none["graded"] is None
        assert "name none of the options" in lesson.state()
        right = await lesson.answer("Steam", calls(choice("Which of these is solid?")))
        assert right["graded"]["correct"] is True


async def test_A11_who_seems_to_mean_an_option_is_asked_and_a_yes_takes_it(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        options = (await lesson.turn("", calls(choice())))["question"]["options"]
        letter = "ABCD"[options.index("steam")]
        asked = await lesson.answer("the steamboat because it flows")
        assert asked["message"].startswith(fixed_text("meant_option", "en", label=letter, option="steam"))
        assert asked["graded"] is None
        denied = await lesson.answer("no")
        assert denied["message"].startswith(fixed_text("other_option", "en"))
        same = await lesson.answer("the steamboat because it flows", says("Write its letter."))
        assert same["message"].startswith("Write its letter.")
        taken = await lesson.answer("yes", calls(choice("Which of these is solid?")))
        assert taken["graded"]["correct"] is True


async def test_A11_nobody_is_asked_twice_in_a_row_which_option_they_mean(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(choice()))
        assert (await lesson.answer("the steamboat because it flows"))["message"].startswith("Do you mean")
        again = await lesson.answer("the milkshake, it flows", says("Tap one, or write its letter."))
        assert again["message"].startswith("Tap one")
        assert again["graded"] is None


async def test_A11_a_yes_without_its_tag_takes_the_suggested_option_too(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(choice()))
        assert (await lesson.answer("the steamboat because it flows"))["graded"] is None
        taken = await lesson.turn("yes", calls(choice("Which of these is solid?")))
        assert taken["graded"]["correct"] is True
        assert taken["question"]["prompt"] == "Which of these is solid?"


@pytest.mark.parametrize(
    ("words", "right"), [("the steamboat because it flows", True), ("the milkshake, it flows", False)]
)
async def test_A11_an_offered_option_stays_on_offer_across_a_side_question(
    tmp_path: Path, words: str, right: bool
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(choice()))
        assert (await lesson.answer(words))["graded"] is None
        await lesson.aside("what has this to do with bread?", says("Bread is baked in it."))
        reply = calls(choice("Which of these is solid?")) if right else says("Milk keeps to its cup.")
        assert (await lesson.answer("yes", reply))["graded"]["correct"] is right


async def test_A11_a_yes_to_nothing_takes_no_option(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(choice()))
        assert (await lesson.answer("yes", says("Write a letter.")))["graded"] is None
        assert (await lesson.answer("the green one", says("None of them is green.")))["graded"] is None
        assert (await lesson.answer("yes", says("Write the letter of one.")))["graded"] is None


async def test_A9_a_number_or_a_letter_without_its_tag_is_told_how_it_is_marked(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        turn = await lesson.turn("42")
        assert turn["message"].startswith(fixed_text("untagged", "en"))
        assert turn["graded"] is None
        doubt = await lesson.turn("but 42 is right isnt it? whats wrong", says("Look at the rows once more."))
        assert doubt["message"].startswith("Look at the rows")
        assert (await lesson.turn("why 6 times?", says("It is 6 rows of 7.")))["message"].startswith("It is 6 rows")


async def test_A9_another_question_may_be_asked_for_in_words(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        turn = await lesson.answer("can i have a different question", calls(checkpoint()))
        assert turn["question"]["prompt"] == "What did most of the wood come from?"
        assert await lesson.rows_of(tables.Answer) == []


async def test_A8_a_question_that_is_given_twice_as_an_answer_is_one(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(checkpoint()))
        first = await lesson.answer("what is air made of? that is where it came from", says("Of gases."))
        assert first["graded"] is None
        await lesson.answer("what is air made of? that is where it came from", says("Go on."))
        assert len(await lesson.rows_of(tables.Answer)) == 1


async def test_the_same_prompt_can_be_asked_again(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        await lesson.answer("42", calls(number()))
        assert await lesson.pending() == "What is 6 times 7?"
        assert len(await lesson.rows_of(tables.Question)) == 2


async def test_cards_are_kept_and_told_and_mean_no_question(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        example = ToolOut("generate_example", {"title": "A willow", "body": "It was weighed."})
        drawn = {"title": "The way", "format": "mermaid", "body": "graph TD; A-->B", "sentence": "A leads to B."}
        bad = drawn | {"format": "svg", "body": "<svg><script>alert(1)</script></svg>"}
        turn = await lesson.turn(
            "",
            calls(example, ToolOut("visualize_concept", drawn), ToolOut("visualize_concept", bad)),
            calls(checkpoint()),
        )
        assert [(card["kind"], card["format"]) for card in turn["cards"]] == [
            ("example", "markdown"),
            ("diagram", "mermaid"),
        ]
        (refused,) = [one for one in await lesson.events_of_kind(turn["runId"], "tool_result") if not one["ok"]]
        assert "may only draw" in refused["summary"]
        content = (await lesson.client.get(f"/api/nodes/{lesson.node.id}/contents/active")).json()
        cards = json.loads(content["cards"])
        assert [card["kind"] for card in cards] == ["example", "diagram", "chunk"]
        assert [card["index"] for card in cards] == [0, 1, 2]
        assert content["explanationMd"] == EXPLANATION


async def test_Q2_a_page_that_is_opened_in_the_middle_is_told_what_is_open_and_never_what_is_right(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(choice()))
        before = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        await lesson.answer("milk", says("Think of what fills a room."))
        after = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
    assert set(before["question"]) == {
        "id",
        "prompt",
        "type",
        "options",
        "form",
        "gap",
        "help",
        "attempts",
        "compare",
        "reading",
    }
    assert (before["question"]["help"], before["question"]["attempts"], before["question"]["compare"]) == ([], 0, None)
    assert (before["question"]["type"], before["helpLevel"], before["evidence"]) == ("mcq", 0, 0)
    assert len(before["question"]["options"]) == 4
    given = {"help": ["Read it again."], "attempts": 1}
    assert (after["question"], after["helpLevel"]) == (before["question"] | given, 1)
    assert (after["chunk"], after["asked"], after["completed"], after["cards"]) == (1, [1], False, [])
