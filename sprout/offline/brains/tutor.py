"""What the offline model says as the tutor: one turn of a lesson from notes, from a course, or on how to study."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.tutoring.asides import side_answer
from sprout.offline.brains.tutoring.citing import passages_of
from sprout.offline.brains.tutoring.frames import Frames, frames, notes_frames, spoken_language
from sprout.offline.brains.tutoring.from_course import taught, taught_in_small_steps
from sprout.offline.brains.tutoring.from_notes import taught_from_notes
from sprout.offline.brains.tutoring.from_nothing import taught_from_nothing
from sprout.offline.brains.tutoring.going_on import Weak, words_to_complete, words_to_pose
from sprout.offline.brains.tutoring.manners import words_while_open
from sprout.offline.brains.tutoring.open_question import Open, open_question
from sprout.offline.brains.tutoring.prepared import with_help_from_other_form
from sprout.offline.brains.tutoring.speech import Check
from sprout.offline.brains.tutoring.steps import Next, is_through, next_questions
from sprout.offline.brains.tutoring.tactics import Manner, times_tried, tried
from sprout.offline.brains.tutoring.teaching import Task, Teaching
from sprout.offline.brains.tutoring.turn import Subject, Turn, read_turn
from sprout.offline.courses import bridged_by, course_on, lesson_on
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

PROGRESS, PREREQUISITES = "check_student_progress", "check_prerequisite_mastery"
ASK, COMPLETE, CONCERN, EXAMPLE = "ask_checkpoint", "complete_subconcept", "raise_concern", "generate_example"

Finding = Callable[[Subject], Teaching]


def teaching_on(subject: Subject) -> Teaching:
    """The lesson on a subconcept: the learner's notes come first, then an authored course, then how to study it."""
    if subject.passages and (found := taught_from_notes(subject.passages, title=subject.title, desc=subject.desc)):
        return found
    course = course_on(subject.topic)
    if course and (lesson := lesson_on(course, subject.title)):
        return taught(lesson)
    if course and (lesson := bridged_by(course, subject.title)):
        return taught_in_small_steps(lesson)
    return taught_from_nothing(subject.title)


def speaking_as_tutor(find: Finding = teaching_on) -> Callable[[Conversation], Reply]:
    """The tutor of the lessons that `find` gives."""

    def speak(conversation: Conversation) -> Reply:
        turn = read_turn(conversation)
        teaching = find(turn.subject)
        said = [turn.words, *reversed(turn.before)]
        return _Speaking(conversation, turn, teaching, frames(spoken_language(said, teaching.language)), find).reply()

    return speak


class _Speaking:
    """One reply of one turn."""

    def __init__(
        self, conversation: Conversation, turn: Turn, teaching: Teaching, texts: Frames, find: Finding
    ) -> None:
        self._conversation, self._turn, self._teaching = conversation, turn, teaching
        self._frames, self._find = texts, find

    def reply(self) -> Reply:
        tactic = tried(self._turn.words)
        if tactic is not None and tactic.manner is Manner.CARE:
            return self._cares(tactic.opening(self._frames.code, times_tried(tactic, self._turn.before)))
        now = open_question(self._turn, self._teaching, self._frames)
        if now is not None:
            shows = tactic is not None and tactic.manner is Manner.EXAMPLE and self._shows_example(now)
            return Reply([self._example()]) if shows else Reply([TextOut(words_while_open(now))])
        if self._turn.kind == "clarification":
            return Reply([TextOut(self._answered())])
        if checks := self._checks_first():
            return Reply(checks)
        return self._goes_on()

    def _cares(self, words: str) -> Reply:
        """The server is told first, so that the help stands there whatever is said; then a few calm sentences."""
        if self._may(CONCERN) and not self._conversation.called(CONCERN):
            return Reply([ToolOut(CONCERN)])
        return Reply([TextOut(words)])

    def _shows_example(self, now: Open) -> bool:
        if not self._may(EXAMPLE) or self._conversation.called(EXAMPLE) or not self._teaching.example:
            return False
        check = now.check
        return check is None or Check(check.secret, level=check.level).passes(self._teaching.example)

    def _example(self) -> ToolOut:
        return ToolOut(EXAMPLE, {"title": self._teaching.example_title, "body": self._teaching.example})

    def _answered(self) -> str:
        """A side question while nothing is open: a sentence of the lesson, or that it has none on it."""
        told = side_answer(self._turn.words, self._teaching, self._frames, None)
        return f"{told} {self._frames.say('closing_words')}"

    def _checks_first(self) -> list[Block]:
        fresh = self._turn.kind == "opening" and not self._turn.asked
        if not (fresh and self._may(PROGRESS) and self._may(PREREQUISITES)):
            return []
        return self._conversation.left_of([ToolOut(PROGRESS), ToolOut(PREREQUISITES)])

    def _goes_on(self) -> Reply:
        turn, refused = self._turn, self._conversation.called(COMPLETE)
        if turn.may_complete and not refused and is_through(self._teaching, turn):
            words = words_to_complete(turn, self._teaching, self._frames)
            return Reply([ToolOut(COMPLETE, {"message": words}) if self._may(COMPLETE) else TextOut(words)])
        questions = next_questions(self._teaching, turn, known=self._known())
        following = questions[len(self._conversation.called(ASK)) % len(questions)]
        words = words_to_pose(turn, self._teaching, following, self._frames, self._weak())
        if not self._may(ASK):
            return Reply([TextOut(f"{words} {self._frames.say('closing_words')}")])
        plan = [] if turn.plan else self._teaching.plan
        asked = self._prepared(following).as_input(words, plan)
        cited = passages_of(following, turn.subject.passages)
        return Reply([ToolOut(ASK, asked | ({"passages": cited} if cited else {}))])

    def _prepared(self, following: Next) -> Task:
        if following.task.help:
            return following.task
        return with_help_from_other_form(following.chunk, notes_frames(self._teaching.language))

    def _may(self, tool: str) -> bool:
        return self._conversation.may_call and tool in self._conversation.tools

    def _known(self) -> float:
        """The score of the diagnostic, 0..1; 0 where nothing was answered."""
        told = [result.get("diagnosticScore") for result in self._results(PROGRESS)]
        return next((float(score) for score in told if isinstance(score, int | float)), 0.0)

    def _weak(self) -> Weak | None:
        """The first thing that this builds on and that is not firm yet."""
        for told in self._results(PREREQUISITES):
            for one in told.get("prerequisites") or ():
                if isinstance(one, dict) and one.get("mastered") is False and one.get("title"):
                    title = str(one["title"])
                    lesson = self._find(Subject(self._turn.subject.topic, "", title, "", (), ()))
                    return Weak(title, lesson.summary if lesson.source == "course" else "")
        return None

    def _results(self, tool: str) -> Iterator[dict[str, Any]]:
        for call in self._conversation.called(tool):
            try:
                told = json.loads(call.result)
            except ValueError:
                continue
            if isinstance(told, dict):
                yield told


speak_as_tutor = speaking_as_tutor()
