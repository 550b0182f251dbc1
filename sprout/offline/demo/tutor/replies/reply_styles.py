"""Replies while a question is open: plain words, in the style that the learner calls for."""

from collections.abc import Callable
from dataclasses import replace

from sprout.learning.lessons.help_ladder import LadderStep
from sprout.learning.lessons.lesson_talk import wants_to_skip
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, Priority, Snippet, compose, unsaid
from sprout.offline.demo.tutor.learner_tactics import SHORT_FROM, ReplyStyle, Tactic, count_tactic, recognize_tactic
from sprout.offline.demo.tutor.replies.about_answers import about_answer_snippets
from sprout.offline.demo.tutor.replies.about_lesson import about_lesson
from sprout.offline.demo.tutor.replies.open_question import (
    OpenQuestion,
    due_help_snippets,
    feedback_snippets,
    help_step_snippets,
    next_move_snippets,
    reply_to_attempt,
)
from sprout.offline.demo.tutor.replies.own_reasoning import asks_reason
from sprout.offline.demo.tutor.replies.purpose import purpose_snippets
from sprout.offline.demo.tutor.replies.side_questions import (
    asked_snippets,
    definition_snippets,
    side_question_snippets,
    still_open,
)

PAUSE_FROM = 3
_TALK = frozenset({ReplyStyle.GUESSES, ReplyStyle.FASTER, ReplyStyle.CALM})  # a question about the lesson comes first


def open_question_reply(now: OpenQuestion) -> str:
    """The reply: what the words try is answered in its manner, and the next useful step is always offered."""
    frames, check = now.templates, now.check
    marked = now.turn.marking
    is_wrong = marked is not None and marked.correct is False
    still_open_text = frames.fresh("not_it_wordless" if is_wrong else "open", now.turn.said)
    if now.turn.corrected:
        parts = [Snippet(still_open_text), *next_move_snippets(now)]
        return compose(_with_notice(now, parts), check) or still_open_text
    if now.is_aside and (asked := [*asked_snippets(now)]):
        return compose(asked, check, most=MOST_OF_ASIDE) or still_open_text
    tactic = _tactic(now)
    if (tactic is None or tactic.style in _TALK) and (talk := _about_lesson(now)):
        return (
            compose([Snippet(talk, whole=True), *still_open(now, talk)], check, most=MOST_OF_ASIDE) or still_open_text
        )
    if tactic is not None:
        built = _BUILDERS[tactic.style](now, tactic)
        fresh = unsaid(built, now.turn.said)
        parts = [part for part in built if part in fresh or part.priority is Priority.MUST]
        if not fresh:
            parts += [move for move in next_move_snippets(now) if move not in parts]
        return compose(_with_notice(now, parts), check) or still_open_text
    if now.is_aside:
        return compose([*side_question_snippets(now, check)], check, most=MOST_OF_ASIDE) or still_open_text
    parts = unsaid([*help_step_snippets(now)], now.turn.said)
    return compose(_with_notice(now, parts), check) or still_open_text


def _about_lesson(now: OpenQuestion) -> str:
    """The reply to a question about the lesson itself, unless it is why an answer is wrong."""
    is_beside = now.is_aside or (now.waits and wants_to_skip(now.turn.message))
    is_reason = asks_reason(now.turn.message) and any(about_answer_snippets(now))
    return about_lesson(now.turn, now.lesson, now.templates) if is_beside and not is_reason else ""


def _with_notice(now: OpenQuestion, parts: list[Snippet]) -> list[Snippet]:
    """The parts with the notice of an example, which comes after the first word on what the learner wrote."""
    notice = [Snippet(now.example_notice, repeatable=True)] if now.example_notice else []
    return [*parts[:1], *notice, *parts[1:]]


def _tactic(now: OpenQuestion) -> Tactic | None:
    """Tactic of the message; None for a program, for "ok" as an answer, and a first guess counts as an attempt."""
    found, marked = recognize_tactic(now.turn.message), now.turn.marking
    if found is None or marked is None:
        return found
    first_guess = found.style is ReplyStyle.GUESSES and _times(now, found) == 1
    is_program = now.pending.kind == "code" and marked.correct is not None
    return None if first_guess or is_program or found.style is ReplyStyle.WORD else found


def _opening(now: OpenQuestion, tactic: Tactic) -> Snippet:
    return Snippet(tactic.opening(now.templates.code, _times(now, tactic)))


def _times(now: OpenQuestion, tactic: Tactic) -> int:
    return count_tactic(tactic, now.turn.earlier_messages)


def _due_help(now: OpenQuestion) -> list[Snippet]:
    """Help that the ladder has reached in this turn, which every reply includes; empty while it waits."""
    return [] if now.waits else [*help_step_snippets(now)]


