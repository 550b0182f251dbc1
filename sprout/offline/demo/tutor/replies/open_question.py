"""A question that is open, and what each step of its ladder of help says to the learner."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.lessons.help_ladder import NextStep
from sprout.learning.text.normalization import one_line
from sprout.learning.text.stems import stems
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, LeakCheck, Priority, Snippet, first_sentences
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.templates import Templates
from sprout.offline.demo.tutor.turn import PendingQuestion, Turn

QUOTED_WORDS = 14
SAME_IDEA = 0.3
_MARKS = re.compile(r"[<>“”„\"`*_#\[\]|!{}]")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf][\ufe0f\u200d]*")


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A turn with its open question; `task` is None where it is not one of this lesson."""

    turn: Turn
    pending: PendingQuestion
    lesson: TutorLesson
    question: PreparedQuestion | None
    templates: Templates

    @property
    def check(self) -> LeakCheck | None:
        """Leak check for the reply; None if the answer is not known here."""
        if self.question is None:
            return None
        mine, theirs = self.turn.since_posed()
        secret = self.question.secret([*theirs, self.turn.message], self.pending.label_of(self.question.answer))
        return LeakCheck(secret, "\n".join(mine), self.pending.level)

    @property
    def is_aside(self) -> bool:
        """Return True if the message is a question of the learner's own."""
        asks = self.turn.message.rstrip().endswith("?") and self.turn.marking is None
        return self.pending.step is NextStep.WAIT and (self.turn.kind == "clarification" or asks)


def open_question(turn: Turn, teaching: TutorLesson, frames: Templates) -> OpenQuestion | None:
    """The turn with its open question; None if no question is open."""
    if turn.pending is None:
        return None
    found = teaching.find(turn.pending.prompt)
    return OpenQuestion(turn, turn.pending, teaching, found[1] if found else None, frames)


def quote_learner(words: str, most: int = QUOTED_WORDS, *, code: bool = False) -> str:
    """The learner's words as they can stand in quotation marks; empty where nothing is left of them.

    Of a program every sign counts, so it is set as code. Of other words emoji are left out: the tutor writes none.
    """
    line = one_line(words)
    bare = (line.replace("`", "") if code else _MARKS.sub("", _EMOJI.sub(" ", line))).split()
    more = " …" if len(bare) > most else ""
    if code:
        return f"`{' '.join(bare[:most])}`{more}" if bare else ""
    return " ".join(bare[:most]).strip(" .,;:") + more


def help_step_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """Help that the ladder demands; an attempt that could not be marked is named as such."""
    marked, frames = now.turn.marking, now.templates
    if marked is not None and marked.state in ("unsure", "ungraded"):
        yield from _unmarked_snippets(now)
        return
    match now.pending.step:
        case NextStep.GIVE_HELP:
            yield from _help_snippets(now)
        case _ if now.pending.kind == "mcq" and now.turn.kind == "answer":
            yield Snippet(frames.render("name_an_option"))
            yield from next_move_snippets(now)
        case _:
            yield Snippet(frames.fresh("open", now.turn.said))
            yield Snippet(frames.fresh("ready", now.turn.said))


def _unmarked_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    marked, frames = now.turn.marking, now.templates
    assert marked is not None
    if marked.state == "unsure" and marked.next_step:
        yield Snippet(first_sentences(marked.next_step, MOST_OF_ASIDE))
        return
    yield Snippet(frames.render(marked.state))
    missing = next((one.label for one in marked.criteria if one.verdict != "met" and one.label), "")
    if marked.next_step:
        yield Snippet(first_sentences(marked.next_step, MOST_OF_ASIDE), Priority.SHOULD)
    elif missing:
        yield Snippet(frames.render("unsure_ask", label=missing), Priority.SHOULD)
    else:
        yield Snippet(frames.fresh("ready", now.turn.said))


def _help_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """Help of exactly this level: what holds in the learner's words, and where it breaks."""
    yield from feedback_snippets(now)
    if case := _contrast_case(now):
        yield Snippet(now.templates.render("test_case", case=case), Priority.MAY)
    text, check = _help_text(now), now.check
    passes = bool(text) and (check is None or check.passes(text))
    yield Snippet(text if passes else now.templates.render(f"any_help_{max(1, now.pending.level.value)}"))


def _help_text(now: OpenQuestion) -> str:
    if now.turn.help:
        return now.turn.help
    texts, level = (now.question.help if now.question else ()), now.pending.level.value
    return texts[level - 1] if 0 < level <= len(texts) else ""


def feedback_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The part of the attempt that holds, quoted, and the missing part."""
    marked, frames = now.turn.marking, now.templates
    if marked is None or marked.correct is None:
        return
    code = now.pending.kind == "code"
    met = next((one for one in marked.criteria if one.verdict == "met" and quote_learner(one.words)), None)
    half = next((one for one in marked.criteria if one.verdict == "partly" and quote_learner(one.words)), None)
    if met is not None or half is not None:
        one, name = (met, "stands") if met is not None else (half, "half")
        assert one is not None
        yield Snippet(frames.render(name, words=quote_learner(one.words, code=code)), Priority.SHOULD)
    else:
        words = quote_learner(now.turn.message, code=code)
        yield Snippet(
            frames.render("not_it", words=words) if words else frames.render("not_it_wordless"), Priority.SHOULD
        )
    missing = [one for one in marked.criteria if one.verdict == "missing" and one.label]
    if missing:
        yield Snippet(frames.render("lacking", label=missing[0].label), Priority.SHOULD)


def _contrast_case(now: OpenQuestion) -> str:
    """The lesson's test case, where the learner's wrong idea is the one that it is for."""
    belief = now.turn.marking.misconception if now.turn.marking else ""
    return now.lesson.case if shares_idea(belief, now.lesson.idea) else ""


def shares_idea(one: str, other: str) -> bool:
    """Return True if the two wrong ideas speak of the same thing."""
    theirs, ours = stems([one]), stems([other])
    return bool(theirs and ours) and len(theirs & ours) >= SAME_IDEA * min(len(theirs), len(ours))


def next_move_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """The smallest next move, by the kind of answer that is wanted."""
    frames, labels = now.templates, now.question.labels if now.question else []
    kind = now.question.kind if now.question else now.pending.kind
    if kind == "text" and labels:
        yield Snippet(frames.fresh("try_text_about", now.turn.said, label=labels[0]))
    else:
        yield Snippet(frames.fresh(f"try_{kind}" if f"try_{kind}" in frames.texts else "try_text", now.turn.said))
