"""Expected treatment of each scripted learner: the teaching guide's table as checks of a course record."""

import re
from collections.abc import Callable, Iterator

from faults.leaks.secret_markers import without_markers
from faults.learners.answer_book import prerequisite_gaps
from faults.learners.course_record import CourseRecord, LessonRecord
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import courses

EXPERT_QUESTIONS = 2.0  # to a subconcept, on average: a lesson is placed out of, not gone through
MOST_WORDS = 140  # of a reply, its repeated question apart
FEWEST_WORDS = 5
DOES_NOT_KNOW = ("idk", "I don't know", "sorry, idk")
MOST_TURNS = 30  # of a lesson
MOST_UNMARKED = 2
FLATTERY = re.compile(
    r"\b(?:wow|awesome|amazing|brilliant|fantastic|genius|great job|excellent|you're so|well done)\b", re.IGNORECASE
)

Violations = Iterator[str]


def check_treatment(name: str, story: CourseRecord) -> list[str]:
    """Violations of the treatment expected for this learner, who may have stopped at some concept."""
    return [*_common_checks(story), *(_CHECKS[name](story) if name in _CHECKS else ())]


def _common_checks(story: CourseRecord) -> Violations:
    for turn in story.turns:
        graded = turn.grade
        if turn.message.right is False and graded and graded["correct"]:
            yield f"a wrong answer was right: {turn.message.text[:60]!r} to {turn.question.prompt[:60]!r}"
        if turn.message.right and not turn.compares and not (graded and graded["correct"]):
            yield f"a right answer was not: {turn.message.text[:80]!r} to {turn.question.prompt[:60]!r}"
        if turn.message.right is None and graded and graded["score"] is not None:  # else it was shown as unmarked
            yield f"words that are no answer were graded: {turn.message.text[:60]!r}"
        if turn.message.text in DOES_NOT_KNOW and not (turn.settled or turn.level_after == turn.level + 1):
            yield f"not knowing has moved nothing at {turn.question.prompt[:60]!r}"
        if turn.settled and turn.message.right and turn.level and turn.question.prompt == (turn.next_prompt or ""):
            yield f"the same question came again after help: {turn.question.prompt[:60]!r}"
    for concept in story.concepts:
        if len(concept.changes) > 3:
            yield f"{len(concept.changes)} changes of {concept.title!r} at once"
        for one, words, correct in concept.diagnostic_answers:
            if correct is not None and words.right is not None and correct != words.right:
                yield f"graded {correct} in the diagnostic: {words.text[:60]!r} to {one.prompt[:60]!r}"
    yield from _changed_forms(story)
    yield from _conversations(story)


def _conversations(story: CourseRecord) -> Violations:
    """No lesson is endless, and nothing is said twice in it (H1a)."""
    for lesson in _lessons(story):
        replies = [turn.reply for turn in lesson.turns if not turn.compares]
        yield from (f"a reply was said twice: {one[:80]!r}" for one in dict.fromkeys(replies) if replies.count(one) > 1)
        if len(lesson.turns) > MOST_TURNS:
            yield f"{len(lesson.turns)} turns in {lesson.title!r}"
        yield from _without_verdict(lesson)


def _without_verdict(lesson: LessonRecord) -> Violations:
    """No more than two tries in a row are left without a verdict (A9); a comparison is one."""
    in_a_row = 0
    for turn in lesson.turns:
        if turn.message.intent != "answer" or turn.message.right is None:
            continue
        has_verdict = turn.compares or (turn.grade is not None and turn.grade["score"] is not None)
        in_a_row = 0 if has_verdict else in_a_row + 1
        if in_a_row > MOST_UNMARKED:
            yield f"{in_a_row} tries without a verdict: {turn.question.prompt[:60]!r}"


def _changed_forms(story: CourseRecord) -> Violations:
    """After help, the changed form of the question comes next, unless the lesson has asked it already (H3)."""
    for lesson in _lessons(story):
        asked = [one_line(turn.question.prompt) for turn in lesson.turns]
        for turn, following in zip(lesson.turns, lesson.turns[1:], strict=False):
            aided = turn.settled and turn.level_after > 0 and not turn.question.is_changed_form
            same_idea = following.question.idea == turn.question.idea
            if aided and not same_idea and asked.count(one_line(turn.question.prompt)) == 1:
                yield f"no changed form after help with {turn.question.prompt[:60]!r}"


def _novice(story: CourseRecord) -> Violations:
    yield from _no_early_mastery(story)
    for concept in story.concepts:
        for change in concept.changes:
            added = {node["id"] for node in change["after"]["nodes"]} - {n["id"] for n in change["before"]["nodes"]}
            blank = all(words.text in DOES_NOT_KNOW for _, words, _ in concept.diagnostic_answers)
            if blank and any(edge["targetNodeId"] in added for edge in change["after"]["edges"]):
                yield f"an entry above their level in {concept.title!r}"


def _hole(story: CourseRecord) -> Violations:
    for concept in story.concepts:
        if len(concept.added) > 1:
            yield f"{len(concept.added)} bridges for one hole in {concept.title!r}"
    if not any(concept.added for concept in story.concepts):
        yield "no hole was bridged"
    course = next(course for course in courses() if course.title == story.course)
    for lesson in _lessons(story):
        if lesson.title in prerequisite_gaps(
            course
        ):  # all three steps are new there: each may take its changed form (H3)
            continue
        if lesson.questions > 3 + 2:
            yield f"{lesson.questions - 3} extra questions in {lesson.title!r}"


