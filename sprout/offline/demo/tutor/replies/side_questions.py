"""Side questions: answered from the lesson in a sentence, or honestly not; nothing moves on by them."""

from collections.abc import Iterator

from sprout.learning.text.stems import stems
from sprout.offline.courses.definitions import asks_meaning, definition
from sprout.offline.demo.tutor.composition import LeakCheck, Priority, Snippet
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.notes.title_claims import needs_context

SAME_QUESTION = 0.7
ANSWERS_IT = 0.5
HALF_OF_ANSWER = 0.5
LONGEST_ANSWER = 40  # words


def side_question_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """A sentence of the lesson that has to do with it, or an honest word; the open question stays as it is."""
    frames, said, words = now.templates, now.turn.said, now.turn.message
    defined, asked = side_definition(words, now.lesson, frames), stems([words])
    if not defined and len(asked) > 1 and len(asked & stems([now.pending.prompt])) >= SAME_QUESTION * len(asked):
        yield Snippet(frames.render("aside_is_the_question"))
        yield from next_move_snippets(now)
        return
    answers = [defined] if defined else side_answers(words, now.lesson, frames)
    allowed = (one for one in answers if _keeps_secret(one, now.question, check))
    if answer := next(allowed, ""):
        yield Snippet(answer, whole=True)
    else:
        yield Snippet(frames.fresh("aside_withheld" if answers else "aside_unknown", said), whole=True)
        offer = "aside_offer" if now.lesson.example and not now.example_is_shown else "aside_hint"
        yield Snippet(frames.fresh(offer, said), Priority.SHOULD)
    yield Snippet(frames.fresh("open", said))


def side_definition(words: str, teaching: TutorLesson, frames: Templates) -> str:
    """Reply with the course's definition of the term whose meaning is asked; empty without one."""
    found = definition(teaching.course, words) if teaching.course else ""
    return frames.render("aside_definition", text=found) if found else ""


def side_answers(words: str, teaching: TutorLesson, frames: Templates) -> list[str]:
    """Replies with the sentences of the lesson that have most to do with the question, best first.

    None where it asks what a word means, which no sentence that merely has the word answers.
    """
    asked = stems([words])
    if not asked or (teaching.course and asks_meaning(words)):
        return []
    met = [(len(asked & stems([one])), one) for one in teaching.sentences if _stands_alone(one, teaching.language)]
    fitting = sorted((pair for pair in met if pair[0] >= ANSWERS_IT * len(asked)), key=lambda pair: -pair[0])
    frame = "aside_notes" if teaching.source == "notes" else "aside_lesson"
    return [frames.render(frame, text=inner_quotes(sentence.strip(" #|"))) for _, sentence in fitting]


def _keeps_secret(reply: str, question: PreparedQuestion | None, check: LeakCheck | None) -> bool:
    says_half = question is not None and _says_half_of_answer(reply, question)
    return not says_half and (check is None or check.passes(reply))


def _stands_alone(sentence: str, language: str) -> bool:
    """Return True if a sentence answers by itself: short, no question, and not in the middle of a thought."""
    is_short = len(sentence.split()) <= LONGEST_ANSWER
    return is_short and not sentence.rstrip().endswith("?") and not needs_context(sentence, language)


def _says_half_of_answer(sentence: str, question: PreparedQuestion) -> bool:
    """Return True if the sentence has half of what the answer adds to the question: what the leak check lets pass may
    still be all that a learner has to copy."""
    new = stems([question.answer]) - stems([question.prompt])
    return bool(new) and len(new & stems([sentence])) >= HALF_OF_ANSWER * len(new)
