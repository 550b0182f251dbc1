"""Turns of a lesson: the learner's input, what it means for the open question, and the text of a reply."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sprout.events import AnswerType
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.conversations import MessageKind
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel
from sprout.learning.lessons.lesson_talk import wants_help, wants_to_skip
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.attempts import (
    asks_in_anger,
    asks_something,
    asks_yes_or_no,
    begins_by_giving_up,
    complains,
    ends_by_giving_up,
    is_genuine_attempt,
    is_upset,
    matter_of,
    only_acknowledges,
    wants_to_stop,
)
from sprout.learning.marking.choices import OPTION_LABELS, Option
from sprout.learning.marking.grades import Grade, GradeState, Remedy
from sprout.learning.marking.meant_option import confirms, denies, meant_option, only_confirms
from sprout.learning.marking.number_grading import states_number
from sprout.learning.marking.program_marking import NO_PROGRAM_DOUBT
from sprout.learning.marking.stated_results import picked_result, stated_results
from sprout.learning.marking.typed_choice import named_options, typed_option
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.normalization import folded, tidy
from sprout.learning.text.stems import stems

FEWEST_OF_MATTER = 2  # words of content that make a remark one about the subject
FEWEST_LOST = 3  # words that say in an answer that one is lost: "start" alone may answer something
DRAWING_MARKER = "[Drawing image attached]"

_ANSWER = "[ANSWER]"
_CLARIFICATION = "[CLARIFICATION]"
_MODE = re.compile(r"\s*mode\s*:\s*(text|code|draw|drawing|mcq)\s*(?:\n|\Z)", re.IGNORECASE)
_PREFIX = r"(?:[\s>#*+\-•]|\d+[.)])*(?:\*\*|__)?\s*"
# What clients take for the marker of a question or of its type at the start of a line.
_MARKER = re.compile(rf"^({_PREFIX})(?=(?:new |checkpoint )?question\b|mode\s*[:\-–—])", re.IGNORECASE | re.MULTILINE)
_LOST = stems(
    ["dont know get understand start idea versteh verstehe kapier comprends pourquoi entiendo capisco entendo"]
)


class TurnKind(StrEnum):
    OPENING = "opening"
    ANSWER = "answer"
    CLARIFICATION = "clarification"
    MESSAGE = "message"


MESSAGE_KINDS: dict[TurnKind, MessageKind] = {
    TurnKind.OPENING: "learning",
    TurnKind.ANSWER: "evaluation",
    TurnKind.CLARIFICATION: "hint_request",
    TurnKind.MESSAGE: "learning",
}


@dataclass(frozen=True, slots=True)
class LearnerInput:
    """Input of a learner in one turn; `text` is without the tags that mark its kind."""

    kind: TurnKind
    text: str
    mode: AnswerType = "text"


def parse_input(content: str) -> LearnerInput:
    """The learner's words, told from their tags; nothing at all opens the lesson."""
    said = tidy(content)
    if not said:
        return LearnerInput(TurnKind.OPENING, "")
    if _has_tag(said, _ANSWER):
        rest = said[len(_ANSWER) :]
        found = _MODE.match(rest)
        text = rest[found.end() :] if found else rest
        return LearnerInput(TurnKind.ANSWER, text.strip(), _mode(found[1]) if found else "text")
    if _has_tag(said, _CLARIFICATION):
        return LearnerInput(TurnKind.CLARIFICATION, said[len(_CLARIFICATION) :].strip())
    return LearnerInput(TurnKind.MESSAGE, said)


def _has_tag(said: str, tag: str) -> bool:
    return said[: len(tag)].upper() == tag


def _mode(named: str) -> AnswerType:
    match named.lower():
        case "code":
            return "code"
        case "draw" | "drawing":
            return "draw"
        case "mcq":
            return "mcq"
        case _:
            return "text"


class InputMeaning(StrEnum):
    """Meaning of the learner's words for an open question."""

    ATTEMPT = "attempt"
    DONT_KNOW = "not_known"
    HELP_REQUEST = "help_asked"
    ASIDE = "beside"  # a question of their own, or talk: the open question waits


