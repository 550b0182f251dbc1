"""Offline model of the refinement agent: bridges, removals or, more often than not, nothing."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sprout.offline.courses.catalogue import BRIDGE_PREFIX
from sprout.offline.demo.agents.observations import (
    DESC_CHARACTERS,
    HARD,
    HARDEST,
    LEAST_GRADED,
    TITLE_CHARACTERS,
    GradedAnswer,
    Observations,
    SubconceptState,
    clip_text,
    read_observations,
    transfer_step,
    undone_changes,
)
from sprout.offline.demo.conversation import Conversation
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

GRADE, CHECK = "grade_student_answers", "validate_graph"
OBSERVE = (GRADE, "get_current_subconcepts", "check_student_history", "get_future_concepts")
ADD, REMOVE, FOLLOW_UP = "add_subconcept", "remove_subconcept", "add_followup_concept"
CLOSE = "close_review"
MOST_ADDED = 2
MOST_REMOVED = 2
CHOICES_TO_REMOVE = 3  # two alone may be guesses
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

UNCHANGED = "I looked at your answers. Nothing in them calls for a change, so the map stays as it is."
TOO_FEW = "There is too little to go by yet, so the map stays as it is. The lessons will show more."
DONE = "I have adapted the map to your answers; the reason stands with each change. Take back whatever you do not want."


def reply_as_refinement_agent(conversation: Conversation) -> Reply:
    """The next reply: look, change what the answers call for, close. What is refused is left out."""
    if not conversation.may_call:
        return Reply([TextOut(UNCHANGED)])
    if looks := conversation.without_repeats([ToolOut(tool, {}) for tool in OBSERVE]):
        return Reply([*([] if conversation.calls else [TextOut("First I look at your answers.")]), *looks])
    if not conversation.calls_to(CHECK) and (changes := plan_changes(conversation)):
        reasons = [str(change.input["reason"]) for change in changes if isinstance(change, ToolOut)]
        notes = conversation.note_down(decisions=reasons)
        return Reply(conversation.without_repeats([*notes, *changes, ToolOut(CHECK, {})]))
    changed = [call for tool in (ADD, REMOVE, FOLLOW_UP) for call in conversation.calls_to(tool) if not call.failed]
    if changed:
        return Reply([ToolOut(CLOSE, {"message": DONE})])
    few = len(read_observations(conversation, GRADE).usable) < LEAST_GRADED
    return Reply([ToolOut(CLOSE, {"message": TOO_FEW if few else UNCHANGED})])


def plan_changes(conversation: Conversation) -> list[Block]:
    """The changes that the answers call for, none as a rule."""
    seen = read_observations(conversation, GRADE)
    if seen.answers and len(seen.blanks) == len(seen.answers) >= LEAST_GRADED:
        return [*_easier_entry(seen, undone_changes(conversation))]
    if len(seen.usable) < LEAST_GRADED or len(seen.blanks) * 2 > len(seen.answers):
        return []
    if all(answer.correct for answer in seen.answers):
        return [*_removals(seen)] or [*_follow_up(seen)]
    additions = [] if seen.may_be_guesses else [*_additions(seen)]
    return [*additions[:MOST_ADDED], *_removals(seen)]


def _additions(seen: Observations) -> Iterator[ToolOut]:
    """A bridge, where one helps, and contrasts for the misconceptions that came back elsewhere.

    A bridge is a step before a subconcept that fails together with what it rests on: at the first of those that fail.
    """
    for part in seen.subconcepts:
        failing = [title for title in seen.all_prerequisites(part.title) if seen.is_weak(title)]
        if not seen.is_weak(part.title) or not failing:
            continue
        first = next(title for title in failing if not any(seen.is_weak(one) for one in seen.all_prerequisites(title)))
        missed = _wrong_answers(seen, first)[:1] + [
            one for one in _wrong_answers(seen, part.title) if first not in one.tests
        ]
        if len(missed) < 2:
            missed = _wrong_answers(seen, first)[:2]
        if len(missed) < 2:
            continue  # one answer alone, about both
        bridged = [*_wrong_answers(seen, first), *_wrong_answers(seen, part.title)]
        at_the_start = not seen.prerequisites.get(first) and not any(answer.correct for answer in seen.usable)
        depends_on, unlocks = ([], [first]) if at_the_start else ([first], [part.title])
        shown = {thought for answer in bridged for thought in answer.misconceptions}
        thoughts = [thought for thought in _recurring(seen) if thought in shown]
        yield _bridge(seen.subconcept(first), missed, thoughts, depends_on, unlocks, eased=part.title)
        if not at_the_start:  # else one smaller step is enough
            yield from _contrasts(seen, used=bridged)
        return
    yield from _contrasts(seen, used=())


def _contrasts(seen: Observations, *, used: Sequence[GradedAnswer]) -> Iterator[ToolOut]:
    """For each misconception that came back, a case in which it and the right idea predict different things.

    Args:
        used: answers that another change is for; no answer is evidence of two.
    """
    used = [*used]
    for thought in _recurring(seen):
        if any(thought.casefold() in f"{part.title} {part.desc}".casefold() for part in seen.subconcepts):
            continue
        missed = [answer for answer in seen.usable if thought in answer.misconceptions and answer not in used][:2]
        if len(missed) < 2:
            continue
        first = next((part for part in seen.subconcepts if any(part.title in answer.tests for answer in missed)), None)
        if first is not None:
            used += missed
            yield _contrast(thought, missed, first, seen.prerequisites.get(first.title, []))


def _recurring(seen: Observations) -> list[str]:
    """The misconceptions that at least two answers show, most frequent first."""
    counts = Counter(thought for answer in seen.usable if not answer.correct for thought in set(answer.misconceptions))
    return [thought for thought, count in counts.most_common() if count > 1]


def _removals(seen: Observations) -> Iterator[ToolOut]:
    """Removals of learned subconcepts: right answers to harder questions, not started, not where all edges meet."""
    found = 0
    for part in seen.subconcepts:
        hard = [answer for answer in seen.answers_about(part.title) if answer.difficulty >= HARD]
        enough = len(hard) >= (CHOICES_TO_REMOVE if all(answer.choice for answer in hard) else 2)
        proved = enough and all(answer.correct for answer in seen.answers_about(part.title))
        known = part.state in ("learned", "mastered")
        if proved and known and not (part.started or part.closing) and found < MOST_REMOVED:
            found += 1
            number = NUMBER_WORDS[min(len(hard), 10)]
            reason = (
                f"Taken out because you solved {number} harder questions on it without help. Bring it back any time."
            )
            yield ToolOut(REMOVE, {"title": part.title, "reason": reason, "evidence": [one.evidence for one in hard]})


def _follow_up(seen: Observations) -> Iterator[ToolOut]:
    """One step to new ground after the last concept, for one who solved everything, the hardest too."""
    hardest = [answer for answer in seen.usable if answer.correct and answer.difficulty >= HARDEST]
    last = next((part for part in seen.subconcepts if part.closing), None)
    if seen.later_concepts or len(hardest) < 2 or last is None:
        return
    yield ToolOut(
        FOLLOW_UP,
        {
            **transfer_step(last),
            "reason": "Added because you solved all of it without help, also the hardest. It takes this to new cases.",
            "evidence": [one.evidence for one in hardest[:2]],
        },
    )


def _easier_entry(seen: Observations, undone: str) -> Iterator[ToolOut]:
    """One smaller step before the first subconcept, for one who could not say anything yet."""
    entry = next((part for part in seen.subconcepts if not seen.prerequisites.get(part.title)), None)
    if entry is None:
        return
    title = clip_text(f"A first look: {entry.title}", TITLE_CHARACTERS)
    if title.casefold() in undone:
        return
    number = NUMBER_WORDS[min(len(seen.blanks), 10)]
    yield ToolOut(
        ADD,
        {
            "title": title,
            "desc": clip_text(
                f"You meet the idea in one everyday case, before any terms. Then: {entry.desc}", DESC_CHARACTERS
            ),
            "reason": f"Added because {number} questions were still open for you. It starts with one everyday case.",
            "evidence": [one.evidence for one in seen.blanks[:2]],
            "unlocks": [entry.title],
        },
    )


def _bridge(
    part: SubconceptState,
    missed: Sequence[GradedAnswer],
    recurring: Sequence[str],
    depends_on: Sequence[str],
    unlocks: Sequence[str],
    *,
    eased: str,
) -> ToolOut:
    thoughts = recurring or [thought for answer in missed for thought in answer.misconceptions][:1]
    slip = "".join(f" A thought to look at: {thought}." for thought in thoughts)
    number = NUMBER_WORDS[min(len(missed), 10)]
    shared = next((one for one in thoughts if all(one in answer.misconceptions for answer in missed)), None)
    because = f"the same thought came up: {shared}" if shared else f"this was missing: {clip_text(part.title, 70)}"
    return ToolOut(
        ADD,
        {
            "title": clip_text(f"{BRIDGE_PREFIX}{part.title}", TITLE_CHARACTERS),
            "desc": clip_text(
                f"You can do this on small cases, one step at a time.{slip} {part.desc}", DESC_CHARACTERS
            ),
            "reason": _join_clipped(f"Added because in {number} answers {because}.", "It makes what follows easier."),
            "evidence": [one.evidence for one in missed],
            "depends_on": [*depends_on],
            "unlocks": [*(unlocks or [eased])],
        },
    )


def _contrast(thought: str, missed: Sequence[GradedAnswer], part: SubconceptState, before: Sequence[str]) -> ToolOut:
    return ToolOut(
        ADD,
        {
            "title": clip_text(f"Put to the test: {thought}", TITLE_CHARACTERS),
            "desc": clip_text(
                f"You can say in which case this idea fails, and why: {thought}. {part.desc}", DESC_CHARACTERS
            ),
            "reason": _join_clipped(
                f"Added because two answers had one thought in common: {thought}.", "One case decides it."
            ),
            "evidence": [one.evidence for one in missed],
            "depends_on": [*before],
            "unlocks": [part.title],
        },
    )


def _wrong_answers(seen: Observations, title: str) -> list[GradedAnswer]:
    return [answer for answer in seen.answers_about(title) if not answer.correct]


def _join_clipped(because: str, purpose: str, *, words: int = 30) -> str:
    """Both, with the first cut so that there is room for the second."""
    room = words - len(purpose.split())
    first = because.split()
    reason = because if len(first) <= room else " ".join(first[: room - 1]).rstrip(".,:;") + " …"
    return f"{reason} {purpose}"
