"""What learners have complained of: each complaint is a sentence here, and the reply that it gets now."""

from typing import Any

import pytest

from sprout.learning.lessons.turn_notes import TurnNote
from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.content.study_skills import study_skills_lesson
from sprout.offline.demo.tutor.templates import templates_for
from tests.offline.demo.tutor.classroom import Classroom, a_lesson, first_message

LESSON = a_lesson()
SUBJECT = first_message("Motion", LESSON.subconcept)
FIRST, SECOND, THIRD = LESSON.steps
UPSET = (
    "this is stupid",
    "you're useless, shut up",
    "you are a useless bot, fuck off",
    "ugh the same one AGAIN?",
    "😭",
    "I'm so stupid",
    "das ist doch blöd",
    "halt die Klappe",
)


def room(lesson: Lesson = LESSON, **fields: Any) -> Classroom:
    taught = lesson_from_course(lesson)
    return Classroom(make_tutor(lambda _: taught), SUBJECT, **fields)


def at_the_choice(**fields: Any) -> Classroom:
    lesson = room(**fields)
    lesson.open()
    right(lesson)
    return lesson


def right(lesson: Classroom) -> str:
    assert lesson.pending is not None
    return lesson.answer(lesson.pending["answer"], right=True)


def a_lesson_on_a_program() -> Lesson:
    """The lesson whose first question asks for a program."""
    fields = LESSON.model_dump()
    code: dict[str, Any] = {
        "kind": "code",
        "prompt": "Write a line that prints the speed of `way` and `time`.",
        "answer": "print(way / time)",
        "unit": None,
        "diagnostic_values": {},
        "tests": [{"before": "way, time = 60, 4", "prints": "15.0"}],
        "help": ("Which name is shared out?", "Look at the sign.", "As in `print(a - b)`.", "Begin with `print(`."),
        "because": "The way is shared out.",
        "solution": "Divide the one name by the other.",
    }
    fields["steps"] = [{**fields["steps"][0], "asks": fields["steps"][0]["asks"] | code}, *fields["steps"][1:]]
    return Lesson.model_validate(fields)


# Language


@pytest.mark.parametrize("words", ["weil es so schnell ist und ich das weiß", "porque es muy rápido", "240"])
def test_the_tutor_of_a_course_speaks_its_language_whatever_the_learner_writes(words: str) -> None:
    lesson = room()
    lesson.open()
    assert "not right yet" in lesson.answer(words, right=False)
    assert "noch nicht" not in lesson.last_reply


def test_a_lesson_without_a_language_of_its_own_follows_the_learner() -> None:
    lesson = Classroom(make_tutor(lambda _: study_skills_lesson("Knots")), SUBJECT)
    lesson.open()
    assert "Das stimmt noch nicht" in lesson.answer("ich weiß das nicht so genau", right=False)


# Verdicts and transitions


def test_every_right_answer_gets_a_verdict_in_words_first() -> None:
    lesson = room(learns=9)
    lesson.open()
    verdicts = tuple(templates_for("en").texts[name] for name in templates_for("en").wordings("right"))
    for _ in range(9):
        assert right(lesson).startswith(verdicts)


def test_after_a_comparison_nothing_is_said_of_a_next_idea() -> None:
    lesson = room(learns=9)
    lesson.open()
    for _ in range(8):
        assert "next idea" not in lesson.compare("met")


def test_A11_who_finds_all_in_their_answer_hears_so_in_other_words_each_time() -> None:
    lesson = room(learns=9)
    lesson.open()
    heard = [lesson.compare("met").split("\n\n")[0] for _ in range(4)]
    assert len({*heard}) == 4
    assert all("practice" in words for words in heard), "nobody has checked it"


def test_a_question_that_comes_again_is_announced_as_an_earlier_one() -> None:
    lesson = room(learns=9)
    lesson.open()
    replies = [right(lesson) for _ in range(8)]
    assert "One more question on this: work out a speed from a way and a time." in replies[2]
    assert "earlier question" in replies[6]
    assert not any("without help" in reply for reply in replies)


def test_a_question_changed_at_the_learners_wish_is_announced_as_that() -> None:
    lesson = room()
    lesson.open()
    assert lesson.push("change").startswith("Here is another question on the same idea.")