def interpret_input(
    question: AskedCheckpoint, given: LearnerInput, *, before: Sequence[LearnerInput] = (), has_drawing: bool = False
) -> InputMeaning:
    """Meaning of the words for the question: only an answer can be an attempt, and not every answer is one.

    Args:
        before: the learner's inputs since the question was asked. A question of theirs that is given as an answer for
            the second time is meant as one; anger given so for the second time in a row is helped, as words did not.
    """
    if given.kind is TurnKind.ANSWER and has_drawing:
        return InputMeaning.ATTEMPT
    if given.kind is TurnKind.ANSWER and named_option(question, given.text) is not None:
        return InputMeaning.ATTEMPT
    if only_acknowledges(given.text) or wants_to_stop(given.text) or wants_to_skip(given.text):
        return InputMeaning.ASIDE
    if says_nothing(given.text):
        is_sign = given.kind is not TurnKind.ANSWER and not any(map(str.isalnum, given.text))  # "???"
        return InputMeaning.ASIDE if is_sign else InputMeaning.DONT_KNOW
    if wants_help(given.text) and (given.kind is not TurnKind.ANSWER or len(given.text.split()) >= FEWEST_LOST):
        return _help_meaning(question, given)
    is_talk = given.kind is not TurnKind.ANSWER and (complains(given.text) or asks_in_anger(given.text))
    if is_talk or is_upset(given.text):
        is_still_upset = not is_talk and bool(before) and is_upset(before[-1].text)
        return InputMeaning.HELP_REQUEST if is_still_upset else InputMeaning.ASIDE
    draft = question.checkpoint.draft
    answers = () if question.kind == "mcq" else (question.checkpoint.draft.correct_answer,)
    code = question.kind == "code"
    last = "" if question.unmarked else question.last_attempt_text
    if not is_genuine_attempt(given.text, prompt=question.prompt, last_attempt=last, answers=answers, code=code):
        return _help_meaning(question, given)
    if given.kind is not TurnKind.ANSWER or question.kind == "mcq":
        return InputMeaning.ASIDE
    asks = asks_something(given.text, answers=answers) or (question.is_for_sentences and asks_yes_or_no(given.text))
    if asks and folded(given.text) not in (folded(one.text) for one in before):
        return InputMeaning.ASIDE
    if draft.format == "numeric" and ends_by_giving_up(given.text) and not _states_result(draft, given.text):
        return InputMeaning.DONT_KNOW
    if draft.format == "numeric" and not _states_number(draft, given.text):
        answers_before = [one for one in before if one.kind is TurnKind.ANSWER]
        is_first = not begins_by_giving_up(given.text) and all(
            _states_number(draft, one.text) for one in answers_before
        )
        return InputMeaning.ASIDE if is_first or "?" in given.text else InputMeaning.DONT_KNOW
    return InputMeaning.ATTEMPT


def _asks_of_matter(question: AskedCheckpoint, text: str) -> bool:
    """Whether words beside the question are about something else of the subject: "I don't get why it rains"."""
    return len(stems(matter_of(text)) - _LOST - stems([question.prompt])) >= FEWEST_OF_MATTER


def _help_meaning(question: AskedCheckpoint, given: LearnerInput) -> InputMeaning:
    """A wish for help, unless it is about something else; beside the question it never brings the solution, which would
    end that."""
    is_last = question.ladder.level is HelpLevel.WORKED_STEP and given.kind is TurnKind.CLARIFICATION
    is_aside = is_last or (given.kind is not TurnKind.ANSWER and _asks_of_matter(question, given.text))
    return InputMeaning.ASIDE if is_aside else InputMeaning.HELP_REQUEST


def lacks_number(question: AskedCheckpoint, given: LearnerInput) -> bool:
    """Whether the words are given as an answer to a question for a number, and have none."""
    draft = question.checkpoint.draft
    asks = "?" in given.text or asks_something(given.text, answers=(draft.correct_answer,))
    is_answer = given.kind is TurnKind.ANSWER and draft.format == "numeric" and not asks
    is_aside = only_acknowledges(given.text) or wants_to_stop(given.text) or complains(given.text)
    return is_answer and not is_aside and not _states_number(draft, given.text)


def _states_result(draft: QuestionDraft, text: str) -> bool:
    return bool(stated_results(text, unit=draft.unit, prompt=draft.prompt).results)


def _states_number(draft: QuestionDraft, text: str) -> bool:
    return states_number(draft.prompt, text, unit=draft.unit)


def named_option(question: AskedCheckpoint, text: str) -> Option | None:
    """The option that the words name: by its text, or by the letter that stands before it."""
    if question.kind != "mcq":
        return None
    return typed_option(question.options, text, question.prompt)


def suggested_option(question: AskedCheckpoint, given: LearnerInput) -> Option | None:
    """The option of a choice that an answer in own words seems to mean, which the learner is asked about."""
    is_open = question.kind == "mcq" and given.kind is TurnKind.ANSWER
    return (
        meant_option(question.options, given.text)
        if is_open and not named_options(question.options, given.text, question.prompt)
        else None
    )


def is_suggestion_open(question: AskedCheckpoint, before: Sequence[LearnerInput]) -> bool:
    """Whether the answer before seemed to mean an option, so that the learner was asked about it."""
    said = _beside_questions(before)
    return bool(said) and suggested_option(question, said[-1]) is not None


