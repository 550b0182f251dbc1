"""What the offline model says as the refinement agent: bridges, removals or, more often than not, nothing."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sprout.offline.brains.adapting import (
    DESC_CHARACTERS,
    HARD,
    HARDEST,
    LEAST_GRADED,
    TITLE_CHARACTERS,
    Answered,
    Part,
    Picture,
    clipped,
    new_ground,
    picture,
    taken_back,
)
from sprout.offline.brains.conversation import Conversation
from sprout.offline.courses import STEP_BY_STEP
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

GRADE, CHECK = "grade_student_answers", "validate_graph"
OBSERVE = (GRADE, "get_current_subconcepts", "check_student_history", "get_future_concepts")
ADD, REMOVE, FOLLOW_UP = "add_subconcept", "remove_subconcept", "add_followup_concept"
MOST_BRIDGES = 1
MOST_REMOVED = 2
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

UNCHANGED = "I looked at your answers. Nothing in them calls for a change, so the map stays as it is."
TOO_FEW = "There is too little to go by yet, so the map stays as it is. The lessons will show more."
DONE = "I have adapted the map to your answers; the reason stands with each change. Take back whatever you do not want."


def speak_as_refinement_agent(conversation: Conversation) -> Reply:
    """The next reply: look, change what the answers call for, close. What is refused is left out."""
    if not conversation.may_call:
        return Reply([TextOut(UNCHANGED)])
    if looks := conversation.left_of([ToolOut(tool, {}) for tool in OBSERVE]):
        return Reply([*([] if conversation.calls else [TextOut("First I look at your answers.")]), *looks])
    if not conversation.called(CHECK) and (changes := refinement(conversation)):
        return Reply(conversation.left_of([*changes, ToolOut(CHECK, {})]))
    changed = [call for tool in (ADD, REMOVE, FOLLOW_UP) for call in conversation.called(tool) if not call.failed]
    if changed:
        return Reply([TextOut(DONE)])
    few = len(picture(conversation, GRADE).usable) < LEAST_GRADED
    return Reply([TextOut(TOO_FEW if few else UNCHANGED)])


def refinement(conversation: Conversation) -> list[Block]:
    """The changes that the answers call for, none as a rule."""
    seen = picture(conversation, GRADE)
    if seen.answers and len(seen.blanks) == len(seen.answers) >= LEAST_GRADED:
        return [*_easier_entry(seen, taken_back(conversation))]
    if len(seen.usable) < LEAST_GRADED or len(seen.blanks) * 2 > len(seen.answers):
        return []
    if all(answer.correct for answer in seen.answers):
        return [*_removals(seen)] or [*_follow_up(seen)]
    bridges = [] if seen.may_be_guesses else [*_bridges(seen)] or [*_contrasts(seen)]
    return [*bridges[:MOST_BRIDGES], *_removals(seen)]


def _bridges(seen: Picture) -> Iterator[ToolOut]:
    """A step before a subconcept that fails together with what it rests on: at the first of those that fail."""
    for part in seen.parts:
        failing = [title for title in seen.beneath(part.title) if seen.fails(title)]
        if not seen.fails(part.title) or not failing:
            continue
        first = next(title for title in failing if not any(seen.fails(one) for one in seen.beneath(title)))
        missed = _missed(seen, first)[:1] + [one for one in _missed(seen, part.title) if first not in one.tests]
        if len(missed) < 2:
            missed = _missed(seen, first)[:2]
        at_the_start = not seen.before.get(first) and not any(answer.correct for answer in seen.usable)
        depends_on, unlocks = ([], [first]) if at_the_start else ([first], [part.title])
        yield _bridge(seen.part(first), missed, depends_on, unlocks, eased=part.title)
        return


def _contrasts(seen: Picture) -> Iterator[ToolOut]:
    """A case in which a misconception that came back, and the right idea, predict different things."""
    counts = Counter(thought for answer in seen.usable if not answer.correct for thought in set(answer.misconceptions))
    for thought, count in counts.most_common():
        treated = any(thought.casefold() in f"{part.title} {part.desc}".casefold() for part in seen.parts)
        if count < 2 or treated:
            continue
        missed = [answer for answer in seen.usable if thought in answer.misconceptions][:2]
        first = next((part for part in seen.parts if any(part.title in answer.tests for answer in missed)), None)
        if first is not None:
            yield _contrast(thought, missed, first, seen.before.get(first.title, []))
            return


def _removals(seen: Picture) -> Iterator[ToolOut]:
    """What is mastered by right answers to harder questions, was not begun, and is not where all comes together."""
    found = 0
    for part in seen.parts:
        hard = [answer for answer in seen.about(part.title) if answer.difficulty >= HARD]
        proved = len(hard) >= 2 and all(answer.correct for answer in seen.about(part.title))
        if proved and part.state == "mastered" and not (part.begun or part.closing) and found < MOST_REMOVED:
            found += 1
            number = COUNTED[min(len(hard), 10)]
            reason = (
                f"Taken out because you solved {number} harder questions on it without help. Bring it back any time."
            )
            yield ToolOut(REMOVE, {"title": part.title, "reason": reason, "evidence": [one.evidence for one in hard]})


def _follow_up(seen: Picture) -> Iterator[ToolOut]:
    """One step to new ground after the last concept, for one who solved everything, the hardest too."""
    hardest = [answer for answer in seen.usable if answer.correct and answer.difficulty >= HARDEST]
    last = next((part for part in seen.parts if part.closing), None)
    if seen.later or len(hardest) < 2 or last is None:
        return
    yield ToolOut(
        FOLLOW_UP,
        {
            **new_ground(last),
            "reason": "Added because you solved all of it without help, also the hardest. It takes this to new cases.",
            "evidence": [one.evidence for one in hardest[:2]],
        },
    )


def _easier_entry(seen: Picture, undone: str) -> Iterator[ToolOut]:
    """One smaller step before the first subconcept, for one who could not say anything yet."""
    entry = next((part for part in seen.parts if not seen.before.get(part.title)), None)
    if entry is None:
        return
    title = clipped(f"A first look: {entry.title}", TITLE_CHARACTERS)
    if title.casefold() in undone:
        return
    number = COUNTED[min(len(seen.blanks), 10)]
    yield ToolOut(
        ADD,
        {
            "title": title,
            "desc": clipped(
                f"You meet the idea in one everyday case, before any terms. Then: {entry.desc}", DESC_CHARACTERS
            ),
            "reason": f"Added because {number} questions were still open for you. It starts with one everyday case.",
            "evidence": [one.evidence for one in seen.blanks[:2]],
            "unlocks": [entry.title],
        },
    )


def _bridge(
    part: Part, missed: Sequence[Answered], depends_on: Sequence[str], unlocks: Sequence[str], *, eased: str
) -> ToolOut:
    thought = next((one for answer in missed for one in answer.misconceptions), None)
    slip = f" A thought to look at: {thought}." if thought else ""
    number = COUNTED[min(len(missed), 10)]
    shared = all(thought in answer.misconceptions for answer in missed)
    shown = f"the same thought came up: {thought}" if shared else f"this was missing: {clipped(part.title, 70)}"
    return ToolOut(
        ADD,
        {
            "title": clipped(f"{STEP_BY_STEP}{part.title}", TITLE_CHARACTERS),
            "desc": clipped(f"You can do this on small cases, one step at a time.{slip} {part.desc}", DESC_CHARACTERS),
            "reason": _short(f"Added because in {number} answers {shown}.", "It makes what follows easier."),
            "evidence": [one.evidence for one in missed],
            "depends_on": [*depends_on],
            "unlocks": [*(unlocks or [eased])],
        },
    )


def _contrast(thought: str, missed: Sequence[Answered], part: Part, before: Sequence[str]) -> ToolOut:
    return ToolOut(
        ADD,
        {
            "title": clipped(f"Put to the test: {thought}", TITLE_CHARACTERS),
            "desc": clipped(
                f"You can say in which case this idea fails, and why: {thought}. {part.desc}", DESC_CHARACTERS
            ),
            "reason": _short(
                f"Added because two answers had one thought in common: {thought}.", "One case decides it."
            ),
            "evidence": [one.evidence for one in missed],
            "depends_on": [*before],
            "unlocks": [part.title],
        },
    )


def _missed(seen: Picture, title: str) -> list[Answered]:
    return [answer for answer in seen.about(title) if not answer.correct]


def _short(because: str, purpose: str, *, words: int = 30) -> str:
    """Both, with the first cut so that there is room for the second."""
    room = words - len(purpose.split())
    first = because.split()
    kept = because if len(first) <= room else " ".join(first[: room - 1]).rstrip(".,:;") + " …"
    return f"{kept} {purpose}"
