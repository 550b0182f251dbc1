"""Typed answers in sentences: which of them are tries, so that their learners compare them (A11)."""

import pytest

from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.turn import InputMeaning, LearnerInput, TurnKind, interpret_input
from sprout.learning.questions.questions import QuestionDraft
from tests.learning.marking.test_typed_answers import TypedAnswer, answers_of

SETS = ("typed_answers", "typed_answers_apart", "typed_answers_last")


def meaning_of(answer: TypedAnswer) -> InputMeaning:
    draft = QuestionDraft(answer.question.prompt, "open_ended", answer.question.answer, 3, ("A part",))
    asked = AskedCheckpoint("a question", LessonCheckpoint(draft, "text"))
    return interpret_input(asked, LearnerInput(TurnKind.ANSWER, answer.says))


@pytest.mark.parametrize("answer_set", SETS)
def test_A11_every_try_in_sentences_is_compared_by_its_learner(answer_set: str) -> None:
    """What is beside the question may be compared too; it is never marked."""
    typed = [one for kind in ("text", "open_ended") for one in answers_of(answer_set, kind)]
    tries = [one for one in typed if one.verdict != "no_attempt" and not getattr(one.question, "terms", ())]
    assert len(tries) > 100
    assert [one.says for one in tries if meaning_of(one) is not InputMeaning.ATTEMPT] == []