def denies_suggestion(question: AskedCheckpoint, given: LearnerInput, before: Sequence[LearnerInput]) -> bool:
    """Whether the answer is a "no" to the option that the one before it seemed to mean."""
    return denies(given.text) and is_suggestion_open(question, before)


def _beside_questions(said: Sequence[LearnerInput]) -> list[LearnerInput]:
    """The inputs without the learner's own questions, across which an offer stays open."""
    return [one for one in said if one.kind is not TurnKind.CLARIFICATION]


def is_untagged_answer(question: AskedCheckpoint, given: LearnerInput) -> bool:
    """Whether a message without a tag would be a letter or a number in answer to the question."""
    is_keyed = question.kind == "mcq" or question.checkpoint.draft.format == "numeric"
    is_answer = given.kind is TurnKind.MESSAGE and is_keyed and not asks_something(given.text) and "?" not in given.text
    as_answer = replace(given, kind=TurnKind.ANSWER)
    return is_answer and interpret_input(question, as_answer) is InputMeaning.ATTEMPT


def with_confirmed_answer(
    question: AskedCheckpoint, given: LearnerInput, before: Sequence[LearnerInput]
) -> LearnerInput:
    """The input, with what the one before it seemed to mean in the place of a "yes", tagged or not: the option of a
    choice, or the words of which the learner was asked whether they are the answer.

    Args:
        before: the learner's inputs since the question was asked.
    """
    if question.asks_whether_answer and only_confirms(given.text):
        answers = (one for one in reversed(before) if one.kind is TurnKind.ANSWER and not only_confirms(one.text))
        said = next(answers, None)
        return given if said is None else replace(given, kind=TurnKind.ANSWER, text=said.text)
    if not confirms(given.text):
        return given
    last = next((one for one in reversed(_beside_questions(before)) if not confirms(one.text)), None)
    option = suggested_option(question, last) if last is not None else None
    meant = named_option(question, given.text) or suggested_option(question, given)
    agrees = option is not None and meant in (None, option)  # "yes, the 60"
    return replace(given, kind=TurnKind.ANSWER, text=option.text) if option is not None and agrees else given


def with_picked_result(question: AskedCheckpoint, given: LearnerInput) -> LearnerInput:
    """The input, with the result of the last attempt that it names by its place: "the second one"."""
    draft, last = question.checkpoint.draft, question.last_attempt_text
    if given.kind is not TurnKind.ANSWER or draft.format != "numeric" or not question.unmarked:
        return given
    picked = picked_result(given.text, last, unit=draft.unit, prompt=draft.prompt)
    return given if picked is None else replace(given, text=picked)


def ladder_after(question: AskedCheckpoint, meaning: InputMeaning, *, right: bool | None = None) -> HelpLadder:
    """The ladder of the question after the learner's words.

    Args:
        right: of an attempt; None where it could not be graded.
    """
    match meaning:
        case InputMeaning.ATTEMPT if right is None and question.checkpoint.draft.is_marked_by_code:
            return question.ladder.after_unread()
        case InputMeaning.ATTEMPT:
            return question.ladder.after_attempt(right=right)
        case InputMeaning.DONT_KNOW | InputMeaning.HELP_REQUEST:
            return question.ladder.after_help()
        case InputMeaning.ASIDE:
            return question.ladder.wait()


def ladder_after_grade(question: AskedCheckpoint, grade: Grade | None) -> HelpLadder:
    """The ladder after an attempt with this grade; words in the place of a program, and an answer that only has to be
    finished, use up no help."""
    if grade is not None and (NO_PROGRAM_DOUBT in grade.doubts or grade.remedy is Remedy.FINISH):
        return question.ladder.wait()
    right = bool(grade.correct) if grade is not None and grade.state is GradeState.GRADED else None
    return ladder_after(question, InputMeaning.ATTEMPT, right=right)


def render_reply(explanation: str, question: AskedCheckpoint | None) -> str:
    """A reply as clients read it: the words, then the type and the question.

    No line of the words can be taken for the marker of a question.
    """
    words = _MARKER.sub(r"→ \1", tidy(explanation))
    if question is None:
        return words
    kind = "text" if question.kind == "mcq" else question.kind
    parts = [words, f"Question Type: {kind}", f"Question:\n{question.prompt}"]
    if question.options:
        parts.append("\n".join(f"{OPTION_LABELS[at]}. {option.text}" for at, option in enumerate(question.options)))
    return "\n\n".join(part for part in parts if part)


def extract_explanation(reply: str) -> str:
    """The words of a rendered reply, without its question."""
    return reply.partition("\n\nQuestion Type:")[0] if not reply.startswith("Question Type:") else ""
