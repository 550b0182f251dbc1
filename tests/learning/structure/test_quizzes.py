"""Questions with options read out of a document."""

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.quizzes import QuizQuestion, quiz_questions
from sprout.learning.structure.roles import classify


def questions(text: str) -> list[QuizQuestion]:
    return quiz_questions(classify(read_structure(text), text))


def test_a_question_its_options_and_its_answer() -> None:
    text = "# Quiz\n\n1. Which planet is red?\n\na) Venus\nb) Mars\n\nAnswer: B\n"
    (found,) = questions(text)
    assert (found.question, found.options, found.correct) == ("Which planet is red?", ("Venus", "Mars"), (1,))


def test_options_below_numbered_questions() -> None:
    text = "# Quiz\n\n1. Which is red?\n   a) Venus\n   b) Mars\n2. Which is blue?\n   a) Earth\n   b) Mars\n"
    assert [(each.question, each.options) for each in questions(text)] == [
        ("Which is red?", ("Venus", "Mars")),
        ("Which is blue?", ("Earth", "Mars")),
    ]


def test_an_answer_right_below_the_last_option_is_no_part_of_it() -> None:
    (found,) = questions("# Quiz\n\nWas ist rot?\na) Venus\nb) Mars\nLösung: b)\n")
    assert (found.options, found.correct) == (("Venus", "Mars"), (1,))


def test_ticked_options_are_the_right_ones() -> None:
    (found,) = questions("## Which are prime?\n\n- [x] 2\n- [ ] 4\n- [x] 5\n")
    assert (found.question, found.options, found.correct) == ("Which are prime?", ("2", "4", "5"), (0, 2))


def test_an_answer_in_words_names_no_option() -> None:
    (found,) = questions("# Quiz\n\nWas ist rot?\n\na) Venus\nb) Mars\n\nLösung: Mars ist rot.\n")
    assert found.correct == ()