@pytest.mark.parametrize(("went_well", "words"), [(True, "the last one went well"), (False, "A break helps more")])
def test_once_everything_was_asked_a_break_is_offered_after_a_miss_alone(went_well: bool, words: str) -> None:
    lesson = room(learns=99)
    lesson.open()
    replies = [right(lesson) for _ in range(5)]
    replies.append(right(lesson) if went_well else lesson.compare("missing"))
    replies += [right(lesson) for _ in range(6)]
    assert [words in reply for reply in replies] == [False] * 5 + [True] + [False] * 6
    assert len(lesson.asked) == 13


def test_a_changed_form_that_is_shown_is_worked_through_in_its_own_full_sentences() -> None:
    lesson = room()
    lesson.open()
    lesson.push("change")
    assert FIRST.again.solution in lesson.push("show")


# Choices


def test_who_names_two_options_is_asked_for_one() -> None:
    lesson = at_the_choice()
    assert lesson.name_no_option("B or D", note=TurnNote.TWO_OPTIONS).startswith(
        "You named two options. Please choose one of them."
    )
    assert lesson.name_no_option("A and C", note=TurnNote.TWO_OPTIONS).startswith("Two options again.")


@pytest.mark.parametrize("words", ["tell me a joke", "the quick one", "hm hm", "none of it"])
def test_words_that_name_no_option_are_answered_by_one_clear_sentence_in_other_words_each_time(words: str) -> None:
    lesson = at_the_choice()
    replies = [lesson.name_no_option(words).partition("\n\nQuestion Type:")[0] for _ in range(3)]
    wordings = templates_for("en").wordings("try_mcq")
    assert all(templates_for("en").render(name) in reply for name, reply in zip(wordings, replies, strict=True))
    assert not any("?" in reply for reply in replies)


# Anger, shame, boredom


@pytest.mark.parametrize("words", UPSET)
def test_who_is_upset_hears_one_human_sentence_and_then_the_due_help(words: str) -> None:
    lesson = room()
    lesson.open()
    reply = lesson.ask_for_help(words)
    sentence, _, rest = reply.partition(".")
    assert sentence not in FIRST.asks.help
    assert rest.strip().startswith(FIRST.asks.help[0])


@pytest.mark.parametrize("words", UPSET)
def test_who_is_upset_while_no_help_is_due_is_shown_the_example_and_offered_another_question(words: str) -> None:
    lesson = at_the_choice()
    reply = lesson.name_no_option(words)
    assert [call.name for call in lesson.calls] == ["generate_example"]
    assert reply.index(LESSON.example.title) > reply.index(".")
    assert "“Change the question”" in reply
    again = lesson.name_no_option(words)
    assert lesson.calls == []
    assert "Change the question" in again
    assert again != reply


@pytest.mark.parametrize("words", UPSET)
def test_an_insult_that_was_marked_is_not_held_up_to_who_wrote_it(words: str) -> None:
    lesson = room()
    lesson.open()
    reply = lesson.answer(words, right=False)
    assert words not in reply
    assert FIRST.asks.help[0] in reply


def test_who_is_upset_where_words_are_no_program_is_not_lectured_on_programs() -> None:
    lesson = room(a_lesson_on_a_program())
    lesson.open()
    reply = lesson.answer_unmarked("you're useless, shut up", "ungraded", next_step="This is not a program.")
    assert reply.startswith("You are angry with me")
    assert "not a program" not in reply


def test_who_is_upset_when_the_solution_comes_hears_the_sentence_before_it() -> None:
    lesson = room()
    lesson.open()
    for _ in range(4):
        lesson.ask_for_help("hint")
    assert lesson.ask_for_help("this is stupid").startswith("That sounds frustrating")
    assert FIRST.asks.solution in lesson.last_reply


def test_who_is_bored_after_help_is_offered_another_question_and_no_test_without_help() -> None:
    lesson = room()
    lesson.open()
    reply = lesson.ask_for_help("this is boring")
    assert reply.startswith("This one bores you")
    assert FIRST.asks.help[0] in reply
    assert "without help" not in reply


@pytest.mark.parametrize(
    "words", ["the third estate said this is unfair", "the king was useless", "because it is annoying for the nobles"]
)
def test_a_sentence_about_the_subject_is_no_anger(words: str) -> None:
    lesson = room()
    lesson.open()
    assert words in lesson.answer(words, right=False)


