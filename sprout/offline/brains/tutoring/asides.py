"""Side questions: answered from the lesson in a sentence, or honestly not; nothing moves on by them."""

from collections.abc import Iterator

from sprout.learning.text.stems import stems
from sprout.offline.brains.tutoring.frames import Frames
from sprout.offline.brains.tutoring.open_question import Open, try_parts
from sprout.offline.brains.tutoring.speech import Check, Part
from sprout.offline.brains.tutoring.teaching import Teaching

SAME_QUESTION = 0.7
ANSWERS_IT = 0.5
LONGEST_ANSWER = 40  # words


def aside_parts(now: Open, check: Check | None) -> Iterator[Part]:
    """A sentence of the lesson that has to do with it, or an honest word; the open question stays as it is."""
    frames, asked = now.frames, stems([now.turn.words])
    if len(asked) > 1 and len(asked & stems([now.pending.prompt])) >= SAME_QUESTION * len(asked):
        yield Part(frames.say("aside_is_the_question"))
        yield Part(frames.say("try_first"))
        yield from try_parts(now)
        return
    yield Part(side_answer(now.turn.words, now.teaching, frames, check))
    yield Part(frames.say("open"))


def side_answer(words: str, teaching: Teaching, frames: Frames, check: Check | None) -> str:
    """The sentence of the lesson that says most about what the words ask and may be said; else that there is none."""
    asked = stems([words])
    met = [(len(asked & stems([one])), one) for one in teaching.told if _can_answer(one)]
    fitting = sorted((pair for pair in met if asked and pair[0] >= ANSWERS_IT * len(asked)), key=lambda pair: -pair[0])
    frame = "aside_notes" if teaching.source == "notes" else "aside_lesson"
    answers = (frames.say(frame, text=sentence.strip(" #|")) for _, sentence in fitting)
    found = next((text for text in answers if check is None or check.passes(text)), None)
    return found or frames.say("aside_unknown")


def _can_answer(sentence: str) -> bool:
    return len(sentence.split()) <= LONGEST_ANSWER and not sentence.rstrip().endswith("?")
