"""Side questions: answered from the lesson or its course, or honestly not; nothing moves on by them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from sprout.learning.text.stems import shared_stems, stems
from sprout.offline.courses.course_search import Passage, defined_term, search_course
from sprout.offline.courses.definitions import asks_meaning, definition, likened_definition, plain_words
from sprout.offline.demo.tutor.composition import LeakCheck, Snippet
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.about_answers import about_answer_snippets
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.replies.own_reasoning import (
    asks_again,
    asks_openly,
    asks_way,
    calculates,
    reasoning_snippets,
    step_points,
)
from sprout.offline.demo.tutor.replies.purpose import purpose_snippets
from sprout.offline.demo.tutor.replies.solved_before import solved_before_snippets
from sprout.offline.demo.tutor.replies.task_numbers import (
    explained_number_snippets,
    sought_letter_snippets,
    task_number_snippets,
)
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.demo.tutor.turn import Turn
from sprout.offline.notes.words import needs_context

SAME_QUESTION = 0.7
SHARE_OF_PROMPT = 0.5
LEAST_SHARED = 2  # words
ANSWERS_IT = 0.5
HALF_OF_ANSWER = 0.5
LONGEST_ANSWER = 40  # words
_ASKING = stems(["difference example dont cant isnt doesnt whats happens work works reason please thing"])


@dataclass(frozen=True, slots=True)
class _SideAnswer:
    """A reply to a side question; a definition has words of many answers, without saying what they do in this one.

    Args:
        is_elsewhere: from another lesson of the course.
    """

    text: str
    is_definition: bool = False
    is_elsewhere: bool = False


def side_question_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """A reply about the answer that it is about, a passage that answers it, or an honest word and what can be
    done; the open question stays as it is.
    """
    frames, said = now.templates, now.turn.said
    if about := [*about_answer_snippets(now), *purpose_snippets(now.turn, now.lesson, frames)]:
        yield from about
        yield Snippet(frames.fresh("open", said))
        return
    answers = [*_side_answers(now.turn.message, now.lesson, frames)]
    if not (answers and answers[0].is_definition) and _is_question(now.turn.message, now.pending.prompt):
        yield Snippet(frames.render("aside_is_the_question"))
        yield from next_move_snippets(now)
    elif answer := next(_best_first(answers, now, check), None):
        yield answer
        yield Snippet(frames.fresh("open", said))
    elif asks_way(now.turn.message) and now.example_is_shown:
        where = now.example_notice or frames.render("example_shown", title=now.lesson.example_title)
        yield Snippet(where, repeatable=True)
        yield Snippet(frames.fresh("aside_way", said))
        yield Snippet(frames.fresh("open", said))
    elif calculates(now.turn.message):
        yield Snippet(frames.fresh("try_yours", said))
    else:
        offer = "aside_offer" if now.lesson.example and not now.example_is_shown else "ways"
        honest = _harmless("aside_withheld" if answers else "aside_unknown", now, check)
        yield Snippet(honest, whole=True)
        yield Snippet(_harmless(offer, now, check, after=honest), whole=True)


def wants_way(now: OpenQuestion) -> bool:
    """Return True if a side question is how something is done, which the lesson says nowhere: its example shows it."""
    if not (now.is_aside and asks_way(now.turn.message)):
        return False
    about = any(about_answer_snippets(now)) or any(purpose_snippets(now.turn, now.lesson, now.templates))
    answers = [*_side_answers(now.turn.message, now.lesson, now.templates)]
    return not about and next(_best_first(answers, now, now.check), None) is None


def _best_first(answers: Sequence[_SideAnswer], now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """Replies that may be given, best first: on the question just solved, on the numbers asked about, on the matter.
    The step's own explanation comes first where it is to be said again, and before other lessons."""
    words = now.turn.message
    here = [one for one in answers if not one.is_elsewhere]
    is_again = asks_again(words) and not (answers and answers[0].is_definition)
    is_for_example = asks_way(words) and not is_again
    steps = [] if asks_meaning(words) or is_for_example else map(_SideAnswer, step_points(now))
    if not (answers and answers[0].is_definition):
        yield from _passing(solved_before_snippets(now.turn, now.lesson, now.templates), check)
        yield from reasoning_snippets(now)
        yield from _passing(sought_letter_snippets(now), check)
        if asks_openly(words):
            yield from _passing(task_number_snippets(now), check)
    elsewhere = [] if is_for_example else [one for one in answers if one.is_elsewhere]
    for one in chain(*((steps, here) if is_again else (here, steps)), elsewhere):
        if _keeps_secret(one, now.question, check):
            yield Snippet(one.text, whole=True)
    if not calculates(words):
        yield from _passing(chain(task_number_snippets(now), explained_number_snippets(now)), check)