def _guide(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    return [_opening(now, tactic), *(_due_help(now) or next_move_snippets(now))]


def _return_request(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    return [_opening(now, tactic), *_parts_of_an_answer(now), *(_due_help(now) or next_move_snippets(now))]


def _parts_of_an_answer(now: OpenQuestion) -> list[Snippet]:
    labels = now.question.labels if now.question else []
    return [Snippet(now.templates.render("parts", labels="; ".join(labels)), Priority.SHOULD)] if labels else []


def _invite_attempt(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    return [_opening(now, tactic), *(_due_help(now) or [Snippet(now.templates.fresh("ready", now.turn.said))])]


def _wording(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    goal = now.templates.render("asks_for", can=now.question.goal) if now.question else ""
    asks = [Snippet(goal)] if goal and goal not in now.turn.said else [*next_move_snippets(now)]
    return [_opening(now, tactic), *_parts_of_an_answer(now), *(_due_help(now) or asks)]


def _correct(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """Kind and firm reply: the part that holds, then a case that tests the rule, then the help that is due. A reply of
    the course to this very answer takes the place of the case."""
    frames, check = now.templates, now.check
    case = now.lesson.case
    fits = bool(case) and case not in now.turn.said and (check is None or check.passes(case))
    words = (
        frames.render("test_case", idea=now.lesson.idea, case=case)
        if fits
        else frames.fresh("test_yourself", now.turn.said)
    )
    test = Snippet(words, Priority.SHOULD)
    if now.waits and now.turn.missed:
        contest = Snippet(frames.render("contest_mark"), repeatable=True)
        return [contest, Snippet(frames.fresh("open_short", now.turn.said))]
    if now.waits:
        return [_opening(now, tactic), test, Snippet(frames.fresh("open_short", now.turn.said))]
    standing = [*feedback_snippets(now)]
    due = [part for part in help_step_snippets(now) if part not in standing and part.priority is not Priority.MAY]
    tested = [] if reply_to_attempt(now) else [test]
    return [*standing, _opening(now, tactic), *tested, *due]


def _state_plainly(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    if _times(now, tactic) > 1:
        return _correct(now, tactic)
    return [_opening(now, tactic), *_due_help(now)]


def _redirect(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    times = _times(now, tactic)
    return [
        Snippet(tactic.opening(now.templates.code, SHORT_FROM if times >= PAUSE_FROM else times)),
        *(_due_help(now) or next_move_snippets(now)),
    ]


def _acknowledge(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    return [_opening(now, tactic), *_due_help(now)]


def _say_word(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """A friendly word, and the question below."""
    return [_opening(now, tactic), *(_due_help(now) or [Snippet(now.templates.fresh("ready", now.turn.said))])]


def _offer_ways(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """A kind word for who gives up, the help that is due, and the ways on."""
    return [_opening(now, tactic), *_due_help(now), Snippet(now.templates.fresh("ways", now.turn.said))]


def _send_guess(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """Whether a guess is right is what marking it says; who asks it beside the question has not guessed yet."""
    if now.turn.kind == "clarification":
        return [Snippet(now.templates.fresh("send_it", now.turn.said), repeatable=True)]
    return _guide(now, tactic)


def _calm(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """A human sentence, what was asked in anger, and then something else than before: the due help, an example, another
    question, a break.

    What was written in anger or shame is not held up to the learner, marked or not.
    """
    opening = replace(_opening(now, tactic), repeatable=True)
    asked = [*about_answer_snippets(now), *purpose_snippets(now.turn, now.lesson, now.templates)]
    asked += definition_snippets(now)
    if now.pending.step is LadderStep.GIVE_HELP:
        return [opening, *asked, *due_help_snippets(now)]
    return [opening, *asked, Snippet(now.templates.fresh("offer", now.turn.said))]


def _quicken(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """A test for who is bored; once there was help, which the test excludes, the due help and another question."""
    if not now.pending.level:
        return _acknowledge(now, tactic)
    frames, said = now.templates, now.turn.said
    due = [*due_help_snippets(now)] if now.pending.step is LadderStep.GIVE_HELP else []
    return [Snippet(frames.fresh("bored", said), repeatable=True), *due, Snippet(frames.fresh("offer", said))]


def _example(now: OpenQuestion, tactic: Tactic) -> list[Snippet]:
    """The example that the lesson shows; once it is known, the case of its test, then that there is no other."""
    frames, due, case = now.templates, _due_help(now), now.lesson.case
    is_fresh = bool(case) and case not in now.turn.said and (now.check is None or now.check.passes(case))
    if is_fresh and not now.example_notice:
        return [Snippet(frames.render("test_case", idea=now.lesson.idea, case=case), whole=True), *due]
    if not now.example_is_shown:
        return [Snippet(frames.render("no_example")), *(due or [Snippet(frames.fresh("ways", now.turn.said))])]
    shown = frames.render("only_example", title=now.lesson.example_title)
    where = [] if now.example_notice else [Snippet(shown, repeatable=True)]
    return [*where, _opening(now, tactic), *(due or [Snippet(frames.fresh("ready", now.turn.said))])]


_BUILDERS: dict[ReplyStyle, Callable[[OpenQuestion, Tactic], list[Snippet]]] = {
    ReplyStyle.CARE: _acknowledge,
    ReplyStyle.DATA: _guide,
    ReplyStyle.BACK: _return_request,
    ReplyStyle.CONTEST: _invite_attempt,
    ReplyStyle.WORDING: _wording,
    ReplyStyle.TRUTH: _invite_attempt,
    ReplyStyle.GUIDE: _guide,
    ReplyStyle.GUESSES: _send_guess,
    ReplyStyle.CORRECT: _correct,
    ReplyStyle.PLAINLY: _state_plainly,
    ReplyStyle.PAUSE: _acknowledge,
    ReplyStyle.WORD: _say_word,
    ReplyStyle.GIVES_UP: _offer_ways,
    ReplyStyle.FASTER: _quicken,
    ReplyStyle.CALM: _calm,
    ReplyStyle.EXAMPLE: _example,
    ReplyStyle.DRIFT: _redirect,
}