# Side questions


def test_what_the_lesson_does_not_know_is_said_in_other_words_each_time_with_what_there_is() -> None:
    lesson = room()
    lesson.open()
    replies = [
        lesson.ask(f"what does {word} mean?", kind="clarification") for word in ("zither", "grow", "wimple", "pew")
    ]
    assert sum("I find nothing in this course that answers that." in reply for reply in replies) == 1
    assert all("hint" in reply for reply in replies)
    assert len(set(replies)) == 4


def test_a_side_question_gets_a_sentence_from_the_middle_of_a_thought_with_the_one_before() -> None:
    fields = LESSON.model_dump()
    fields["contrast"]["case"] = "A meeting came first. But Pillnitz was a threat."
    lesson = room(Lesson.model_validate(fields))
    lesson.open()
    assert "“A meeting came first. But Pillnitz" in lesson.ask("what was Pillnitz?", kind="clarification")


def test_a_side_question_gets_no_sentence_that_answers_the_open_one() -> None:
    fields = LESSON.model_dump()
    fields["contrast"]["case"] = (
        "The slow driving lasts an hour and weighs more, the quick half less, in cars and on foot."
    )
    lesson = room(Lesson.model_validate(fields))
    lesson.open()
    right(lesson)
    right(lesson)
    reply = lesson.ask("is driving in cars the same?", kind="clarification")
    assert "weighs more" not in reply
    assert "answer the question below" in reply


def test_a_side_question_about_two_things_gets_the_two_sentences_that_have_both() -> None:
    fields = LESSON.model_dump()
    fields["contrast"]["case"] = "A sprinter starts fast. The walker never hurries."
    lesson = room(Lesson.model_validate(fields))
    lesson.open()
    reply = lesson.ask("whats the difference between a sprinter and a walker again?", kind="clarification")
    assert "“A sprinter starts fast. The walker never hurries.”" in reply


def test_a_side_question_with_words_of_the_open_one_is_not_taken_for_it() -> None:
    lesson = room()
    lesson.open()
    reply = lesson.ask("do boats need hours for a km?", kind="clarification")
    assert "That is the open question itself" not in reply


def test_a_right_number_in_another_form_is_given_as_it_was_asked_for() -> None:
    lesson = room()
    lesson.open()
    assert lesson.answer("60/4", right=True).startswith(f"Yes: {FIRST.asks.answer} {FIRST.asks.unit}.")
    lesson = room()
    lesson.open()
    assert lesson.answer(f"it is {FIRST.asks.answer}", right=True).startswith("That holds.")


@pytest.mark.parametrize(
    "words", ["can we stop now", "this is boring can we stop", "i have to go", "bye", "lets take a break"]
)
def test_who_wants_to_stop_may_stop(words: str) -> None:
    lesson = room()
    lesson.open()
    reply = lesson.ask(words)
    assert reply.startswith("Yes, stop here if you like. Everything is kept")
    assert "without help" not in reply


@pytest.mark.parametrize("words", ["can we do an easier one", "do i have to do this", "something easier please"])
def test_who_wants_another_question_is_offered_one(words: str) -> None:
    lesson = at_the_choice()
    lesson.name_no_option(words)
    assert "Change the question" in lesson.name_no_option(words)


@pytest.mark.parametrize(
    ("words", "answered"),
    [
        ("how long is a knot", "nothing in this course that answers that"),
        ("why does it hide the hill", "hides the hill in the middle"),
    ],
)
def test_a_question_without_its_mark_is_one_of_the_learners_own(words: str, answered: str) -> None:
    lesson = room()
    lesson.open()
    assert answered in lesson.ask(words)


def test_what_a_word_means_is_no_wish_for_other_wording() -> None:
    lesson = room()
    lesson.open()
    assert "another side" not in lesson.ask("what do you mean by speed")
    assert "another side" in lesson.ask("what does the question mean?")


# Programs

FAULT = "With way, time = 60, 4, your program printed 64; it should print 15.0."


