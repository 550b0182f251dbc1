"""Replies while no question is open: the verdict on the last one, and what comes before the next."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tutor.composition import (
    MOST_WORDS,
    LeakCheck,
    Priority,
    Snippet,
    compose,
    first_sentences,
    unsaid,
)
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, count_tactic, recognize_tactic
from sprout.offline.demo.tutor.lesson import PreparedQuestion, ReadingAlone, TutorLesson
from sprout.offline.demo.tutor.replies.lesson_order import NextQuestion, NextReason, comes_back, is_left_out
from sprout.offline.demo.tutor.replies.open_question import quote_learner, shares_idea
from sprout.offline.demo.tutor.replies.purpose import ability_in, purpose_snippets
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.demo.tutor.turn import Turn

SOLUTION_WORDS = 70
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FEWEST_COPIED = 3
PARAGRAPH = "\n\n"
_ANSWERED_FIRST = frozenset({ReplyStyle.TRUTH, ReplyStyle.CONTEST, ReplyStyle.BACK, ReplyStyle.DRIFT})


@dataclass(frozen=True, slots=True)
class WeakPrerequisite:
    """Prerequisites that are not yet mastered; `summary` if there is a lesson on one."""

    title: str
    summary: str = ""


def next_question_text(
    turn: Turn, teaching: TutorLesson, following: NextQuestion, frames: Templates, weak: WeakPrerequisite | None = None
) -> str:
    """Text before the next question: the verdict on the last one, then the case and the idea."""
    outcome = [
        *outcome_snippets(turn, teaching, frames),
        *purpose_snippets(turn, teaching, frames),
        *_tactic_snippets(turn, frames),
    ]
    lead_in = [*_lead_in_snippets(turn, teaching, following, frames)]
    if following.question.reading:  # what settled the last question is said, though the next may be about it as well
        words = compose(unsaid([*outcome, *lead_in], turn.said), None, joint=PARAGRAPH)
        return words or following.chunk.explanation
    held = [*_mix_up_snippets(turn, following, frames)]
    parts = [*outcome, *_review_snippets(weak, frames), *held, *lead_in]
    safe = [replace(part, text=_without_answer(part.text, following.question)) for part in parts]
    most = MOST_WORDS + sum(len(one.text.split()) for one in held)  # the case comes on top of the chunk
    words = compose(unsaid(safe, turn.said), None, most=most, joint=PARAGRAPH)
    return words or frames.fresh("next_idea", turn.said, can=following.question.goal)


def reading_text(turn: Turn, teaching: TutorLesson, reading: ReadingAlone, frames: Templates) -> str:
    """Text before a passage that is only read: what settled the last question, else where the passage stands."""
    outcome = [*outcome_snippets(turn, teaching, frames), *_tactic_snippets(turn, frames)]
    return compose(unsaid(outcome, turn.said), None, joint=PARAGRAPH) or reading.explanation


def _tactic_snippets(turn: Turn, frames: Templates) -> Iterator[Snippet]:
    """A word on what the learner tries beside; nothing where the answer itself is the reply."""
    tactic = recognize_tactic(turn.message)
    if tactic is None or (turn.settled is not None and tactic.style not in _ANSWERED_FIRST):
        return
    if tactic.style not in (ReplyStyle.FASTER, ReplyStyle.EXAMPLE, ReplyStyle.CARE, ReplyStyle.CALM):
        yield Snippet(tactic.opening(frames.code, count_tactic(tactic, turn.earlier_messages)), Priority.SHOULD)


def outcome_snippets(turn: Turn, teaching: TutorLesson, frames: Templates, *, quotes: bool = True) -> Iterator[Snippet]:
    """A human sentence for who is upset; then the outcome of the last question, and why its answer holds.

    Args:
        quotes: whether the learner's words may be quoted.
    """
    settled = turn.settled
    tactic = recognize_tactic(turn.message)
    if tactic is not None and tactic.style is ReplyStyle.CALM and (settled is None or settled.how != "solved"):
        yield Snippet(tactic.opening(frames.code, count_tactic(tactic, turn.earlier_messages)), repeatable=True)
    if settled is None:
        return
    match settled.how:
        case "solved":
            yield _verdict(turn, teaching, frames, quotes=quotes)
            if because := _because(turn, teaching):
                text = frames.render("one_way", text=because) if _is_program(turn, teaching) else because
                yield Snippet(text, Priority.SHOULD, repeatable=_is_reading(turn, teaching))
        case "worked_through" if _is_reading(turn, teaching):
            yield Snippet(_because(turn, teaching), whole=True, repeatable=True)
        case "worked_through" if settled.solution:
            yield _worked_through(turn, frames)
            if _is_gap(turn, teaching):
                yield Snippet(_because(turn, teaching), Priority.SHOULD)
        case "compared":
            yield from _compared_snippets(turn, teaching, frames)
        case "changed":
            yield from _put_away_snippets(turn, teaching, frames)


def _verdict(turn: Turn, teaching: TutorLesson, frames: Templates, *, quotes: bool) -> Snippet:
    """That the answer was right, in words, and whether there was help."""
    assert turn.settled is not None
    found = teaching.find(turn.settled.prompt)
    number = _number_in_full(found[1], turn.message) if found is not None else ""
    if _is_gap(turn, teaching):
        text = frames.render("right_you_wrote", words=number) if number else frames.render("gap_filled")
        return Snippet(text, whole=bool(number), repeatable=True)
    if turn.settled.level:
        return Snippet(frames.fresh("with_help", turn.said), repeatable=True)
    met = [one for one in turn.marking.criteria if one.verdict == "met"] if turn.marking else []
    is_code = found is not None and found[1].kind == "code"
    words = next(filter(None, (quote_learner(one.words, frames) for one in met)), "")
    if words and quotes and not is_code:
        return Snippet(frames.render("right_you_wrote", words=words), whole=True, repeatable=True)
    if number:
        return Snippet(frames.render("right_you_wrote", words=number), whole=True, repeatable=True)
    return Snippet(frames.fresh("right", turn.said), repeatable=True)


def _number_in_full(question: PreparedQuestion, said: str) -> str:
    """The number that was asked for, with its unit; empty where the learner wrote it so: "18/40" is 45 %."""
    is_said = question.kind != "number" or question.answer in _NUMBER.findall(said)
    return "" if is_said else f"{question.answer} {question.unit}".strip()


def _worked_through(turn: Turn, frames: Templates) -> Snippet:
    """The way to the answer; its code stands in lines of its own."""
    assert turn.settled is not None
    solution = turn.settled.solution
    if "```" in solution:
        return Snippet(frames.fresh("together", turn.said, text=f"\n\n{solution}"), whole=True)
    text = " ".join(solution.split("\n"))
    text = first_sentences(text, SOLUTION_WORDS) or text
    return Snippet(frames.fresh("together", turn.said, text=text))


def _compared_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """After a comparison: that it is done, or why the model answer holds, or a case against the learner's mix-up."""
    assert turn.settled is not None
    if turn.settled.said == "met":
        yield Snippet(frames.fresh("compared_met", turn.said), repeatable=True)
    elif _is_reading(turn, teaching):
        yield Snippet(_because(turn, teaching), whole=True, repeatable=True)
    elif turn.settled.misconception and shares_idea(turn.settled.misconception, teaching.idea):
        yield Snippet(frames.render("test_case", idea=teaching.idea, case=teaching.case), Priority.SHOULD)
    elif because := _because(turn, teaching):
        yield Snippet(frames.fresh("compared_again", turn.said, text=because), Priority.SHOULD)


