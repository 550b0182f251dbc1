"""Side questions: answered from the lesson or its course, or honestly not; nothing moves on by them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.lessons.lesson_talk import wants_help
from sprout.learning.text.language import detect_language
from sprout.learning.text.normalization import folded
from sprout.learning.text.stems import shared_stems, stems
from sprout.offline.courses.asked_questions import FoundAnswer, asked_answer
from sprout.offline.courses.course_parts import part_that_speaks_of, signs_in
from sprout.offline.courses.course_search import Passage, count_needs_met, defined_term, names_matter, search_course
from sprout.offline.courses.definitions import asks_meaning, definition, likened_definition, plain_words
from sprout.offline.courses.meaning_questions import meaning_questions
from sprout.offline.demo.tutor.composition import LeakCheck, Snippet
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.about_answers import about_answer_snippets
from sprout.offline.demo.tutor.replies.about_lesson import about_lesson, how_to_compare
from sprout.offline.demo.tutor.replies.course_parts import is_on_another_part, part_snippets
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, next_move_snippets
from sprout.offline.demo.tutor.replies.own_reasoning import (
    asks_again,
    asks_openly,
    asks_reason,
    asks_way,
    calculates,
    names_calculation,
    reasoning_snippets,
    step_points,
)
from sprout.offline.demo.tutor.replies.purpose import purpose_snippets
from sprout.offline.demo.tutor.replies.solved_before import solved_before_snippets
from sprout.offline.demo.tutor.replies.task_numbers import (
    numbers_in,
    sought_letter_snippets,
    task_number_snippets,
)
from sprout.offline.demo.tutor.templates import CODES, Templates, inner_quotes, templates_for
from sprout.offline.demo.tutor.turn import Turn
from sprout.offline.notes.words import needs_context

SAME_QUESTION = 0.7
SHARE_OF_PROMPT = 0.5
LEAST_SHARED = 2  # words
ANSWERS_IT = 0.5
HALF_OF_ANSWER = HALF_OF_NEEDS = 0.5
LONGEST_ANSWER = 40  # words
_REFERS = re.compile(r"\b(?:it|they|them|these|those|es|sie)\b|\bthat(?=\W*(?:[?.!,;]|\Z))", re.IGNORECASE)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_NAMED = re.compile(r"\b([A-Za-z_]\w+)(?= *=(?!=)| in |[,)(])")
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
    """A reply about the answer that it is about, a passage that answers it, the way into the open question, or an
    honest word and what can be done; the open question stays as it is.
    """
    if first := _about_snippets(now):
        yield from first
        return
    answers = [*_side_answers(now.turn.message, now.lesson, now.templates)]
    if not (answers and answers[0].is_definition) and _is_question(now.turn.message, now.pending.prompt):
        yield Snippet(now.templates.render("aside_is_the_question"))
        yield from next_move_snippets(now)
    elif answer := next(_best_first(answers, now, check), None):
        yield from [answer, *still_open(now, answer.text)]
    elif asks_way(now.turn.message) and is_on_another_part(now) and (part := next(part_snippets(now, check), None)):
        yield from [part, *still_open(now, part.text)]
    elif lead := _lead_snippets(now, check):
        yield from lead
    else:
        parts = [*part_snippets(now, check)]
        honest = _harmless("aside_withheld", now, check) if answers else _honest_word(now, check, has_part=bool(parts))
        yield from [Snippet(honest, whole=True), *parts]
        how = how_to_compare(now.templates) if now.is_comparing else _harmless("aside_ways", now, check, after=honest)
        yield Snippet(how, whole=True)


def _honest_word(now: OpenQuestion, check: LeakCheck | None, *, has_part: bool) -> str:
    """The honest word where no sentence answers: the course says nothing of it only where no text of it does."""
    words, slug = now.turn.message, now.lesson.course
    spoken = detect_language(words, among=CODES, default=now.templates.code)
    if spoken != now.templates.code:
        return templates_for(spoken).render("aside_other_language")
    if slug and asks_reason(words) and numbers_in(words) and not names_matter(slug, words):
        return _harmless("aside_own_numbers", now, check)
    is_there = has_part or bool(slug and part_that_speaks_of(slug, now.lesson.subconcept, words))
    return _harmless("aside_no_sentence" if is_there else "aside_unknown", now, check)


def _about_snippets(now: OpenQuestion) -> list[Snippet]:
    """A reply about the learner's answer or what the part is for; to who has had all help the last step, and the ways
    on."""
    frames = now.templates
    if about := [*about_answer_snippets(now), *purpose_snippets(now.turn, now.lesson, frames)]:
        return [*about, *still_open(now, about[0].text)]
    if not wants_help(now.turn.message) or now.pending.level is not HelpLevel.WORKED_STEP:
        return []
    last = now.question.help[-1:] if now.question is not None else ()
    steps = [Snippet(text, whole=True, repeatable=True) for text in last]
    return [*steps, Snippet(frames.fresh("ways", now.turn.said))]


def _lead_snippets(now: OpenQuestion, check: LeakCheck | None) -> list[Snippet]:
    """What leads on where no sentence answers: the worked example, a try, what a name of the program is, the way into
    the open question."""
    frames, said = now.templates, now.turn.said
    if asks_way(now.turn.message) and now.example_notice:
        return [Snippet(now.example_notice, repeatable=True), Snippet(frames.fresh("aside_way", said))]
    if calculates(now.turn.message):
        return [Snippet(frames.fresh("try_yours", said))]
    if word := _name_of_program(now):
        return [Snippet(frames.render("aside_name", word=word), whole=True)]
    if way := next(_passing(map(Snippet, _ways_in(now)), check), None):
        return [replace(way, whole=True), *still_open(now, way.text)]
    if not (asks_way(now.turn.message) and now.example_is_shown):
        return []
    shown = frames.render("example_shown", title=now.lesson.example_title)
    return [Snippet(shown, repeatable=True), Snippet(frames.fresh("aside_way", said))]


def asked_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The answer that the course has to just this question."""
    found = _find_asked(now.turn.message, now.lesson)
    if found is None:
        return
    answer = _from_asked(found, now.lesson, now.templates)
    if _keeps_secret(answer, now.question, now.check):
        yield Snippet(answer.text, whole=True, repeatable=True)
        yield from still_open(now, answer.text)
    else:
        yield Snippet(_harmless("aside_withheld", now, now.check), whole=True)


