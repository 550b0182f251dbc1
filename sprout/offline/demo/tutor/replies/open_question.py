"""A question that is open, and what each step of its ladder of help says to the learner."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sprout.learning.lessons.help_ladder import LadderStep
from sprout.learning.marking.attempts import asks_something, begins_as_question
from sprout.learning.text.normalization import folded, tidy
from sprout.learning.text.stems import stems
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, LeakCheck, Priority, Snippet, first_sentences
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.demo.tutor.turn import PendingQuestion, Turn, explanation_in

QUOTED_WORDS = 14
SAME_IDEA = 0.7
_PROGRAM_SIGN = re.compile(r"[()=\[\]:]")
_MARKS = re.compile(r"[<>*_#\[\]|{}\\$~&]")
_UNQUOTABLE = re.compile("[`\n]|!\\s*!|[\U0001f000-\U0001faff\u2600-\u27bf]")  # the tutor neither shouts nor uses emoji


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A turn with its open question.

    Args:
        question: None where it is not one of this lesson.
        example_notice: that the worked example was shown in this turn; empty if it was not.
    """

    turn: Turn
    pending: PendingQuestion
    lesson: TutorLesson
    question: PreparedQuestion | None
    templates: Templates
    example_notice: str = ""

    @property
    def check(self) -> LeakCheck | None:
        """Leak check for the reply; None if the answer is not known here, or stands before the learner to compare."""
        if self.question is None or self.pending.step is LadderStep.COMPARE:
            return None
        mine, theirs = self.turn.since_posed()
        found = [self.turn.marking.next_step] if self.turn.marking is not None else []
        known = [*theirs, self.turn.message, *found, *self.program_findings]
        secret = self.question.secret(known, self.pending.label_of(self.question.answer))
        return LeakCheck(secret, "\n".join(mine), self.pending.level)

    @property
    def program_findings(self) -> list[str]:
        """The replies to the programs that were sent in to this question, which say what their runs have shown."""
        if self.pending.kind != "code":
            return []
        mine = self.turn.since_posed()[1]
        return [
            explanation_in(reply)
            for (_, said), (role, reply) in pairwise(self.turn.transcript)
            if role == "assistant" and _PROGRAM_SIGN.search(said) and said in mine
        ]

    @property
    def is_aside(self) -> bool:
        """Return True if the message is a question of the learner's own."""
        says = self.turn.message
        answers = (self.question.answer,) if self.question is not None else ()
        asks = says.rstrip().endswith("?") or asks_something(says, answers=answers)
        asks = (
            self.turn.marking is None
            and not self.turn.hardly_answers
            and (asks or (self.turn.kind == "message" and begins_as_question(says)))
        )
        return self.pending.step in (LadderStep.WAIT, LadderStep.COMPARE) and (
            self.turn.kind == "clarification" or asks
        )

    @property
    def is_comparing(self) -> bool:
        return self.pending.step is LadderStep.COMPARE

    @property
    def waits(self) -> bool:
        """Return True if nothing was tried and no help is due."""
        return self.pending.step is LadderStep.WAIT and self.turn.marking is None

    @property
    def example_is_shown(self) -> bool:
        title = inner_quotes(self.lesson.example_title)
        return bool(self.example_notice) or bool(title and title in self.turn.said)


def open_question(turn: Turn, teaching: TutorLesson, frames: Templates) -> OpenQuestion | None:
    """The turn with its open question; None if no question is open."""
    if turn.pending is None:
        return None
    found = teaching.find(turn.pending.prompt)
    return OpenQuestion(turn, turn.pending, teaching, found[1] if found else None, frames)