def _put_away_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """What becomes of a step whose questions are all put away: it comes back, and once more put away it is left out."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    if found is None or not all(one.was_asked(turn.asked) for one in found[0].questions):
        return
    if is_left_out(chunk := found[0], turn):
        name = "put_away" if comes_back(chunk, turn) else "left_out"
        yield Snippet(frames.render(name, can=chunk.goal), repeatable=True)


def _because(turn: Turn, teaching: TutorLesson) -> str:
    """Why the answer to the settled question holds."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    return found[1].because if found else ""


def _is_program(turn: Turn, teaching: TutorLesson) -> bool:
    """Whether the settled question asks for a program, which may have gone another way than the prepared one."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    return found is not None and found[1].kind == "code"


def _is_gap(turn: Turn, teaching: TutorLesson) -> bool:
    """Whether the settled question was a worked case with one step left out."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    return found is not None and found[1].is_gap


def _is_reading(turn: Turn, teaching: TutorLesson) -> bool:
    """Whether the settled question was about a passage, so that a sentence of it settles it."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    return found is not None and bool(found[1].reading)


def _review_snippets(weak: WeakPrerequisite | None, frames: Templates) -> Iterator[Snippet]:
    if weak is not None:
        can = ability_in(weak.summary)
        name = "first_review" if can else "first_review_title"
        yield Snippet(frames.render(name, title=weak.title, can=can), Priority.SHOULD)


def _mix_up_snippets(turn: Turn, following: NextQuestion, frames: Templates) -> Iterator[Snippet]:
    """At the beginning: a case against what the learner has believed about this part, if it keeps the next answer
    secret."""
    held = turn.held_here if turn.kind == "opening" and not turn.asked else None
    if held is None or held.contrast in following.chunk.explanation:
        return
    text = frames.render("held_belief", idea=held.statement, case=held.contrast)
    if LeakCheck(following.question.secret()).passes(text):
        yield Snippet(text, whole=True)


def _lead_in_snippets(
    turn: Turn, teaching: TutorLesson, following: NextQuestion, frames: Templates
) -> Iterator[Snippet]:
    """Announcement of the question: a new case and its idea, or how it goes with those before it."""
    can = following.question.goal
    match following.reason:
        case NextReason.NEW if turn.settled is None or not following.question.reading:
            yield Snippet(following.chunk.explanation)
            if turn.neighbours and following.chunk is teaching.chunks[-1]:
                yield Snippet(frames.render("neighbour", title=turn.neighbours[0]), Priority.SHOULD)
        case NextReason.GAP:
            if turn.settled is None:
                yield Snippet(following.chunk.explanation)
            yield Snippet(frames.render("gap"))
        case NextReason.AFTER_GAP:
            yield Snippet(frames.render("after_gap"))
        case NextReason.TEST:
            yield Snippet(frames.render("as_test"))
        case NextReason.CHANGED_FORM:
            changed = turn.settled is not None and turn.settled.how == "changed"
            yield Snippet(frames.fresh("another_one" if changed else "changed_form", turn.said), repeatable=True)
        case NextReason.COME_BACK:
            yield Snippet(frames.render("come_back", can=can), repeatable=True)
        case NextReason.ONE_MORE:
            yield Snippet(frames.fresh("one_more", turn.said, can=can), repeatable=True)
        case NextReason.FIRST_REPEAT:
            went_well = turn.settled is not None and not turn.settled.comes_again
            yield Snippet(frames.render("all_went_well" if went_well else "take_a_break"))
        case NextReason.ONCE_MORE:
            yield Snippet(frames.fresh("once_more", turn.said, can=can), repeatable=True)


def _without_answer(text: str, task: PreparedQuestion) -> str:
    """The text without a sentence that is the answer to the question, word for word."""
    answer = folded(task.answer).rstrip(".!")
    if task.kind in ("mcq", "number") or len(answer.split()) < FEWEST_COPIED or not occurs_in(answer, folded(text)):
        return text
    return " ".join(sentence for sentence in sentences_of(text) if not occurs_in(answer, folded(sentence)))