def definition_snippets(now: OpenQuestion) -> list[Snippet]:
    """The definition of the term whose meaning the message asks for."""
    slug = now.lesson.course
    says = definition(slug, now.turn.message) if slug else ""
    return [Snippet(now.templates.render("aside_definition", text=says), whole=True)] if says else []


def _find_asked(words: str, teaching: TutorLesson) -> FoundAnswer | None:
    """The answer of the course to just this question; None where the meaning of a term is asked for, too."""
    if not teaching.course or definition(teaching.course, words):
        return None
    return asked_answer(teaching.course, teaching.subconcept, words)


def _from_asked(found: FoundAnswer, teaching: TutorLesson, frames: Templates) -> _SideAnswer:
    if found.lesson == teaching.subconcept:
        return _SideAnswer(found.says)
    return _SideAnswer(frames.render("aside_asked", title=inner_quotes(found.lesson), text=found.says))


def still_open(now: OpenQuestion, reply: str) -> list[Snippet]:
    """That the question is still open, at the first side question of a lesson, and where a reply is said again."""
    frames, said = now.templates, now.turn.said
    is_known = any(frames.constant_part(one) in said for one in frames.wordings("open"))
    return [] if is_known and reply not in said else [Snippet(frames.fresh("open", said))]


def wants_way(now: OpenQuestion) -> bool:
    """Return True if a side question is how something is done, which the lesson says nowhere: its example shows it."""
    words = now.turn.message
    if not asks_way(words) or not (now.is_aside or wants_help(words)) or any(asked_snippets(now)):
        return False
    about = any(about_answer_snippets(now)) or any(purpose_snippets(now.turn, now.lesson, now.templates))
    about = about or bool(about_lesson(now.turn, now.lesson, now.templates))
    answers = [*_side_answers(now.turn.message, now.lesson, now.templates)]
    return not about and not is_on_another_part(now) and next(_best_first(answers, now, now.check), None) is None


