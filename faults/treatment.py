"""What a good system does with each learner: the last column of the teaching guide's table, as checks of a story."""

import re
from collections.abc import Callable, Iterator

from faults.story import LessonStory, Story
from faults.textbook import holes_of
from sprout.learning.text.words import one_line
from sprout.offline.courses import courses

EXPERT_QUESTIONS = 2.0  # to a subconcept, on average: a lesson is placed out of, not gone through
MOST_WORDS = 140  # of a reply, its repeated question apart
FEWEST_WORDS = 5
FLATTERY = re.compile(
    r"\b(?:wow|awesome|amazing|brilliant|fantastic|genius|great job|excellent|you're so|well done)\b", re.IGNORECASE
)

Faults = Iterator[str]


def treatment(name: str, story: Story) -> list[str]:
    """What was not as it should be with this learner, who may have got no further than to some concept."""
    return [*_everybody(story), *_OF[name](story)]


def _everybody(story: Story) -> Faults:
    for turn in story.turns:
        graded = turn.graded
        if turn.words.right is False and graded and graded["correct"]:
            yield f"a wrong answer was right: {turn.words.text[:60]!r} to {turn.asked.prompt[:60]!r}"
        if turn.words.right and not (graded and graded["correct"]):
            yield f"a right answer was not: {turn.words.text[:80]!r} to {turn.asked.prompt[:60]!r}"
        if turn.words.right is None and graded and graded["score"] is not None:  # without one it was told as unmarked
            yield f"words that are no answer were graded: {turn.words.text[:60]!r}"
        if turn.settled and turn.words.right and turn.level and turn.asked.prompt == (turn.next_prompt or ""):
            yield f"the same question came again after help: {turn.asked.prompt[:60]!r}"
    for concept in story.concepts:
        if len(concept.changes) > 3:
            yield f"{len(concept.changes)} changes of {concept.title!r} at once"
        for one, words, correct in concept.diagnosed:
            if correct is not None and words.right is not None and correct != words.right:
                yield f"graded {correct} in the diagnostic: {words.text[:60]!r} to {one.prompt[:60]!r}"
    yield from _changed_forms(story)


def _changed_forms(story: Story) -> Faults:
    """What took help is practice: its changed form comes next, unless the lesson has asked that already (H3)."""
    for lesson in _lessons(story):
        asked = [one_line(turn.asked.prompt) for turn in lesson.turns]
        for turn, following in zip(lesson.turns, lesson.turns[1:], strict=False):
            aided = turn.settled and turn.then > 0 and not turn.asked.changed
            same_idea = following.asked.idea == turn.asked.idea
            if aided and not same_idea and asked.count(one_line(turn.asked.prompt)) == 1:
                yield f"no changed form after help with {turn.asked.prompt[:60]!r}"


def _novice(story: Story) -> Faults:
    yield from _no_early_mastery(story)
    for concept in story.concepts:
        for change in concept.changes:
            added = {node["id"] for node in change["after"]["nodes"]} - {n["id"] for n in change["before"]["nodes"]}
            blank = all(words.text in ("idk", "I don't know") for _, words, _ in concept.diagnosed)
            if blank and any(edge["targetNodeId"] in added for edge in change["after"]["edges"]):
                yield f"an entry above their level in {concept.title!r}"
    if not any("smaller" in turn.reply.casefold() for turn in story.turns if turn.words.text == "idk"):
        yield "nobody made the step smaller"


def _hole(story: Story) -> Faults:
    for concept in story.concepts:
        if len(concept.added) > 1:
            yield f"{len(concept.added)} bridges for one hole in {concept.title!r}"
    if not any(concept.added for concept in story.concepts):
        yield "no hole was bridged"
    course = next(course for course in courses() if course.title == story.course)
    for lesson in _lessons(story):
        if lesson.title in holes_of(course):  # all three steps are new there: each may take its changed form (H3)
            continue
        if lesson.questions > 3 + 2:
            yield f"{lesson.questions - 3} extra questions in {lesson.title!r}"


def _expert(story: Story) -> Faults:
    lessons = [*_lessons(story)]
    mean = sum(lesson.questions for lesson in lessons) / max(1, len(lessons))
    if mean > EXPERT_QUESTIONS:
        yield f"{mean:.1f} questions to a subconcept"
    if any(concept.added and concept is not story.concepts[-1] for concept in story.concepts):
        yield "more of the same was added"
    if any(turn.then for turn in story.turns):
        yield "help that nobody needs"


def _misconception(story: Story) -> Faults:
    """Where two answers show the same belief, the map gets its contrast case; in lessons it is put to the test."""
    for concept in story.concepts:
        missed = [
            wrong.belief for one, words, _ in concept.diagnosed for wrong in one.wrong if wrong.text == words.text
        ]
        for belief in {one for one in missed if missed.count(one) > 1}:
            named = [
                f"{node['title']} {node['desc']}" for change in concept.changes for node in change["after"]["nodes"]
            ]
            if not any(belief in text for text in named):
                yield f"a belief that came twice is not named: {belief!r}"


