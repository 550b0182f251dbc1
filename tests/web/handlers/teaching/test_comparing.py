"""Answers that their learners compare with the model answer, in a lesson over HTTP (A7, A9, A11, H1a, H3)."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import (
    HELP,
    SOLUTION,
    LessonServer,
    calls,
    checkpoint,
    number,
    says,
    serving_lesson,
)

NEXT = "And the water?"
ALL_MET = {"c1": "met", "c2": "met"}


async def compare(lesson: LessonServer, verdicts: dict[str, str], misconception: str | None = None) -> dict[str, Any]:
    self_mark = {"verdicts": verdicts, "misconception": misconception}
    return await lesson.turn("", calls(checkpoint(NEXT)), selfMark=self_mark)


async def left_to_compare(lesson: LessonServer) -> dict[str, Any]:
    """The turn after two answers that nobody could mark."""
    await lesson.turn("", calls(checkpoint()))
    await lesson.answer("the air", says("That was not marked yet. Say where it comes from."))
    return await lesson.answer("some gas in it")


async def test_A9_after_two_answers_without_a_verdict_the_model_answer_is_shown_and_no_model_is_asked(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        turn = await left_to_compare(lesson)
        asked = len(lesson.requests)
        assert "carbon dioxide from the air" in turn["message"]
        assert turn["question"]["compare"] == {
            "answerId": (await lesson.rows_of(tables.Answer))[-1].id,
            "yours": "the air\n\nsome gas in it",
            "drawn": False,
            "modelAnswer": "carbon dioxide from the air",
            "criteria": [
                {"id": "c1", "label": "the gas", "statement": "names carbon dioxide"},
                {"id": "c2", "label": "the place", "statement": "says that it is taken from the air"},
            ],
            "misconceptions": ["eats soil"],
        }
        again = await lesson.answer("hm let me see")
        assert again["question"]["compare"] == turn["question"]["compare"]
        assert len(lesson.requests) == asked
        assert len(await lesson.rows_of(tables.Answer)) == 2


async def test_A7_what_follows_an_answer_that_could_not_be_marked_is_marked_together_with_it(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"the air\n\ncarbon dioxide": True, "": None}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("the air", says("That was not marked yet. Which gas in it?"))
        turn = await lesson.answer("carbon dioxide", calls(checkpoint(NEXT)))
        assert turn["question"]["prompt"] == NEXT
        mine = (await lesson.messages())[-2]
        assert mine["attempt"]["correct"] is True
        assert mine["content"] == "[ANSWER]\nMode: text\ncarbon dioxide"


async def test_A11_H3_a_learner_marks_their_own_answer_which_is_practice_and_goes_on(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        turn = await compare(lesson, ALL_MET)
        assert '<settled how="compared" level="0" said="met"' in lesson.state()
        assert turn["question"]["prompt"] == NEXT
        assert turn["graded"]["state"] == "self_marked"
        assert (turn["graded"]["score"], turn["graded"]["correct"]) == (None, None)
        shown = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        assert (shown["mastery"], shown["evidence"]) == (0, 0)
        attempts = [row["attempt"] for row in await lesson.messages() if row["attempt"]]
        assert attempts[-1]["state"] == "self_marked"
        assert [one["verdict"] for one in attempts[-1]["criteria"]] == ["met", "met"]
        assert attempts[-1]["answer"] == "carbon dioxide from the air"
        assert attempts[-1]["why"] == "\n".join(SOLUTION)


async def test_A11_what_is_not_met_yet_is_asked_again_and_the_mix_up_is_told_to_the_tutor(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        await compare(lesson, {"c1": "missing", "c2": "met"}, "eats soil")
        assert 'said="partly"' in lesson.state()
        assert "eats soil" in lesson.state()
        assert SOLUTION[0] in lesson.state()
        assert (await lesson.lessons.lesson(lesson.session_id, user_id=DEFAULT_USER_ID)).plan.step == 1


@pytest.mark.parametrize("words", ["What does respiration mean?", "this is stupid"])
async def test_A11_a_question_and_a_complaint_beside_the_comparison_reach_the_tutor(tmp_path: Path, words: str) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        turn = await lesson.answer(words, says("It is how a cell burns its sugar."))
        assert turn["message"].startswith("It is how a cell burns its sugar.")
        assert 'step="compare"' in lesson.state()
        assert (await compare(lesson, ALL_MET))["question"]["prompt"] == NEXT


async def test_A11_a_verdict_may_be_typed(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        turn = await lesson.turn("The same!", calls(checkpoint(NEXT)))
        assert turn["question"]["prompt"] == NEXT
        assert (await lesson.messages())[-2]["content"] == "The same!"


@pytest.mark.parametrize(
    "self_mark",
    [
        {"verdicts": {}},
        {"verdicts": {"c1": "brilliant", "c2": "met"}},
        {"verdicts": "met"},
        {"verdicts": ALL_MET, "misconception": 7},
    ],
)
async def test_A11_a_self_mark_of_another_form_is_refused_and_nothing_is_stored(
    tmp_path: Path, self_mark: dict[str, Any]
) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        refused = await lesson.post(selfMark=self_mark)
        assert refused.status_code == 422
        assert "selfMark" in refused.text
        assert (await lesson.rows_of(tables.Answer))[-1].grade is None


async def test_A11_nothing_is_self_marked_that_does_not_wait_for_it(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(checkpoint()))
        refused = await lesson.post(selfMark={"verdicts": ALL_MET})
        assert refused.status_code == 409
        assert "compared" in refused.text


async def test_H1a_a_hint_by_the_button_comes_at_once_and_asks_no_model(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(checkpoint()))
        asked = len(lesson.requests)
        for level, text in enumerate(HELP, start=1):
            turn = await lesson.turn(move="help")
            assert text in turn["message"]
            assert turn["question"]["help"] == list(HELP[:level])
        assert len(lesson.requests) == asked
        turn = await lesson.turn("", calls(checkpoint(NEXT)), move="help")
        assert '<settled how="worked_through"' in lesson.state()
        assert turn["question"]["prompt"] == NEXT


async def test_H1a_show_me_and_go_on_shows_the_solution_and_counts_nothing(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        turn = await lesson.turn("", calls(number("What is 8 times 7?", 56)), move="show")
        assert '<settled how="worked_through"' in lesson.state()
        assert "35 and 7 is 42" in lesson.state()
        assert turn["question"]["prompt"] == "What is 8 times 7?"
        assert await lesson.rows_of(tables.Answer) == []


async def test_A9_a_question_can_be_changed_for_another(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        turn = await lesson.turn("", calls(checkpoint()), move="change")
        assert '<settled how="changed"' in lesson.state()
        assert "<solution" not in lesson.state()
        assert turn["question"]["prompt"] == "What did most of the wood come from?"


async def test_a_button_of_a_question_that_is_gone_does_nothing_to_the_one_that_is_open(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(checkpoint()))
        turn = await lesson.turn(move="show", questionId="another")
        assert turn["question"]["prompt"] == "What did most of the wood come from?"
        assert turn["question"]["help"] == []


async def test_a_move_that_there_is_not_is_refused(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        refused = await lesson.post(move="cheat")
        assert refused.status_code == 422
        assert "move" in refused.text


@pytest.mark.parametrize("words", ["asdfgh", "it depends", "4/5", "my cat sat on the keyboard again"])
async def test_A11_who_hardly_answers_is_asked_first_and_their_second_answer_is_compared_alone(
    tmp_path: Path, words: str
) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        first = await lesson.answer(words, says("Is that your answer?"))
        assert "have little to do with the question" in lesson.state()
        assert first["question"]["compare"] is None
        assert "carbon dioxide" not in first["message"]
        second = await lesson.answer("it eats the air")
        assert second["question"]["compare"]["yours"] == "it eats the air"


async def test_A8_the_same_words_once_more_are_compared(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("it depends", says("Is that your answer?"))
        again = await lesson.answer("it depends")
        assert again["question"]["compare"]["yours"] == "it depends"


@pytest.mark.parametrize("words", ["yes", "yes thats my answer", "That's it.", "same", "the same as before", "ja"])
async def test_A9_a_yes_to_whether_it_is_the_answer_takes_the_words_before(tmp_path: Path, words: str) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("it depends", says("Is that your answer?"))
        await lesson.turn("[CLARIFICATION] what is wood?", says("What a tree is made of."))
        turn = await lesson.answer(words)
        assert turn["question"]["compare"]["yours"] == "it depends"
        assert {row.answer_text for row in await lesson.rows_of(tables.Answer)} == {"it depends"}


@pytest.mark.parametrize("words", ["yes", "the same", "1 and 2", "no"])
async def test_A9_a_yes_and_a_verdict_are_never_the_answer(tmp_path: Path, words: str) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        for _ in range(3):
            turn = await lesson.answer(words, says("Is that your answer?"))
            assert turn["question"]["compare"] is None
        turn = await lesson.answer("it eats the air")
        assert turn["question"]["compare"]["yours"] == "it eats the air"


async def test_A9_who_did_not_write_that_writes_their_answer_again(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("the wood came from the soil")
        turn = await lesson.answer("hey thats not my answer")
        assert "write your answer once more" in turn["message"]
        assert turn["question"]["compare"]["yours"] == "the wood came from the soil"
        turn = await lesson.answer("it takes a gas from the air around it")
        assert turn["question"]["compare"]["yours"] == "it takes a gas from the air around it"


@pytest.mark.parametrize("words", ["not both", "no the second", "hm let me see"])
async def test_A11_beside_the_comparison_the_points_are_asked_for_in_one_sentence_and_the_answer_stays(
    tmp_path: Path, words: str
) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("the wood came from the soil")
        turn = await lesson.answer(words)
        assert "1. the gas; 2. the place" in turn["message"]
        assert "carbon dioxide from the air" not in turn["message"]
        assert turn["question"]["compare"]["yours"] == "the wood came from the soil"
        assert len(await lesson.rows_of(tables.Answer)) == 1


async def test_A11_an_answer_of_the_matter_is_compared_at_once(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        turn = await lesson.answer("the wood came from the soil")
        assert turn["question"]["compare"]["yours"] == "the wood came from the soil"


async def test_A9_a_number_that_cannot_be_read_twice_brings_help_and_not_its_answer(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        first = await lesson.answer("40 or 42", says("Which of the two counts?"))
        assert (first["question"]["compare"], first["question"]["help"]) == (None, [])
        second = await lesson.answer("either 41 or 42", says("Then look here."))
        assert (second["question"]["compare"], len(second["question"]["help"])) == (None, 1)
        third = await lesson.answer("42 or 43", says("Which of the two counts?"))
        assert (third["question"]["compare"], len(third["question"]["help"])) == (None, 1)
        shown = await lesson.turn("", calls(checkpoint(NEXT)), move="show")
        assert shown["question"]["prompt"] == NEXT


async def test_A9_H3_a_new_answer_takes_the_place_of_the_one_that_is_compared_and_is_practice(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        first = await lesson.answer("the wood came from the soil")
        asked = len(lesson.requests)
        again = await lesson.answer("sorry, wrong one. it takes a gas from the air around it")
        assert again["question"]["id"] == first["question"]["id"]
        assert again["question"]["compare"]["yours"] == "sorry, wrong one. it takes a gas from the air around it"
        assert "That is your answer now." in again["message"]
        assert len(lesson.requests) == asked
        turn = await lesson.answer("the same", calls(checkpoint(NEXT)))
        assert turn["graded"]["answerId"] == again["question"]["compare"]["answerId"]
        old, new = await lesson.rows_of(tables.Answer)
        assert (old.is_correct, new.is_correct, old.score, new.score) == (None, None, None, None)
        assert new.help_level == 4


async def test_A11_the_same_with_a_doubt_is_asked_about_and_the_answer_remembers_the_question(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("it takes a gas from the air")
        asked = await lesson.answer("the same but i didnt say it so well")
        assert "1. the gas; 2. the place" in asked["message"]
        await lesson.turn("[CLARIFICATION] what is a gas?", says("Air is a mix of gases."))
        turn = await lesson.answer("both", calls(checkpoint(NEXT)))
        assert turn["question"]["prompt"] == NEXT


async def test_A11_typed_partly_is_asked_about_and_what_is_named_counts(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        await left_to_compare(lesson)
        asked = await lesson.answer("partly")
        assert "1. the gas; 2. the place" in asked["message"]
        assert asked["question"]["compare"] is not None
        turn = await lesson.answer("only the second", calls(checkpoint(NEXT)))
        assert turn["question"]["prompt"] == NEXT
        attempts = [row["attempt"] for row in await lesson.messages() if row["attempt"]]
        assert [one["verdict"] for one in attempts[-1]["criteria"]] == ["missing", "met"]


async def test_H1a_no_two_replies_in_a_row_are_equal_beside_a_comparison(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, verdicts={"": None}) as lesson:
        replies = [(await left_to_compare(lesson))["message"]]
        replies += [(await lesson.answer(words))["message"] for words in ("hm let me see", "hm, wait", "let me see")]
        assert all(one != other for one, other in pairwise(replies))


async def test_A9_H1a_a_copy_of_the_model_answer_is_said_to_be_one_and_once_more_goes_on_as_practice(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path, verdicts={"": "compare"}) as lesson:
        await lesson.turn("", calls(checkpoint()))
        await lesson.answer("the wood came from the soil")
        told = await lesson.answer("carbon dioxide from the air")
        assert "word for word" in told["message"]
        assert told["question"]["compare"]["yours"] == "the wood came from the soil"
        turn = await lesson.answer("Carbon dioxide from the air!", calls(checkpoint(NEXT)))
        assert turn["question"]["prompt"] == NEXT
        (only,) = await lesson.rows_of(tables.Answer)
        assert (only.is_correct, only.score) == (None, None)