def quote_learner(words: str, frames: Templates, most: int = QUOTED_WORDS) -> str:
    """The learner's words, or the first of them, as they were written; empty where they cannot be quoted so.

    They stand in quotation marks, or as code where Markdown would take a sign of theirs for its own. Several lines,
    shouting and emoji are not quoted.
    """
    said = tidy(words)
    if not said or _UNQUOTABLE.search(said):
        return ""
    ends = [found.end() for found in re.finditer(r"\S+", said)]
    first, more = (said, "") if len(ends) <= most else (said[: ends[most - 1]], " …")
    if _MARKS.search(first):
        return f"`{first}`{more}"
    bare = first.rstrip(" .,;:")
    return frames.render("quote", words=bare + more) if bare else ""


def reply_to_attempt(now: OpenQuestion) -> str:
    """The course's reply to the wrong answer of this turn; empty without one, and where it was said before or would
    say too much."""
    marked, question = now.turn.marking, now.question
    if question is None or marked is None or marked.correct is not False:
        return ""
    earlier = now.turn.since_posed()[1]
    reply = reply_to(question, now.turn.message, now.pending.option_texts, earlier)
    if not reply or folded(reply) in folded(now.turn.said):
        return ""
    passes = now.check is None or now.check.passes(reply)
    return reply if passes and _leaves_room_for_help(now, reply) else ""


def help_step_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """Help that the ladder demands; an attempt that could not be marked is named as such."""
    marked, frames = now.turn.marking, now.templates
    if marked is not None and marked.state in ("unsure", "ungraded"):
        yield from _unmarked_snippets(now)
        if now.pending.step is LadderStep.GIVE_HELP:
            yield from due_help_snippets(now)
        return
    match now.pending.step:
        case LadderStep.GIVE_HELP:
            yield from feedback_snippets(now)
            if not _says_all(now):
                yield from due_help_snippets(now)
        case _ if now.pending.kind == "mcq" and now.turn.kind == "answer":
            yield from next_move_snippets(now)
        case _ if now.turn.hardly_answers:
            yield Snippet(frames.fresh("is_it_an_answer", now.turn.said))
        case _:
            yield Snippet(frames.fresh("open", now.turn.said))
            yield Snippet(frames.fresh("ready", now.turn.said))


def _says_all(now: OpenQuestion) -> bool:
    """Return True if the mark says what went wrong in this answer, and has not said it before: the prepared help, which
    stays beside the question, may be about what is right in it."""
    fault = _named_fault(now)
    return bool(fault) and fault not in now.turn.said


def _named_fault(now: OpenQuestion) -> str:
    """What the mark says went wrong in this answer; empty where it says nothing, or the course has a reply to it."""
    marked = now.turn.marking
    in_parts = marked is not None and bool(marked.criteria) and now.pending.kind != "code"
    return "" if marked is None or in_parts or reply_to_attempt(now) else marked.next_step


def _unmarked_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """Sentence about the marking, or that the answer could not be marked."""
    marked, frames = now.turn.marking, now.templates
    assert marked is not None
    if marked.next_step:
        yield Snippet(first_sentences(marked.next_step, MOST_OF_ASIDE), repeatable=True)
        return
    yield Snippet(frames.render(marked.state))
    missing = next((one.label for one in marked.criteria if one.verdict != "met" and one.label), "")
    if missing:
        yield Snippet(frames.render("unsure_ask", label=missing), Priority.SHOULD)
    else:
        yield Snippet(frames.fresh("ready", now.turn.said))