def _expert(story: CourseRecord) -> Violations:
    lessons = [*_lessons(story)]
    mean = sum(lesson.questions for lesson in lessons) / max(1, len(lessons))
    if mean > EXPERT_QUESTIONS:
        yield f"{mean:.1f} questions to a subconcept"
    if any(concept.added and concept is not story.concepts[-1] for concept in story.concepts):
        yield "more of the same was added"
    if any(turn.level_after for turn in story.turns):
        yield "help that nobody needs"


def _misconception(story: CourseRecord) -> Violations:
    """Two answers that show the same belief add its contrast case to the map; lessons then test the belief."""
    for concept in story.concepts:
        missed = [
            wrong.misconception
            for one, words, _ in concept.diagnostic_answers
            for wrong in one.wrong
            if wrong.text == words.text
        ]
        for belief in {one for one in missed if missed.count(one) > 1}:
            named = [
                f"{node['title']} {node['desc']}" for change in concept.changes for node in change["after"]["nodes"]
            ]
            if not any(belief in without_markers(text) for text in named):
                yield f"a belief that came twice is not named: {belief!r}"


def _slipper(story: CourseRecord) -> Violations:
    for turn in story.turns:
        if turn.level_after > 1:
            yield f"level {turn.level_after} for a slip at {turn.question.prompt[:60]!r}"
    for concept in story.concepts:
        slips = sum(words.right is False for _, words, _ in concept.diagnostic_answers)
        if slips == 1 and concept.added:  # from the answers alone, two of them look like a gap
            yield f"one slip has changed {concept.title!r}: {concept.added}"


def _guesser(story: CourseRecord) -> Violations:
    yield from _no_early_mastery(story)
    yield from (f"guesses have removed {concept.removed}" for concept in story.concepts if concept.removed)
    yield from (f"guesses have added {concept.added}" for concept in story.concepts if concept.added)


def _no_early_mastery(story: CourseRecord) -> Violations:
    for concept in story.concepts:
        if concept.completed_titles:
            yield f"the diagnostic alone has shown {concept.completed_titles} to be mastered"


def _extractor(story: CourseRecord) -> Violations:
    for turn in story.turns:
        if not turn.message.tactic:
            continue
        explanation = turn.reply.split("Question Type:")[0]
        if turn.settled or turn.level_after > turn.level + 1:
            yield f"{turn.message.tactic!r} has moved the question on"
        if not FEWEST_WORDS <= len(explanation.split()) <= MOST_WORDS:
            yield f"{turn.message.tactic!r} got {len(explanation.split())} words"
        if "!" in explanation.replace(turn.message.text, ""):
            yield f"{turn.message.tactic!r} got an exclamation: {explanation[:80]!r}"


def _hint_clicker(story: CourseRecord) -> Violations:
    for lesson in _lessons(story):
        for turn in lesson.turns:
            if turn.number > 1:
                break
            if turn.message.text == "hint" and turn.level_after != turn.level + 1:
                yield f"a hint that brought no help in {lesson.title!r}"
            if turn.settled and turn.level and turn.next_prompt is None:
                yield f"a lesson that ended with help: {lesson.title!r}"


def _informal(story: CourseRecord) -> Violations:
    """Full credit, which `_everybody` looks at."""
    yield from (f"help for who was right: {turn.question.prompt[:60]!r}" for turn in story.turns if turn.level_after)


def _anxious(story: CourseRecord) -> Violations:
    for turn in story.turns:
        if found := FLATTERY.search(turn.reply.split("Question Type:")[0]):
            yield f"flattery: {found[0]!r}"
        if turn.message.text == "sorry, idk" and turn.settled:
            yield "giving up has closed a question"


def _contester(story: CourseRecord) -> Violations:
    """A key that is wrong is found to be wrong: the question is taken back, as if it had never been asked."""
    doubts = [concept.dispute for concept in story.concepts if concept.dispute]
    if not doubts:
        yield "there was nothing to doubt"
    for doubt in doubts:
        if doubt.correct is not False:
            yield f"the wrong key was not marked by: {doubt.prompt[:60]!r}"
        if doubt.outcome != "wrong" or doubt.asked_still:
            yield f"{doubt.outcome!r} came of a doubt that was right: {doubt.prompt[:60]!r}"
        if doubt.before != doubt.after:
            yield f"a question that was taken back counts: {doubt.prompt[:60]!r}"
        if doubt.says != doubt.again or "You were right" not in doubt.says or "!" in doubt.says:
            yield f"thanks that are none, or too many: {doubt.says!r}, {doubt.again!r}"
    yield from _expert(story)


def _returner(story: CourseRecord) -> Violations:
    """Forgotten parts are found where the next part builds on them, and restored first; all others stay unchanged."""
    if story.return_record is None:
        yield "nobody came back"
        return
    forgotten, mastered = story.return_record.forgotten, story.return_record.mastered
    if forgotten.isdisjoint(lesson.title for lesson in story.return_record.reviewed):
        yield "nothing that was forgotten was gone over again"
    for lesson in story.return_record.reviewed:
        missed = [turn for turn in lesson.turns if turn.message.right is False]
        noticed = any(turn.level_after or turn.compares for turn in missed)
        if lesson.title in forgotten and not noticed:
            yield f"nobody has noticed that {lesson.title!r} was forgotten"
        if lesson.title not in forgotten and (missed or lesson.questions > EXPERT_QUESTIONS):
            yield f"{lesson.questions} questions about {lesson.title!r}, which is known"
    for concept in story.concepts:
        yield from (f"{one.title!r} was taught once more" for one in concept.lessons if one.title in mastered)


def _lessons(story: CourseRecord) -> Iterator[LessonRecord]:
    for concept in story.concepts:
        yield from concept.lessons


_CHECKS: dict[str, Callable[[CourseRecord], Violations]] = {
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
