"""Offline model of the tutor: one turn of a lesson from notes, from a course, or on how to study."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sprout.learning.lessons.fading import Fading
from sprout.learning.lessons.help_ladder import LadderStep
from sprout.offline.courses.catalogue import find_bridged_lesson, find_course, find_lesson
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.from_course import lesson_from_course, lesson_in_small_steps
from sprout.offline.demo.tutor.content.from_notes import lesson_from_notes
from sprout.offline.demo.tutor.content.study_skills import study_skills_lesson
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, Tactic, count_tactic, recognize_tactic
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.offline.demo.tutor.replies.about_lesson import about_lesson
from sprout.offline.demo.tutor.replies.completion import completion_text
from sprout.offline.demo.tutor.replies.lesson_order import NextQuestion, is_finished, next_questions, next_reading
from sprout.offline.demo.tutor.replies.next_question import (
    PARAGRAPH,
    WeakPrerequisite,
    next_question_text,
    reading_text,
)
from sprout.offline.demo.tutor.replies.notes_places import answer_from_notes
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, open_question
from sprout.offline.demo.tutor.replies.reply_styles import open_question_reply
from sprout.offline.demo.tutor.replies.side_questions import side_answer, wants_way
from sprout.offline.demo.tutor.templates import (
    CODES,
    Templates,
    inner_quotes,
    notes_templates,
    spoken_language,
    templates_for,
)
from sprout.offline.demo.tutor.turn import Subject, Turn, read_turn
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

PROGRESS, PREREQUISITES = "check_student_progress", "check_prerequisite_mastery"
ASK, READ, COMPLETE, SAY = "ask_checkpoint", "show_reading", "complete_subconcept", "reply"
CONCERN, EXAMPLE, SEARCH = "raise_concern", "generate_example", "search_documents"
LONGEST_QUERY = 300

MISSES_BEFORE_EXAMPLE = 2

_SAID_ANYWHERE = frozenset({ReplyStyle.WORD, ReplyStyle.PAUSE, ReplyStyle.CALM, ReplyStyle.TRUTH, ReplyStyle.DRIFT})

LessonFinder = Callable[[Subject], TutorLesson]


def find_tutor_lesson(subject: Subject) -> TutorLesson:
    """The lesson on a subconcept: the learner's notes come first, then an authored course, then how to study it."""
    if subject.passages and (found := lesson_from_notes(subject.passages, title=subject.title, desc=subject.desc)):
        return found
    course = find_course(subject.topic)
    if course and (lesson := find_lesson(course, subject.title)):
        return replace(lesson_from_course(lesson), course=course.slug, subconcept=lesson.subconcept)
    if course and (lesson := find_bridged_lesson(course, subject.title)):
        return replace(lesson_in_small_steps(lesson), course=course.slug, subconcept=lesson.subconcept)
    return study_skills_lesson(subject.title)


def make_tutor(find: LessonFinder = find_tutor_lesson) -> Callable[[Conversation], Reply]:
    """The tutor of the lessons that `find` gives."""

    def speak(conversation: Conversation) -> Reply:
        turn = read_turn(conversation)
        teaching = find(turn.subject)
        return _TutorReply(conversation, turn, teaching, _templates_of(turn, teaching), find).reply()

    return speak


def _templates_of(turn: Turn, teaching: TutorLesson) -> Templates:
    """The sentences in the language of the lesson; in the learner's where it has no subject of its own, or one that the
    tutor lacks."""
    if teaching.source == "notes":
        return notes_templates(teaching.language)
    if teaching.source != "nothing" and teaching.language in CODES:
        return templates_for(teaching.language)
    said = [turn.message, *reversed(turn.earlier_messages)]
    return templates_for(spoken_language(said, teaching.language))


