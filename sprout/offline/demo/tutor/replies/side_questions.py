"""Side questions: answered from the lesson in a sentence, or honestly not; nothing moves on by them."""

from collections.abc import Iterator

from sprout.learning.text.stems import stems
from sprout.offline.courses.definitions import asks_meaning, definition
from sprout.offline.demo.tutor.composition import LeakCheck, Priority, Snippet
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.notes.words import needs_context

SAME_QUESTION = 0.7
ANSWERS_IT = 0.5
HALF_OF_ANSWER = 0.5
LONGEST_ANSWER = 40  # words


def side_question_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """A sentence of the lesson that has to do with it, or an honest word; the open question stays as it is."""
    frames, said, asked = now.templates, now.turn.said, stems([now.turn.message])
    defined = bool(now.lesson.course) and bool(definition(now.lesson.course, now.turn.message))
    if not defined and len(asked) > 1 and len(asked & stems([now.pending.prompt])) >= SAME_QUESTION * len(asked):
        yield Snippet(frames.render("aside_is_the_question"))
        yield from next_move_snippets(now)
        return
    answer = find_side_answer(now.turn.message, now.lesson, frames, check, now.question)
    yield Snippet(answer or frames.fresh("aside_unknown", said), whole=True)
    if not answer:
        offer = "aside_offer" if now.lesson.example and not now.example_is_shown else "aside_hint"
        yield Snippet(frames.fresh(offer, said), Priority.SHOULD)
    yield Snippet(frames.fresh("open", said))


def find_side_answer(
    words: str,
    teaching: TutorLesson,
    frames: Templates,
    check: LeakCheck | None = None,
    question: PreparedQuestion | None = None,
) -> str:
    """Answer to a side question: the course's definition of the term that it asks for, or the sentence of the lesson
    that says most about it; empty where none may be said.

    Args:
        check: of the open question, if there is one.
        question: the open question.
    """
    if teaching.course and (defined := definition(teaching.course, words)) and (check is None or check.passes(defined)):
        return frames.render("aside_definition", text=defined)
    if teaching.course and asks_meaning(words):
        return ""
    asked = stems([words])
    met = [(len(asked & stems([one])), one) for one in teaching.sentences if _stands_alone(one, teaching.language)]
    fitting = sorted((pair for pair in met if asked and pair[0] >= ANSWERS_IT * len(asked)), key=lambda pair: -pair[0])
    frame = "aside_notes" if teaching.source == "notes" else "aside_lesson"
    answers = (
        frames.render(frame, text=sentence.strip(" #|"))
        for _, sentence in fitting
        if question is None or not _says_half_of_answer(sentence, question)
    )
    return next((text for text in answers if check is None or check.passes(text)), "")


def _stands_alone(sentence: str, language: str) -> bool:
    """Return True if a sentence answers by itself: short, no question, and not in the middle of a thought."""
    is_short = len(sentence.split()) <= LONGEST_ANSWER
    return is_short and not sentence.rstrip().endswith("?") and not needs_context(sentence, language)


def _says_half_of_answer(sentence: str, question: PreparedQuestion) -> bool:
    """Return True if the sentence has half of what the answer adds to the question: what the leak check lets pass may
    still be all that a learner has to copy."""
    new = stems([question.answer]) - stems([question.prompt])
    return bool(new) and len(new & stems([sentence])) >= HALF_OF_ANSWER * len(new)
