"""Side questions: answered from the lesson in a sentence, or honestly not; nothing moves on by them."""

from collections.abc import Iterator

from sprout.learning.text.stems import stems
from sprout.offline.demo.tutor.composition import LeakCheck, Snippet
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.templates import Templates

SAME_QUESTION = 0.7
ANSWERS_IT = 0.5
LONGEST_ANSWER = 40  # words


def side_question_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """A sentence of the lesson that has to do with it, or an honest word; the open question stays as it is."""
    frames, asked = now.templates, stems([now.turn.message])
    if len(asked) > 1 and len(asked & stems([now.pending.prompt])) >= SAME_QUESTION * len(asked):
        yield Snippet(frames.render("aside_is_the_question"))
        yield from next_move_snippets(now)
        return
    yield Snippet(answer_side_question(now.turn.message, now.lesson, frames, check))
    yield Snippet(frames.render("open"))


def answer_side_question(words: str, teaching: TutorLesson, frames: Templates, check: LeakCheck | None) -> str:
    """The sentence of the lesson that says most about what the words ask and may be said; else that there is none."""
    asked = stems([words])
    met = [(len(asked & stems([one])), one) for one in teaching.sentences if _can_answer(one)]
    fitting = sorted((pair for pair in met if asked and pair[0] >= ANSWERS_IT * len(asked)), key=lambda pair: -pair[0])
    frame = "aside_notes" if teaching.source == "notes" else "aside_lesson"
    answers = (frames.render(frame, text=sentence.strip(" #|")) for _, sentence in fitting)
    found = next((text for text in answers if check is None or check.passes(text)), None)
    return found or frames.render("aside_unknown")


def _can_answer(sentence: str) -> bool:
    return len(sentence.split()) <= LONGEST_ANSWER and not sentence.rstrip().endswith("?")