def _best_first(answers: Sequence[_SideAnswer], now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """Replies that may be given, best first: on the question just solved, on the numbers asked about, on the matter.
    The step's own explanation comes first where it is to be said again, and before other lessons. How something is done
    no sentence that has a word of it says."""
    words = now.turn.message
    here = [one for one in answers if not one.is_elsewhere]
    is_again = asks_again(words) and not (answers and answers[0].is_definition)
    is_for_example = asks_way(words) and not is_again
    steps = [] if asks_meaning(words) or is_for_example else map(_SideAnswer, step_points(now))
    if not (answers and answers[0].is_definition):
        yield from _passing(solved_before_snippets(now.turn, now.lesson, now.templates), check)
        yield from reasoning_snippets(now)
        yield from _passing(sought_letter_snippets(now), check)
        if asks_openly(words) and not asks_reason(words):
            yield from _passing(task_number_snippets(now), check)
    elsewhere = [] if is_for_example else [one for one in answers if one.is_elsewhere]
    for one in chain(*((steps, here) if is_again else (here, steps)), elsewhere):
        if _keeps_secret(one, now.question, check):
            yield Snippet(one.text, whole=True)


def _name_of_program(now: OpenQuestion) -> str:
    """The name in the program of the open question that the message asks the meaning of."""
    program = "\n".join(_FENCED.findall(now.pending.prompt))
    named = {found[1].casefold(): found[1] for found in _NAMED.finditer(program)}
    asked = (form for one in meaning_questions(now.turn.message) for forms in one.words for form in forms)
    return next((named[form] for form in asked if form in named), "")


def _ways_in(now: OpenQuestion) -> Iterator[str]:
    """What leads into the open question, if the message asks something about that: its first help, if that was not
    given yet, then what its step comes down to."""
    if _is_about_task(now):
        help_texts = now.question.help[:1] if now.question is not None and not now.is_comparing else ()
        yield from (text for text in help_texts if text and folded(text) not in folded(now.turn.said))
        yield from step_points(now)


def _is_about_task(now: OpenQuestion) -> bool:
    """Whether the message asks how something is done, and names nothing, a calculation or what the open question is
    about; a hint is no answer to anything else."""
    words, prompt = now.turn.message, now.pending.prompt
    if asks_meaning(words) or asks_reason(words) or not asks_way(words) or not signs_in(words) <= signs_in(prompt):
        return False
    met, of_all = count_needs_met(now.lesson.course, words, prompt)
    return names_calculation(words) or met >= HALF_OF_NEEDS * of_all


def _passing(parts: Iterator[Snippet], check: LeakCheck | None) -> Iterator[Snippet]:
    return (part for part in parts if check is None or check.passes(part.text))


def side_answer(turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    """Reply to a side question while nothing is open; empty where the course says nothing of it."""
    found = _find_asked(turn.message, teaching)
    if found is not None:
        return _from_asked(found, teaching, frames).text
    about = [*purpose_snippets(turn, teaching, frames)] or [*solved_before_snippets(turn, teaching, frames)]
    said = " ".join(part.text for part in about)
    return said or next((one.text for one in _side_answers(turn.message, teaching, frames)), "")


def _side_answers(words: str, teaching: TutorLesson, frames: Templates) -> Iterator[_SideAnswer]:
    """Replies to the question, best first: the definition that it asks for; else that of a term that it likens to
    something, passages of the lesson and of its course, and the definition of the one term that it is about.

    Of a question about "it" a passage that shares one word tells nothing. Where it asks what a word means, no sentence
    that merely has the word answers it.
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
        here = teaching.subconcept
        passages = search_course(slug, here, words)
        is_vague = _REFERS.search(words) is not None and count_needs_met(slug, words, "")[1] == 1
        yield from (_from_course(one, teaching, frames) for one in passages if not (is_vague and one.lesson == here))
        asks_fact = not (is_vague or asks_way(words) or asks_reason(words)) and asks_openly(words)
        if asks_fact and (says := defined_term(slug, words)):
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
    says_half = (
        question is not None
        and question.kind != "code"
        and not reply.is_definition
        and _says_half_of_answer(reply.text, question)
    )
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
