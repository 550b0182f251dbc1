"""The question just solved: what a side question that looks back at it is answered with."""

from collections.abc import Iterator

from sprout.learning.text.normalization import folded
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, Snippet, first_sentences
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.own_reasoning import asks_reason, looks_back
from sprout.offline.demo.tutor.replies.task_numbers import numbers_in
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.demo.tutor.turn import Turn

MOST_OF_BARE = 3  # words: "why?", "why is that"


def solved_before_snippets(turn: Turn, lesson: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """The way of the question before the open one, if the message asks about its numbers, or looks back at once; of the
    last question of all if it asks nothing but why. What was settled is no secret.
    """
    asked = turn.asked[:-1] if turn.pending is not None else turn.asked
    found = lesson.find(asked[-1]) if asked else None
    asks = asks_reason(turn.message) or looks_back(turn.message)
    if found is None or not asks or not _was_explained(found[1], turn.said):
        return
    question = found[1]
    way = " ".join(question.solution)
    named, there = set(numbers_in(turn.message)), set(numbers_in(f"{question.prompt} {way} {question.because}"))
    here = set(numbers_in(turn.pending.prompt)) if turn.pending is not None else set[str]()
    is_about = bool(named) and named <= there and not named <= here
    is_bare = turn.pending is None and len(turn.message.split()) <= MOST_OF_BARE
    is_at_once = not named and (is_bare or (looks_back(turn.message) and not turn.since_posed()[1]))
    if is_about or is_at_once:
        text = question.because if "```" in way or way in turn.said else way
        yield Snippet(frames.render("aside_solved", text=first_sentences(text, MOST_OF_ASIDE) or text), whole=True)


def _was_explained(question: PreparedQuestion, said: str) -> bool:
    told = (question.because, *question.solution[:1])
    return any(text and folded(text) in folded(said) for text in told)