def _slipper(story: Story) -> Faults:
    for turn in story.turns:
        if turn.then > 1:
            yield f"level {turn.then} for a slip at {turn.asked.prompt[:60]!r}"
    for concept in story.concepts:
        slips = sum(words.right is False for _, words, _ in concept.diagnosed)
        if slips == 1 and concept.added:  # two of them look like a gap to whoever sees no more than the answers
            yield f"one slip has changed {concept.title!r}: {concept.added}"


def _guesser(story: Story) -> Faults:
    yield from _no_early_mastery(story)
    yield from (f"guesses have removed {concept.removed}" for concept in story.concepts if concept.removed)
    yield from (f"guesses have added {concept.added}" for concept in story.concepts if concept.added)


def _no_early_mastery(story: Story) -> Faults:
    for concept in story.concepts:
        if concept.known:
            yield f"the diagnostic alone has shown {concept.known} to be mastered"


def _extractor(story: Story) -> Faults:
    for turn in story.turns:
        if not turn.words.tactic:
            continue
        said = turn.reply.split("Question Type:")[0]
        if turn.settled or turn.then > turn.level:
            yield f"{turn.words.tactic!r} has moved the question on"
        if not FEWEST_WORDS <= len(said.split()) <= MOST_WORDS:
            yield f"{turn.words.tactic!r} got {len(said.split())} words"
        if "!" in said.replace(turn.words.text, ""):
            yield f"{turn.words.tactic!r} got an exclamation: {said[:80]!r}"


def _hint_clicker(story: Story) -> Faults:
    for lesson in _lessons(story):
        tries = 0
        for turn in lesson.turns:
            if turn.number > 1:
                break
            if turn.words.text == "hint" and not tries and turn.then > turn.level:
                yield f"help without a try in {lesson.title!r}"
            tries += turn.words.text != "hint"
            if turn.settled and turn.level and turn.next_prompt is None:
                yield f"a lesson that ended with help: {lesson.title!r}"


def _informal(story: Story) -> Faults:
    """Full credit, which `_everybody` looks at."""
    yield from (f"help for who was right: {turn.asked.prompt[:60]!r}" for turn in story.turns if turn.then)


def _anxious(story: Story) -> Faults:
    for turn in story.turns:
        if found := FLATTERY.search(turn.reply.split("Question Type:")[0]):
            yield f"flattery: {found[0]!r}"
        if turn.words.text == "sorry, idk" and turn.settled:
            yield "giving up has closed a question"


def _contester(story: Story) -> Faults:
    """A key that is wrong is found to be wrong: the question is taken back, as if it had never been asked."""
    doubts = [concept.doubt for concept in story.concepts if concept.doubt]
    if not doubts:
        yield "there was nothing to doubt"
    for doubt in doubts:
        if doubt.correct is not False:
            yield f"the wrong key was not marked by: {doubt.prompt[:60]!r}"
        if doubt.outcome != "wrong" or doubt.asked_still:
            yield f"{doubt.outcome!r} came of a doubt that was right: {doubt.prompt[:60]!r}"
        if doubt.before != doubt.after:
            yield f"a question that was taken back counts: {doubt.prompt[:60]!r}"
        if doubt.says != doubt.again or "right to doubt" not in doubt.says or "!" in doubt.says:
            yield f"thanks that are none, or too many: {doubt.says!r}, {doubt.again!r}"
    yield from _expert(story)


def _returner(story: Story) -> Faults:
    """What was forgotten is found where the next part rests on it, and firm again first; the rest stays as it is."""
    if story.came_back is None:
        yield "nobody came back"
        return
    forgotten, mastered = story.came_back.forgotten, story.came_back.mastered
    if forgotten.isdisjoint(lesson.title for lesson in story.came_back.again):
        yield "nothing that was forgotten was gone over again"
    for lesson in story.came_back.again:
        missed = [turn for turn in lesson.turns if turn.words.right is False]
        if lesson.title in forgotten and not any(turn.then for turn in lesson.turns):
            yield f"nobody has noticed that {lesson.title!r} was forgotten"
        if lesson.title not in forgotten and (missed or lesson.questions > EXPERT_QUESTIONS):
            yield f"{lesson.questions} questions about {lesson.title!r}, which is known"
    for concept in story.concepts:
        yield from (f"{one.title!r} was taught once more" for one in concept.lessons if one.title in mastered)


def _lessons(story: Story) -> Iterator[LessonStory]:
    for concept in story.concepts:
        yield from concept.lessons


_OF: dict[str, Callable[[Story], Faults]] = {
    "novice": _novice,
    "solid with a hole": _hole,
    "expert": _expert,
    "misconception": _misconception,
    "slipper": _slipper,
    "guesser": _guesser,
    "extractor": _extractor,
    "hint clicker": _hint_clicker,
    "informal speaker": _informal,
    "anxious": _anxious,
    "contester": _contester,
    "returner": _returner,
}