class _TutorReply:
    """One reply of one turn."""

    def __init__(
        self, conversation: Conversation, turn: Turn, teaching: TutorLesson, texts: Templates, find: LessonFinder
    ) -> None:
        self._conversation, self._turn, self._lesson = conversation, turn, teaching
        self._templates, self._find_lesson = texts, find

    def reply(self) -> Reply:
        tactic = recognize_tactic(self._turn.message)
        if tactic is not None and tactic.style is ReplyStyle.CARE:
            # Who needs help is spoken to in their own language, whatever the lesson's is.
            language = spoken_language([self._turn.message], self._templates.code)
            return self._concern_reply(tactic.opening(language, count_tactic(tactic, self._turn.earlier_messages)))
        now = open_question(self._turn, self._lesson, self._templates)
        if self._lesson.source == "notes" and (now.is_aside and tactic is None if now else self._is_clarification):
            return self._answer_from_notes(now)
        if now is not None:
            asks = tactic.style is ReplyStyle.EXAMPLE if tactic is not None else wants_way(now)
            wants = asks or self._needs_example(now, tactic)
            shows = wants and self._should_show_example(now)
            return Reply([self._example_call()]) if shows else self._say(self._open_reply(now))
        if self._is_clarification:
            return self._say(self._side_answer())
        if checks := self._progress_checks():
            return Reply(checks)
        return self._next_step_reply()

    @property
    def _is_clarification(self) -> bool:
        return self._turn.kind == "clarification"

    def _answer_from_notes(self, now: OpenQuestion | None) -> Reply:
        """The place in the notes that has to do with a side question, or that there is none."""
        message, frames, said = self._turn.message, self._templates, self._turn.said
        if self._can_call(SEARCH) and not self._conversation.calls_to(SEARCH):
            return Reply([ToolOut(SEARCH, {"query": message[:LONGEST_QUERY]})])
        found = [row for call in self._conversation.calls_to(SEARCH) for row in _rows(call.result)]
        found += [{"id": tag.attributes.get("id"), "text": tag.text} for tag in self._turn.subject.passages]
        check = now.check if now is not None else None
        settles = now.question.settled_by if now is not None and now.question is not None and check is not None else ()
        answer = answer_from_notes(message, found, frames, said, check, secret=settles)
        closing = frames.fresh("open", said) if now is not None else self._closing_words
        words = f"{answer.words} {closing}".strip()
        cited = {"passages": [*answer.passages]} if answer.passages else {}
        return Reply([ToolOut(SAY, {"message": words} | cited)]) if self._can_call(SAY) else self._say(words)

    def _say(self, words: str) -> Reply:
        return self._end_with(SAY, words)

    def _end_with(self, call: str, words: str) -> Reply:
        """The call that ends the turn with the words; the words alone where it cannot be called."""
        return Reply([ToolOut(call, {"message": words}) if self._can_call(call) else TextOut(words)])

    def _concern_reply(self, words: str) -> Reply:
        """A few calm sentences, beside which the server shows who can help."""
        return self._end_with(CONCERN, words)

    def _open_reply(self, now: OpenQuestion) -> str:
        notice = self._example_notice() if self._conversation.calls_to(EXAMPLE) else ""
        return open_question_reply(replace(now, example_notice=notice))

    def _example_notice(self) -> str:
        return self._templates.render("example_beside", title=self._lesson.example_title)

    def _needs_example(self, now: OpenQuestion, tactic: Tactic | None) -> bool:
        """Whether the learner has missed twice, was sure of what is wrong, or is upset while no help is due.

        Of a long lesson the beginning is not seen, where the example may have been shown.
        """
        marking = now.turn.marking
        if not now.turn.sees_whole_lesson:
            return False
        if tactic is not None and tactic.style is ReplyStyle.CALM:
            return now.pending.step is not LadderStep.GIVE_HELP
        if marking is None or marking.correct is not False:
            return False
        return marking.sure or now.turn.missed == MISSES_BEFORE_EXAMPLE

    def _should_show_example(self, now: OpenQuestion) -> bool:
        if not self._can_show_example:
            return False
        check = now.check
        return check is None or LeakCheck(check.secret, level=check.level).passes(self._lesson.example)

    @property
    def _can_show_example(self) -> bool:
        """Return True if the lesson has an example that does not stand beside it yet."""
        is_shown = inner_quotes(self._lesson.example_title) in self._turn.said or self._conversation.calls_to(EXAMPLE)
        return self._can_call(EXAMPLE) and bool(self._lesson.example) and not is_shown

    def _example_call(self) -> ToolOut:
        return ToolOut(EXAMPLE, {"title": self._lesson.example_title, "body": self._lesson.example})

    def _side_answer(self) -> str:
        """A side question while nothing is open: a friendly word, a sentence of the lesson, or that it has none."""
        tactic = recognize_tactic(self._turn.message)
        if talk := about_lesson(self._turn, self._lesson, self._templates):
            words = talk
        elif tactic is not None and tactic.style in _SAID_ANYWHERE:
            words = tactic.opening(self._templates.code, count_tactic(tactic, self._turn.earlier_messages))
        else:
            words = side_answer(self._turn, self._lesson, self._templates)
        words = words or self._templates.fresh("aside_unknown", self._turn.said)
        return f"{words} {self._closing_words}".strip()

    @property
    def _closing_words(self) -> str:
        return "" if self._turn.lesson_is_over else self._templates.render("closing_words")

    def _progress_checks(self) -> list[Block]:
        fresh = self._turn.kind == "opening" and not self._turn.asked
        if not (fresh and self._can_call(PROGRESS) and self._can_call(PREREQUISITES)):
            return []
        return self._conversation.without_repeats([ToolOut(PROGRESS), ToolOut(PREREQUISITES)])

    def _next_step_reply(self) -> Reply:
        turn, teaching, refused = self._turn, self._lesson, self._conversation.calls_to(COMPLETE)
        if turn.may_complete and not refused and is_finished(teaching, turn, known=self._diagnostic_score()):
            words = completion_text(turn, teaching, self._templates)
            return self._end_with(COMPLETE, words)
        questions = next_questions(teaching, turn, known=self._diagnostic_score())
        following = questions[len(self._conversation.calls_to(ASK)) % len(questions)] if questions else None
        if self._can_call(READ) and (reading := next_reading(teaching, turn, following)):
            words = reading_text(turn, teaching, reading, self._templates)
            plan = turn.plan or teaching.goals
            return Reply([ToolOut(READ, reading.tool_input(words, plan, is_new_plan=not turn.plan))])
        if following is None:
            return self._say(self._closing_words)
        words = next_question_text(turn, self._lesson, following, self._templates, self._weak_prerequisite())
        if shows_example := self._shows_example_before(following):
            words = f"{self._example_notice()}{PARAGRAPH}{words}"
        if not self._can_call(ASK):
            return self._say(f"{words} {self._closing_words}")
        plan = turn.plan or self._lesson.goals
        ask = ToolOut(ASK, following.question.tool_input(words, plan, is_new_plan=not turn.plan))
        return Reply([self._example_call(), ask] if shows_example else [ask])

    def _shows_example_before(self, following: NextQuestion) -> bool:
        """Return True if the worked example comes before the question: at the beginning where little is known, and
        before a gap."""
        is_due = following.question.is_gap or (self._turn.fading is Fading.EXAMPLE and not self._turn.asked)
        return is_due and self._can_show_example and LeakCheck(following.question.secret()).passes(self._lesson.example)

    def _can_call(self, tool: str) -> bool:
        within = self._turn.callable_tools
        return self._conversation.may_call and tool in self._conversation.tools and (within is None or tool in within)

    def _diagnostic_score(self) -> float:
        """The score of the diagnostic, 0..1; 0 where nothing was answered."""
        scores = [result.get("diagnosticScore") for result in self._results(PROGRESS)]
        return next((float(score) for score in scores if isinstance(score, int | float)), 0.0)

    def _weak_prerequisite(self) -> WeakPrerequisite | None:
        """The first thing that this builds on and that is not firm yet."""
        for result in self._results(PREREQUISITES):
            for one in result.get("prerequisites") or ():
                if isinstance(one, dict) and one.get("mastered") is False and one.get("title"):
                    title = str(one["title"])
                    lesson = self._find_lesson(Subject(self._turn.subject.topic, "", title, "", (), ()))
                    return WeakPrerequisite(title, lesson.summary if lesson.source == "course" else "")
        return None

    def _results(self, tool: str) -> Iterator[dict[str, Any]]:
        for call in self._conversation.calls_to(tool):
            try:
                payload = json.loads(call.result)
            except ValueError:
                continue
            if isinstance(payload, dict):
                yield payload


def _rows(result: str) -> list[dict[str, Any]]:
    """The passages that a search has found."""
    try:
        payload = json.loads(result)
    except ValueError:
        return []
    return [row for row in payload if isinstance(row, dict) and row.get("id")] if isinstance(payload, list) else []


reply_as_tutor = make_tutor()