def _passing(parts: Iterator[Snippet], check: LeakCheck | None) -> Iterator[Snippet]:
    return (part for part in parts if check is None or check.passes(part.text))


def side_answer(turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    """Reply to a side question while nothing is open; empty where the course says nothing of it."""
    about = [*purpose_snippets(turn, teaching, frames)] or [*solved_before_snippets(turn, teaching, frames)]
    said = " ".join(part.text for part in about)
    return said or next((one.text for one in _side_answers(turn.message, teaching, frames)), "")


def _side_answers(words: str, teaching: TutorLesson, frames: Templates) -> Iterator[_SideAnswer]:
    """Replies to the question, best first: the definition that it asks for; else that of a term that it likens to
    something, passages of the lesson and of its course, and the definition of the one term that it is about.

    Where it asks what a word means, no sentence that merely has the word answers it.
    """
    slug = teaching.course
    if found := definition(slug, words) if slug else "":
        yield _SideAnswer(frames.render("aside_definition", text=found), is_definition=True)
    elif says := plain_words(words):
        yield _SideAnswer(frames.render("aside_plain", text=says), is_definition=True)
    elif not slug:
        yield from map(_SideAnswer, _from_sentences(words, teaching, frames))
    elif not asks_meaning(words):
        if says := likened_definition(slug, words):
            yield _SideAnswer(frames.render("aside_likened", text=says), is_definition=True)
        yield from (_from_course(one, teaching, frames) for one in search_course(slug, teaching.subconcept, words))
        if not asks_way(words) and (says := defined_term(slug, words)):
            yield _SideAnswer(frames.render("aside_term", text=says), is_definition=True)


def _from_course(found: Passage, teaching: TutorLesson, frames: Templates) -> _SideAnswer:
    if not found.lesson:
        return _SideAnswer(frames.render("aside_definition", text=found.text), is_definition=True)
    quoted = inner_quotes(found.text)
    if found.lesson == teaching.subconcept:
        return _SideAnswer(frames.render("aside_lesson", text=quoted))
    return _SideAnswer(frames.render("aside_elsewhere", title=found.lesson, text=quoted), is_elsewhere=True)


def _from_sentences(words: str, teaching: TutorLesson, frames: Templates) -> list[str]:
    """Replies with the sentences of a lesson outside the courses that share most words with the question."""
    asked = stems([words]) - _ASKING
    if not asked:
        return []
    least = max(min(LEAST_SHARED, len(asked)), ANSWERS_IT * len(asked))
    met = [(shared_stems(asked, stems([place])), place) for place in _places(teaching)]
    fitting = sorted((pair for pair in met if pair[0] >= least), key=lambda pair: (-pair[0], len(pair[1])))
    return [frames.render("aside_lesson", text=inner_quotes(place.strip(" #|"))) for _, place in fitting]


def _places(teaching: TutorLesson) -> Iterator[str]:
    """The sentences of the lesson that stand alone, and each with the one after it."""
    for sentence, following in pairwise([*teaching.sentences, ""]):
        if _stands_alone(sentence, teaching.language):
            yield sentence
            if following and _is_statement(both := f"{sentence} {following}"):
                yield both


def _is_question(words: str, prompt: str) -> bool:
    """Whether the words are the open question once more: they share most of each other's."""
    asked, open_one = stems([words]), stems([prompt])
    shared = shared_stems(asked, open_one)
    return len(asked) > 1 and shared >= SAME_QUESTION * len(asked) and shared >= SHARE_OF_PROMPT * len(open_one)


def _harmless(name: str, now: OpenQuestion, check: LeakCheck | None, after: str = "") -> str:
    """The freshest wording of that name that, with what comes before it, uses no word of the answer."""
    frames, said = now.templates, now.turn.said
    wordings = sorted(frames.wordings(name), key=lambda one: said.count(frames.constant_part(one)))
    texts = [frames.render(one) for one in wordings]
    return next((text for text in texts if check is None or check.passes(f"{after} {text}".strip())), texts[0])


def _keeps_secret(reply: _SideAnswer, question: PreparedQuestion | None, check: LeakCheck | None) -> bool:
    says_half = question is not None and not reply.is_definition and _says_half_of_answer(reply.text, question)
    return not says_half and (check is None or check.passes(reply.text))


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
