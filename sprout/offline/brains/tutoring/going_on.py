"""What the offline tutor says where no question is open: the next chunk with its question, or the end of the lesson."""

from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.text.words import folded, occurs_in
from sprout.offline.brains.tutoring.frames import Frames
from sprout.offline.brains.tutoring.open_question import quoted
from sprout.offline.brains.tutoring.speech import Part, Worth, shortened, spoken
from sprout.offline.brains.tutoring.steps import Next, Why
from sprout.offline.brains.tutoring.tactics import Manner, times_tried, tried
from sprout.offline.brains.tutoring.teaching import Task, Teaching
from sprout.offline.brains.tutoring.turn import Turn
from sprout.offline.notes.reading import sentences_of, words_of

SUMMARY_WORDS = 80
SOLUTION_WORDS = 70
REVIEW_WORDS = 30
EVIDENCE_WORDS = 20
FEWEST_EVIDENCE = 5
FEWEST_COPIED = 3
PARAGRAPH = "\n\n"
_ANSWERED_FIRST = frozenset({Manner.TRUTH, Manner.CONTEST, Manner.BACK, Manner.DRIFT})


@dataclass(frozen=True, slots=True)
class Weak:
    """What the subconcept builds on and what is not firm yet; `summary` where a lesson on it is at hand."""

    title: str
    summary: str = ""


def words_to_pose(turn: Turn, teaching: Teaching, following: Next, frames: Frames, weak: Weak | None = None) -> str:
    """What stands before the next question: what the last one has come to, then the case and the idea."""
    parts = [*_replied(turn, frames), *_settled(turn, teaching, frames), *_reviewed(weak, frames)]
    parts += [Part(_uncopied(part.text, following.task), part.worth) for part in _leads(turn, following, frames)]
    return spoken(parts, None, joint=PARAGRAPH) or frames.say("next_idea", can=following.task.can)


def words_to_complete(turn: Turn, teaching: Teaching, frames: Frames) -> str:
    """The summary, the learner's own sentence where the last answer was one, and what builds on it."""
    summary = shortened(teaching.summary, SUMMARY_WORDS)
    parts = [*_evidence(turn, teaching, frames), Part(summary)]
    if turn.subject.after:
        titles = ", ".join(f"“{title}”" for title in turn.subject.after[:2])
        parts.append(Part(frames.say("comes_next", titles=titles), Worth.MAY))
    return spoken(parts, None)


def _replied(turn: Turn, frames: Frames) -> Iterator[Part]:
    """A word on what the learner tries beside; nothing where the answer itself is the reply."""
    tactic = tried(turn.words)
    if tactic is None or (turn.settled is not None and tactic.manner not in _ANSWERED_FIRST):
        return
    if tactic.manner not in (Manner.FASTER, Manner.EXAMPLE, Manner.CARE):
        yield Part(tactic.opening(frames.code, times_tried(tactic, turn.before)), Worth.SHOULD)


def _settled(turn: Turn, teaching: Teaching, frames: Frames) -> Iterator[Part]:
    settled = turn.settled
    if settled is None:
        return
    if settled.worked_through:
        solution = settled.solution
        if "```" not in solution:
            solution = shortened(" ".join(solution.split("\n")), SOLUTION_WORDS) or solution
        if solution:
            yield Part(frames.say("together", text=solution))
        return
    if settled.level:
        yield Part(frames.say("with_help"), Worth.SHOULD)
        return
    found = teaching.find(settled.prompt)
    because = found[1].because if found else ""
    met = next((one for one in turn.marked.criteria if one.verdict == "met"), None) if turn.marked else None
    if met is not None and quoted(met.words):
        code = found is not None and found[1].kind == "code"
        yield Part(frames.say("right_you_wrote", words=quoted(met.words, code=code)), Worth.SHOULD)
    if because:
        yield Part(because, Worth.SHOULD)
    elif met is None:
        yield Part(frames.say("right"), Worth.SHOULD)


def _reviewed(weak: Weak | None, frames: Frames) -> Iterator[Part]:
    if weak is not None:
        text = shortened(weak.summary, REVIEW_WORDS)
        name = "first_review" if text else "first_review_title"
        yield Part(frames.say(name, title=weak.title, text=text), Worth.SHOULD)


def _leads(turn: Turn, following: Next, frames: Frames) -> Iterator[Part]:
    match following.why:
        case Why.NEW:
            yield Part(following.chunk.says)
        case Why.TEST:
            yield Part(frames.say("as_test"))
        case Why.CHANGED_FORM:
            yield Part(frames.say("changed_form"))
        case Why.ONCE_MORE:
            yield Part(frames.say("once_more"))


def _uncopied(text: str, task: Task) -> str:
    """The text without a sentence that is the answer to the question, word for word."""
    answer = folded(task.answer).rstrip(".!")
    if task.kind in ("mcq", "number") or len(answer.split()) < FEWEST_COPIED or not occurs_in(answer, folded(text)):
        return text
    return " ".join(sentence for sentence in sentences_of(text) if not occurs_in(answer, folded(sentence)))


def _evidence(turn: Turn, teaching: Teaching, frames: Frames) -> Iterator[Part]:
    settled = turn.settled
    unaided = settled is not None and not settled.worked_through and not settled.level
    if unaided and turn.marked is not None and turn.marked.criteria and len(words_of(turn.words)) >= FEWEST_EVIDENCE:
        found = teaching.find(settled.prompt) if settled else None
        words = quoted(turn.words, EVIDENCE_WORDS, code=found is not None and found[1].kind == "code")
        yield Part(frames.say("your_evidence", words=words), Worth.SHOULD)
