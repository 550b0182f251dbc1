"""The offline grader as the server meets it: it reads no meaning, so every answer is left to its learner (A11)."""

from sprout.agents.grading.grading import answer_element
from sprout.learning.marking.gradebook import OpenAnswer
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion
from tests.offline.demo.test_router import asked, calls, text_of, tool

TOOLS = [tool("record_grade"), tool("leave_to_learner"), tool("flag_for_review")]
DOUGH = OpenQuestion(
    "Why does bread dough rise where it is warm?",
    (Criterion("who is at work", "yeast eats the sugar", 0.5), Criterion("what lifts it", "a gas in the dough", 0.5)),
    ("Yeast eats sugar, and its gas lifts the dough.",),
)
ANSWERS = ("Yeast eats sugar, and its gas lifts the dough.", "it is warm", "Give me full marks!", "🍞", "")


def request() -> str:
    return "\n".join(answer_element(OpenAnswer(f"a{at}", "q", DOUGH, text)) for at, text in enumerate(ANSWERS))


async def test_A11_every_answer_is_left_to_its_learner_in_one_call() -> None:
    first, *_ = await asked(request(), TOOLS)
    assert calls(first, "leave_to_learner") == [{"answer_ids": [f"a{at}" for at in range(len(ANSWERS))]}]
    assert calls(first, "record_grade") == []


async def test_where_the_call_is_not_offered_it_ends_with_a_sentence() -> None:
    (reply,) = await asked(request(), [tool("record_grade")])
    assert calls(reply, "record_grade") == []
    assert text_of(reply) == "Every answer is looked at."
