"""Side questions: answered from the lesson in a sentence, or honestly not; nothing moves on by them."""

from collections.abc import Iterator
from itertools import pairwise

from sprout.learning.text.stems import stems
from sprout.offline.courses.definitions import asks_meaning, definition
from sprout.offline.demo.tutor.composition import LeakCheck, Priority, Snippet
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.notes.words import needs_context

SAME_QUESTION = 0.7
SHARE_OF_PROMPT = 0.5
LEAST_SHARED = 2  # words
ANSWERS_IT = 0.5
HALF_OF_ANSWER = 0.5
LONGEST_ANSWER = 40  # words
_ASKING = stems(["difference example dont cant isnt doesnt whats happens work works reason please thing"])


def side_question_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """A sentence of the lesson that has to do with it, or an honest word; the open question stays as it is."""
    frames, said, words = now.templates, now.turn.said, now.turn.message
    defined = side_definition(words, now.lesson, frames)
    if not defined and _is_question(words, now.pending.prompt):
        yield Snippet(frames.render("aside_is_the_question"))
        yield from next_move_snippets(now)
        return
    answers = [defined] if defined else side_answers(words, now.lesson, frames)
    # A definition has words of many answers, "print" and "return", without saying what they do in this one.
    allowed = (one for one in answers if _keeps_secret(one, None if defined else now.question, check))
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
    """Replies with the places of the lesson that have most to do with the question, best first: a sentence, or two.

    None where it asks what a word means, which no sentence that merely has the word answers.
    """
    asked = stems([words]) - _ASKING
    if not asked or (teaching.course and asks_meaning(words)):
        return []
    least = max(min(LEAST_SHARED, len(asked)), ANSWERS_IT * len(asked))
    met = [(_shared(asked, stems([place])), place) for place in _places(teaching)]
    fitting = sorted((pair for pair in met if pair[0] >= least), key=lambda pair: (-pair[0], len(pair[1])))
    frame = "aside_notes" if teaching.source == "notes" else "aside_lesson"
    return [frames.render(frame, text=inner_quotes(place.strip(" #|"))) for _, place in fitting]


def _places(teaching: TutorLesson) -> Iterator[str]:
    """The sentences of the lesson that stand alone, and each with the one after it."""
    for sentence, following in pairwise([*teaching.sentences, ""]):
        if _stands_alone(sentence, teaching.language):
            yield sentence
            if following and _is_statement(both := f"{sentence} {following}"):
                yield both


def _shared(asked: frozenset[str], place: frozenset[str]) -> int:
    """How many of the stems the place has, too; inflection leaves more or less of one: "retur", "return"."""
    return sum(any(one.startswith(other) or other.startswith(one) for other in place) for one in asked)


def _is_question(words: str, prompt: str) -> bool:
    """Whether the words are the open question once more: they share most of each other's."""
    asked, open_one = stems([words]), stems([prompt])
    shared = _shared(asked, open_one)
    return len(asked) > 1 and shared >= SAME_QUESTION * len(asked) and shared >= SHARE_OF_PROMPT * len(open_one)


def _keeps_secret(reply: str, question: PreparedQuestion | None, check: LeakCheck | None) -> bool:
    says_half = question is not None and _says_half_of_answer(reply, question)
    return not says_half and (check is None or check.passes(reply))


def _stands_alone(sentence: str, language: str) -> bool:
    """Return True if a sentence answers by itself: short, no question, and not in the middle of a thought."""
    return _is_statement(sentence) and not needs_context(sentence, language)


def _is_statement(text: str) -> bool:
    return len(text.split()) <= LONGEST_ANSWER and not text.rstrip().endswith("?")


def _says_half_of_answer(sentence: str, question: PreparedQuestion) -> bool:
    """Return True if the sentence has half of what the answer adds to the question: what the leak check lets pass may
    still be all that a learner has to copy."""
    new = stems([question.answer]) - stems([question.prompt])
    return bool(new) and len(new & stems([sentence])) >= HALF_OF_ANSWER * len(new)