def test_a_program_that_fails_is_told_how_and_gets_the_help_of_its_level_where_it_fails_so_again() -> None:
    lesson = room(a_lesson_on_a_program())
    lesson.open()
    spans = [("test 1", "met", ""), ("test 3", "missing", "")]
    for level in range(2):
        reply = lesson.answer("print(way + time)\n# no", right=False, next_step=FAULT, spans=spans)
        assert reply.startswith(FAULT), "the marker's sentence comes again where the fault is the same"
        assert (a_lesson_on_a_program().steps[0].asks.help[level] in reply) is (level == 1)
        assert "test 3" not in reply
        assert "# no" not in reply


def test_what_is_no_program_is_said_once_and_not_contradicted() -> None:
    lesson = room(a_lesson_on_a_program())
    lesson.open()
    reply = lesson.answer_unmarked("divide them", "ungraded", next_step="Please write only the program.")
    assert reply.partition("\n\n")[0] == "Please write only the program."


# The end, the example and the plan


def test_the_end_says_what_was_done_alone_and_what_is_not_settled() -> None:
    lesson = room()
    lesson.open()
    right(lesson)
    lesson.push("show")
    lesson.push("show")
    right(lesson)
    assert f"You solved a question without help on each of these: {FIRST.can}; {THIRD.can}." in lesson.completed
    assert f"Practised so far: {SECOND.can}." in lesson.completed
    assert LESSON.summary not in lesson.completed


def test_a_step_that_was_solved_with_help_is_not_settled_and_one_not_asked_is_skipped() -> None:
    lesson = room(results={"check_student_progress": '{"diagnosticScore": 0.9}'}, learns=1)
    lesson.open()
    right(lesson)
    assert f"Not asked this time: {FIRST.can}; {SECOND.can}." in lesson.completed


def test_the_summary_of_the_lesson_is_said_where_all_of_it_was_done_alone() -> None:
    lesson = room(learns=3)
    lesson.open()
    for _ in range(3):
        right(lesson)
    assert LESSON.summary in lesson.completed
    assert "Practised so far" not in lesson.completed


@pytest.mark.parametrize("first", ["show me an example", "idk"])
def test_the_example_is_announced_once(first: str) -> None:
    lesson = room()
    lesson.open()
    lesson.ask(first)
    for wrong in ("1", "2", "3"):
        lesson.answer(wrong, right=False)
    told = "\n".join(text for role, text in lesson.transcript if role == "assistant")
    assert told.count("Here is a worked example") == 1


def test_a_second_request_for_an_example_gets_another_case_and_a_third_says_that_there_is_no_other() -> None:
    lesson = room()
    lesson.open()
    lesson.ask("show me an example")
    assert LESSON.contrast.case in lesson.ask("can you give me another example?")
    said = lesson.ask("show me an example")
    assert said.startswith(f"The worked example “{LESSON.example.title}” is the only one")
    assert lesson.calls == []


def test_a_lesson_that_has_no_example_does_not_say_that_one_is_there() -> None:
    lesson = Classroom(make_tutor(lambda _: lesson_from_course(LESSON)), SUBJECT)
    lesson.open()
    lesson.callable_tools = ("reply",)
    assert LESSON.contrast.case in lesson.ask("show me an example")
    assert lesson.ask("show me an example").startswith("There is no example")


def test_every_question_is_about_a_line_of_the_plan_that_was_given_with_the_first() -> None:
    lesson = room(learns=9)
    lesson.open()
    for _ in range(6):
        right(lesson)
    assert lesson.asked[0]["plan"] == [step.can for step in LESSON.steps]
    assert all(call["can"] in lesson.plan.goals for call in lesson.asked)


def test_the_test_case_is_left_out_where_it_would_use_up_the_help_that_comes() -> None:
    fields = LESSON.model_dump()
    fields["contrast"] |= {"case": "A slow part lasts an hour, a quick one half as long.", "idea": "the middle of two"}
    lesson = room(Lesson.model_validate(fields))
    lesson.open()
    right(lesson)
    right(lesson)
    for text in THIRD.asks.help:
        assert text in lesson.answer("45 it is, ok", right=False, misconception="takes the middle of two speeds")


def test_a_title_with_quotation_marks_has_single_ones_inside_the_tutors() -> None:
    result = '{"prerequisites": [{"title": "“Given” cuts the crowd", "mastered": false}]}'
    lesson = room(results={"check_prerequisite_mastery": result})
    assert "“‘Given’ cuts the crowd”" in lesson.open()
