"""Replies while no question is open: the next chunk with its question, or the end of the lesson."""

from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tutor.composition import Priority, Snippet, compose, first_sentences, unsaid
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, count_tactic, recognize_tactic
from sprout.offline.demo.tutor.lesson import Chunk, PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.replies.lesson_order import NextQuestion, NextReason
from sprout.offline.demo.tutor.replies.open_question import quote_learner, shares_idea
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.demo.tutor.turn import Turn
from sprout.offline.notes.parser import sentences_of, words_of

SUMMARY_WORDS = 80
SOLUTION_WORDS = 70
REVIEW_WORDS = 30
EVIDENCE_WORDS = 20
FEWEST_EVIDENCE = 5
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
    """Text before the next question: the outcome of the last one, then the case and the idea."""
    parts = [
        *_tactic_snippets(turn, frames),
        *_settled_snippets(turn, teaching, frames),
        *_review_snippets(weak, frames),
    ]
    parts += [
        Snippet(_without_answer(part.text, following.question), part.priority)
        for part in _lead_in_snippets(turn, following, frames)
    ]
    words = compose(unsaid(parts, turn.said), None, joint=PARAGRAPH)
    return words or frames.fresh("next_idea", turn.said, can=following.question.goal)


def completion_text(turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    """The summary, the learner's own sentence where the last answer was one, and what builds on it."""
    summary = first_sentences(teaching.summary, SUMMARY_WORDS)
    parts = [*_evidence_snippets(turn, teaching, frames), Snippet(summary)]
    if turn.subject.after:
        titles = ", ".join(f"“{title}”" for title in turn.subject.after[:2])
        parts.append(Snippet(frames.render("comes_next", titles=titles), Priority.MAY))
    return compose(parts, None)


def _tactic_snippets(turn: Turn, frames: Templates) -> Iterator[Snippet]:
    """A word on what the learner tries beside; nothing where the answer itself is the reply."""
    tactic = recognize_tactic(turn.message)
    if tactic is None or (turn.settled is not None and tactic.style not in _ANSWERED_FIRST):
        return
    if tactic.style not in (ReplyStyle.FASTER, ReplyStyle.EXAMPLE, ReplyStyle.CARE):
        yield Snippet(tactic.opening(frames.code, count_tactic(tactic, turn.earlier_messages)), Priority.SHOULD)


def _settled_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    settled = turn.settled
    if settled is None:
        return
    if settled.how == "changed":
        return
    if settled.how == "compared":
        yield from _compared_snippets(turn, teaching, frames)
        return
    if settled.how == "worked_through":
        solution = settled.solution
        if "```" not in solution:
            solution = first_sentences(" ".join(solution.split("\n")), SOLUTION_WORDS) or solution
        if solution:
            yield Snippet(frames.render("together", text=solution))
        return
    if settled.level:
        yield Snippet(frames.fresh("with_help", turn.said), Priority.SHOULD)
        return
    found = teaching.find(settled.prompt)
    because = _because(found, turn)
    met = next((one for one in turn.marking.criteria if one.verdict == "met"), None) if turn.marking else None
    if met is not None and quote_learner(met.words):
        code = found is not None and found[1].kind == "code"
        yield Snippet(frames.render("right_you_wrote", words=quote_learner(met.words, code=code)), Priority.SHOULD)
    if because:
        yield Snippet(because, Priority.SHOULD)
    elif met is None:
        yield Snippet(frames.fresh("right", turn.said), Priority.SHOULD)


def _compared_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """After a comparison: praise, or why the model answer holds, or a case against the recognised misconception."""
    assert turn.settled is not None
    if turn.settled.said == "met":
        yield Snippet(frames.fresh("compared_met", turn.said), Priority.SHOULD)
        return
    found = teaching.find(turn.settled.prompt)
    if turn.settled.misconception and shares_idea(turn.settled.misconception, teaching.idea):
        yield Snippet(frames.render("test_case", case=teaching.case), Priority.SHOULD)
    elif because := _because(found, turn):
        yield Snippet(frames.fresh("compared_again", turn.said, text=because), Priority.SHOULD)


def _because(found: tuple[Chunk, PreparedQuestion] | None, turn: Turn) -> str:
    """Why the answer holds; nothing after a changed form that came first, since its question may follow."""
    if found is None:
        return ""
    chunk, task = found
    was_first = task is chunk.changed_form and not any(map(chunk.question.matches_prompt, turn.asked))
    return "" if was_first else task.because


def _review_snippets(weak: WeakPrerequisite | None, frames: Templates) -> Iterator[Snippet]:
    if weak is not None:
        text = first_sentences(weak.summary, REVIEW_WORDS)
        name = "first_review" if text else "first_review_title"
        yield Snippet(frames.render(name, title=weak.title, text=text), Priority.SHOULD)


def _lead_in_snippets(turn: Turn, following: NextQuestion, frames: Templates) -> Iterator[Snippet]:
    match following.reason:
        case NextReason.NEW:
            yield Snippet(following.chunk.explanation)
        case NextReason.TEST:
            yield Snippet(frames.render("as_test"))
        case NextReason.CHANGED_FORM:
            yield Snippet(frames.fresh("changed_form", turn.said))
        case NextReason.ONCE_MORE:
            yield Snippet(frames.fresh("once_more", turn.said))


def _without_answer(text: str, task: PreparedQuestion) -> str:
    """The text without a sentence that is the answer to the question, word for word."""
    answer = folded(task.answer).rstrip(".!")
    if task.kind in ("mcq", "number") or len(answer.split()) < FEWEST_COPIED or not occurs_in(answer, folded(text)):
        return text
    return " ".join(sentence for sentence in sentences_of(text) if not occurs_in(answer, folded(sentence)))


def _evidence_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    settled = turn.settled
    unaided = settled is not None and settled.done_alone
    if (
        unaided
        and turn.marking is not None
        and turn.marking.criteria
        and len(words_of(turn.message)) >= FEWEST_EVIDENCE
    ):
        found = teaching.find(settled.prompt) if settled else None
        words = quote_learner(turn.message, EVIDENCE_WORDS, code=found is not None and found[1].kind == "code")
        yield Snippet(frames.render("your_evidence", words=words), Priority.SHOULD)
