"""End of a lesson: what the learner has solved alone, what is not settled, and what builds on it."""

from collections.abc import Iterator

from sprout.learning.mastery.mastery import RIGHT_TO_LEARN
from sprout.offline.demo.tutor.composition import Priority, Snippet, compose, first_sentences, unsaid
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.offline.demo.tutor.replies.about_lesson import goals_of, holds_any, steps_solved
from sprout.offline.demo.tutor.replies.lesson_order import is_left_out
from sprout.offline.demo.tutor.replies.next_question import PARAGRAPH, outcome_snippets
from sprout.offline.demo.tutor.replies.open_question import quote_learner
from sprout.offline.demo.tutor.templates import Templates, inner_quotes
from sprout.offline.demo.tutor.turn import Turn
from sprout.offline.notes.words import words_of

SUMMARY_WORDS = 80
EVIDENCE_WORDS = 20
FEWEST_EVIDENCE = 5


def completion_text(turn: Turn, teaching: TutorLesson, frames: Templates) -> str:
    """The verdict on the last answer; then the lesson's summary where every step was solved alone, else which were."""
    parts = [
        *outcome_snippets(turn, teaching, frames, quotes=False),
        *_evidence_snippets(turn, teaching, frames),
        *_record_snippets(turn, teaching, frames),
    ]
    if turn.subject.after:
        titles = ", ".join(frames.render("quote", words=inner_quotes(title)) for title in turn.subject.after[:2])
        parts.append(Snippet(frames.render("comes_next", titles=titles), Priority.MAY))
    return compose(unsaid(parts, turn.said), None, joint=PARAGRAPH)


def _record_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    if teaching.source == "notes":
        yield Snippet(teaching.summary)
        could_show_it = any(task.is_marked_by_code for chunk in teaching.chunks for task in chunk.questions)
        is_read_enough = len(turn.asked) < RIGHT_TO_LEARN
        if could_show_it and not is_read_enough and turn.unaided_right < RIGHT_TO_LEARN:
            yield Snippet(frames.render("notes_practised"))
        return
    alone = steps_solved(turn, teaching)
    if len(alone) == len(teaching.chunks):
        yield Snippet(first_sentences(teaching.summary, SUMMARY_WORDS))
        return
    left_out = [chunk for chunk in teaching.chunks if chunk not in alone and is_left_out(chunk, turn)]
    rest = [chunk for chunk in teaching.chunks if chunk not in alone and chunk not in left_out]
    asked = [chunk for chunk in rest if holds_any(chunk, turn.asked)]
    skipped = [chunk for chunk in rest if chunk not in asked]
    yield Snippet(frames.render("alone", plan=goals_of(alone)) if alone else frames.render("enough"))
    if asked and turn.sees_whole_lesson:
        yield Snippet(frames.render("not_settled", plan=goals_of(asked)))
    if left_out:
        yield Snippet(frames.render("left_out_at_end", plan=goals_of(left_out)))
    if skipped:
        yield Snippet(frames.render("not_asked", plan=goals_of(skipped)))


def _evidence_snippets(turn: Turn, teaching: TutorLesson, frames: Templates) -> Iterator[Snippet]:
    """The learner's own sentence, where the last answer was one."""
    settled, marking = turn.settled, turn.marking
    if settled is None or not settled.done_alone or marking is None or not marking.criteria:
        return
    found = teaching.find(settled.prompt)
    if found is None or found[1].kind == "code" or len(words_of(turn.message)) < FEWEST_EVIDENCE:
        return
    if words := quote_learner(turn.message, frames, EVIDENCE_WORDS):
        yield Snippet(frames.render("your_evidence", words=words), Priority.SHOULD, whole=True)
