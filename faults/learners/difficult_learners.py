"""Learners who are hard to teach: angry, lucky, silent, wordy, or busy with another question than the one asked."""

from faults.learners.answer_book import KnownQuestion
from faults.learners.scripted_learners import (
    DONT_KNOW,
    HINTS,
    KnowledgeGaps,
    LearnerMessage,
    QuestionSituation,
    right_answer,
    stuck_message,
    wrong_answer,
)

COMPLAINTS = ("I hate this.", "this is stupid", "I'm so stupid", "ugh, I don't get it")
CALM_AFTER = 2  # levels of help
PARALLEL = 3
PREFACE = (
    "I have thought about this for a long time, because at first I was not sure what was meant, and then I read it "
    "once more and talked about it with my sister, who sees such things in another way than I do, which helped me. "
)
AFTERWORD = " That is how I would explain it to somebody who has never heard of it, slowly and from the beginning."


class FrustratedLearner:
    """Could do it, is angry first, and calms down once there is something to hold on to."""

    name = "frustrated"

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        if asked.diagnostic:
            return LearnerMessage(COMPLAINTS[1])
        if asked.known.is_changed_form or asked.level >= CALM_AFTER:
            return right_answer(asked)
        return LearnerMessage(COMPLAINTS[len(asked.earlier_messages) % len(COMPLAINTS)])

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        """There is nothing to learn."""


class LuckyGuesser:
    """Knows nothing, and guesses every choice right; reads along only once much help is there."""

    name = "lucky guesser"

    def __init__(self) -> None:
        self._gaps = KnowledgeGaps(lambda known: True, lambda known: PARALLEL)

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        if asked.options or not self._gaps.is_open(asked.known):
            return right_answer(asked)
        return LearnerMessage(DONT_KNOW) if asked.diagnostic else stuck_message(asked)

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        self._gaps.learn_from_help(known, level, settled=settled)


class SilentLearner:
    """Says nothing but "I don't know" until the solution has been worked through."""

    name = "silent"

    def __init__(self) -> None:
        self._gaps = KnowledgeGaps(lambda known: True, lambda known: HINTS + 1)

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        return LearnerMessage(DONT_KNOW) if self._gaps.is_open(asked.known) else right_answer(asked)

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        self._gaps.learn_from_help(known, level, settled=settled)


class EssayWriter:
    """Knows all of it, and says it in an essay."""

    name = "essay writer"

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        answer = right_answer(asked)
        if asked.options or asked.known.kind == "code":
            return answer
        if asked.known.kind == "numeric":
            return LearnerMessage(f"{PREFACE}So in the end the result is {answer.text}.", right=True)
        return LearnerMessage(f"{PREFACE}{answer.text}{AFTERWORD}", right=True)

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        """There is nothing to learn."""


class SideAnswerer:
    """Answers the small case in the help first, as if it had been the question, and then the question."""

    name = "side answerer"

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        if asked.diagnostic or asked.known.is_changed_form:
            return right_answer(asked)
        if asked.level < PARALLEL:
            return LearnerMessage("hint")
        tries = sum(message.right is False for message in asked.earlier_messages)
        return right_answer(asked) if tries else wrong_answer(asked, HINTS)

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        """There is nothing to learn."""