def due_help_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The reply to exactly this answer; without one the help of this level, and before it a test case for the learner's
    wrong idea. To who was sure the case comes before the reply, too."""
    reply, (idea, case) = reply_to_attempt(now), _contrast(now)
    was_sure = now.turn.marking is not None and now.turn.marking.sure
    if case and (was_sure or not reply) and case not in now.turn.said and _leaves_room_for_help(now, case):
        priority = Priority.SHOULD if was_sure else Priority.MAY
        yield Snippet(now.templates.render("test_case", idea=idea, case=case), priority)
    if reply:
        yield Snippet(reply, whole=True)
        return
    text, check = _help_text(now), now.check
    passes = bool(text) and (check is None or check.passes(text))
    yield Snippet(text if passes else now.templates.render(f"any_help_{max(1, now.pending.level.value)}"))


def _help_text(now: OpenQuestion) -> str:
    if now.turn.help:
        return now.turn.help
    level = now.pending.level.value
    return next(iter(now.question.help_from(level)), "") if now.question and level else ""


def _leaves_room_for_help(now: OpenQuestion, text: str) -> bool:
    if now.check is None or now.question is None:
        return True
    return now.check.leaves_room(text, now.question.help_from(now.pending.level))


def feedback_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The part of the attempt that holds, quoted, and the missing part; of a program what its run has shown."""
    marked, frames, said = now.turn.marking, now.templates, now.turn.said
    if marked is None or marked.correct is None:
        return
    if now.pending.kind == "code":
        fault = Snippet(marked.next_step, Priority.SHOULD, whole=True, repeatable=True)
        yield fault if marked.next_step else Snippet(frames.fresh("not_it_wordless", said), Priority.SHOULD)
        return
    was_sure = [Snippet(frames.render("sure_not_it"), Priority.SHOULD)] if marked.sure and not marked.correct else []
    if named := _named_fault(now):
        yield _not_right_yet(now)
        yield from was_sure
        yield Snippet(named, Priority.SHOULD, whole=True)
        return
    for verdict, name in (("met", "stands"), ("partly", "half")):
        quotes = (quote_learner(one.words, frames) for one in marked.criteria if one.verdict == verdict)
        if words := next(filter(None, quotes), ""):
            yield Snippet(frames.render(name, words=words), Priority.SHOULD, whole=True)
            break
    else:
        yield _not_right_yet(now)
    yield from was_sure
    missing = [one for one in marked.criteria if one.verdict == "missing" and one.label]
    if missing:
        yield Snippet(frames.render("lacking", label=missing[0].label), Priority.SHOULD)


def _not_right_yet(now: OpenQuestion) -> Snippet:
    """The verdict where no part of the answer can be quoted as right."""
    marked, frames, said = now.turn.marking, now.templates, now.turn.said
    if marked is not None and any(one.verdict in ("met", "partly") for one in marked.criteria):
        return Snippet(frames.render("stands_wordless"), Priority.SHOULD)
    words = quote_learner(now.turn.message, frames)
    text = frames.fresh("not_it", said, words=words) if words else frames.fresh("not_it_wordless", said)
    return Snippet(text, Priority.SHOULD, whole=True)


def _contrast(now: OpenQuestion) -> tuple[str, str]:
    """The learner's wrong idea with a case to test it on, the question's own or the lesson's; empty without one."""
    belief = now.turn.marking.misconception if now.turn.marking else ""
    if shares_idea(belief, now.lesson.idea):
        return now.lesson.idea, now.lesson.case
    case = now.question.contrasts.get(belief, "") if now.question else ""
    return (belief, case) if case else ("", "")


def shares_idea(one: str, other: str) -> bool:
    """Return True if the two wrong ideas speak of the same thing."""
    theirs, ours = stems([one]), stems([other])
    return bool(theirs and ours) and len(theirs & ours) >= SAME_IDEA * min(len(theirs), len(ours))


def next_move_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The smallest next move, by the kind of answer that is wanted."""
    frames, said, labels = now.templates, now.turn.said, now.question.labels if now.question else []
    kind = now.question.kind if now.question else now.pending.kind
    if kind == "mcq" and now.turn.names_two_options:
        yield Snippet(frames.fresh("two_options", said), repeatable=True)
    elif kind == "text" and labels:
        yield Snippet(frames.fresh("try_text_about", said, label=labels[0]))
    else:
        name = f"try_{kind}" if f"try_{kind}" in frames.texts else "try_text"
        yield Snippet(frames.fresh(name, said), repeatable=kind == "mcq")
