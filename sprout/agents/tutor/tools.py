"""Tutor tools: lookups, cards, memories, and the calls that end a turn with what the learner reads."""

from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.documents.search_tool import search_documents_tool
from sprout.agents.path.question_tool import Accepted, MisconceptionInput, ProgramTests
from sprout.agents.tutor.extra_tools import LessonContext
from sprout.agents.tutor.memory_texts import prerequisite_memory, progress_memory
from sprout.agents.tutor.tool_inputs import (
    MAX_MESSAGE,
    MAX_READ,
    SECRET,
    TYPE_SYNONYMS,
    CardBody,
    CardTitle,
    Cited,
    Diagram,
    LessonCriterion,
    NumberInput,
    Reading,
    SpokenText,
    build_checkpoint,
    build_diagram,
    refuse_copyable,
    visible_text,
)
from sprout.agents.tutor.turn import LessonTurn
from sprout.errors import ToolFailure
from sprout.events import AnswerType
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.memories import MAX_MEMORY
from sprout.learning.lessons.repository import Card, TurnEnd
from sprout.learning.marking.grades import GradeState
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Profile, Tool, tool

TUTOR_TOOLS = frozenset(
    "check_student_progress check_prerequisite_mastery search_documents generate_example create_exercise "
    "visualize_concept record_exercise_result raise_concern memory_recall memory_store ask_checkpoint "
    "show_reading complete_subconcept reply".split()
)


def make_tools(turn: LessonTurn) -> tuple[Tool, ...]:
    """All tools of a turn, bound to it; the set is the same in every turn."""
    return (*_own_tools(turn), *(extra.make_for(_lesson_context(turn)) for extra in turn.dependencies.extra_tools))


def _lesson_context(turn: LessonTurn) -> LessonContext:
    lesson, job = turn.lesson, turn.job
    return LessonContext(
        job.user_id,
        job.run_id,
        lesson.topic,
        lesson.concept,
        lesson.node,
        turn.language,
        turn.dependencies.repositories,
    )


def _own_tools(turn: LessonTurn) -> tuple[Tool, ...]:
    search = search_documents_tool(turn.dependencies.repositories, turn.lesson.topic.id)
    lookups, others = (one.about(turn) for one in _LOOKUP_TOOLS), (one.about(turn) for one in _OTHER_TOOLS)
    return (*lookups, search, *others)


@tool(of=LessonTurn, profile=Profile.CONVERSATIONAL, memory=progress_memory)
async def check_student_progress(turn: LessonTurn) -> dict[str, JsonValue]:
    """Tell what the diagnostic showed of this learner: the score, and the questions that were missed."""
    diagnostic = await turn.dependencies.lessons.diagnostic_result(turn.lesson)
    if diagnostic.score is None:
        return {"diagnosticScore": None, "message": "The learner has answered no diagnostic question yet."}
    missed: list[JsonValue] = [{"prompt": one.prompt, "feedback": one.feedback} for one in diagnostic.missed]
    return {
        "diagnosticScore": round(diagnostic.score, 3),
        "totalQuestions": diagnostic.question_count,
        "incorrectQuestions": missed,
        "weakAreas": [one.prompt for one in diagnostic.missed[:5]],
    }


@tool(of=LessonTurn, profile=Profile.CONVERSATIONAL, memory=prerequisite_memory)
async def check_prerequisite_mastery(turn: LessonTurn) -> dict[str, JsonValue]:
    """Tell how well the learner knows what this subconcept builds on."""
    found = await turn.dependencies.lessons.prerequisites(turn.lesson)
    listed: list[JsonValue] = [
        {"title": one.title, "mastered": one.learned, "masteryScore": round(one.mastery, 3)} for one in found
    ]
    result: dict[str, JsonValue] = {"prerequisites": listed, "allMastered": all(one.learned for one in found)}
    return result if found else {**result, "message": "It builds on nothing else in this concept."}


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, profile=Profile.CONVERSATIONAL)
async def generate_example(turn: LessonTurn, title: CardTitle, body: CardBody, call: ToolUse) -> dict[str, JsonValue]:
    """Show a worked example beside the conversation, in Markdown: one correct solution, with the reason beside
    each step, and no question in it."""
    return await _show_card(turn, Card("example", title, body), call)


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True)
async def create_exercise(turn: LessonTurn, title: CardTitle, body: CardBody, call: ToolUse) -> dict[str, JsonValue]:
    """Show an exercise to practise with beside the conversation, in Markdown, without its solution. It is not
    marked and is not the checkpoint."""
    return await _show_card(turn, Card("exercise", title, body), call)


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, profile=Profile.CONVERSATIONAL)
async def visualize_concept(
    turn: LessonTurn,
    title: CardTitle,
    format: Diagram,
    body: CardBody,
    sentence: Annotated[str, Field(min_length=1, max_length=500, description="what it shows, in one sentence")],
    call: ToolUse,
) -> dict[str, JsonValue]:
    """Show a diagram beside the conversation: Mermaid, plain SVG, or a Markdown table of at most 4 columns."""
    return await _show_card(turn, build_diagram(title, format, body, sentence), call)


async def _show_card(turn: LessonTurn, card: Card, call: ToolUse) -> dict[str, JsonValue]:
    turn.guard.refuse_leaks(card.title, visible_text(card.body), card.sentence)
    shown = await turn.dependencies.lessons.add_card(turn.task.session_id, card, actor=turn.job.actor(call.id))
    return {"shown": True, "title": shown.title}


@tool(of=LessonTurn, profile=Profile.CONVERSATIONAL)
async def record_exercise_result(turn: LessonTurn) -> dict[str, JsonValue]:
    """Tell what is on record of the learner's newest attempt, and where they stand. Marks are given before you
    speak; this changes none."""
    grade = turn.result.grade
    graded = grade is not None and grade.state is GradeState.GRADED
    return {
        "recorded": graded,
        "correct": grade.correct if grade is not None else None,
        "score": grade.score if grade is not None else None,
        "totalAttempts": turn.lesson.standing.attempts,
        "mastery": round(turn.lesson.standing.mastery, 3),
        "shouldMoveOn": turn.lesson.standing.learned,
    }


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, ends_turn=True, profile=Profile.CONVERSATIONAL)
async def raise_concern(
    turn: LessonTurn,
    call: ToolUse,
    message: Annotated[
        str, Field(max_length=MAX_MESSAGE, description="two to four calm sentences; none about the lesson's subject")
    ] = "",
) -> dict[str, JsonValue]:
    """Call this at any sign of distress or danger in the learner's words. The server shows who can help beside your
    words; this ends the turn."""
    turn.refuse_second_end()
    calm = message if message.strip() and turn.guard.find_leak(message) is None else fixed_text("calm", turn.language)
    card = turn.dependencies.care_text or fixed_text("care", turn.language)
    await turn.end_with_reply(calm, call, concern=card)
    return {"shown": True}


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, ends_turn=True, spoken="message", profile=Profile.CONVERSATIONAL)
async def reply(
    turn: LessonTurn,
    message: Annotated[SpokenText, Field(description="what the learner reads")],
    call: ToolUse,
    passages: Cited = None,
) -> dict[str, JsonValue]:
    """Answer the learner while a question is pending, or in a side question; this ends the turn. A pending question
    is shown again below your words."""
    turn.refuse_second_end()
    if turn.question_due:
        raise ToolFailure("No question is open, and the lesson is not done: end the turn with `ask_checkpoint`.")
    await turn.end_with_reply(message, call, passages=passages or ())
    return {"said": True}


@tool(of=LessonTurn, profile=Profile.CONVERSATIONAL)
async def memory_recall(
    turn: LessonTurn,
    query: Annotated[str, Field(max_length=300, description="words to look for")] = "",
) -> list[JsonValue]:
    """Tell what is kept of this learner: goals, interests, language, how they like to be taught."""
    found = await turn.dependencies.memories.search(query, user_id=turn.job.user_id)
    return [one.text for one in found]


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, profile=Profile.CONVERSATIONAL)
async def memory_store(
    turn: LessonTurn, text: Annotated[str, Field(min_length=1, max_length=MAX_MEMORY)], call: ToolUse
) -> dict[str, JsonValue]:
    """Keep one thing that the learner said and that helps to teach them: a goal, an interest, a language, what
    works for them. Nothing about health, family or other people. The learner sees, changes and deletes it."""
    turn.guard.refuse_leaks(text)
    memory = await turn.dependencies.memories.remember(text, actor=turn.job.actor(call.id))
    return {"kept": memory.text}


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, ends_turn=True, spoken=("message", "question"), secret=SECRET)
async def ask_checkpoint(
    turn: LessonTurn,
    message: Annotated[SpokenText, Field(description="what the learner reads first, without the question")],
    question: Annotated[str, Field(min_length=1, description="the question alone, complete")],
    type: Annotated[
        AnswerType, Field(description="how it is answered", json_schema_extra={"synonyms": {**TYPE_SYNONYMS}})
    ],
    can: Annotated[str, Field(max_length=300, description="what the learner can do who answers it")],
    answer: Annotated[str, Field(min_length=1, description="mcq: the right option's text; else a full answer")],
    help: Annotated[
        list[str],
        Field(min_length=1, max_length=4, description="a text for each of the 4 help levels; of a gap the last"),
    ],
    solution: Annotated[list[str], Field(min_length=1, max_length=12, description="step by step")],
    call: ToolUse,
    gap: Annotated[
        bool,
        Field(description="question is a worked case with one step left out as ___, asked for with a key: practice"),
    ] = False,
    options: Annotated[list[str] | None, Field(description="mcq only: four")] = None,
    wrong: Annotated[list[MisconceptionInput] | None, Field(description="of an mcq, or wrong terms")] = None,
    criteria: Annotated[list[LessonCriterion] | None, Field(description="2-5, if nothing else marks it")] = None,
    anchors: Annotated[list[str] | None, Field(description="a full and a partial answer")] = None,
    number: Annotated[NumberInput | None, Field(description="where the answer is a number")] = None,
    accepted: Accepted = None,
    program_tests: ProgramTests = None,
    plan: Annotated[list[str] | None, Field(max_length=10, description="with the first: 3-6 lines")] = None,
    passages: Cited = None,
    reading: Reading = None,
    settled_by: Annotated[
        list[str] | None, Field(max_length=6, description="sentences of the reading that settle it, word for word")
    ] = None,
) -> dict[str, JsonValue]:
    """Say something and ask the next question; this ends the turn. Everything but message, question, type,
    options, can, plan, passages and reading stays secret."""
    turn.refuse_going_on()
    checkpoint = build_checkpoint(
        question=question, type=type, answer=answer, tests=turn.lesson.node.title, options=options, wrong=wrong,
        criteria=criteria, anchors=anchors, number=number, accepted=accepted, program_tests=program_tests,
        help=help, solution=solution, gap=gap,
    )  # fmt: skip
    refuse_copyable(message, checkpoint)
    settled, before = turn.result.settled_question is not None, turn.lesson.plan
    after = before.after(plan or (), can, same_again=turn.result.asks_same_again)
    await turn.end(
        TurnEnd(
            message,
            "learning",
            asks=checkpoint,
            plan=after,
            same_step=settled and after.step == before.step,
            passages=tuple(passages or ()),
            reading=tuple(reading or ()),
            settled_by=tuple(settled_by or ()),
        ),
        call,
    )
    return {"asked": True, "chunk": after.step, "chunks": after.step_count}


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, ends_turn=True, spoken="message")
async def show_reading(
    turn: LessonTurn,
    message: Annotated[SpokenText, Field(description="what the learner reads first")],
    reading: Annotated[
        list[str], Field(min_length=1, max_length=MAX_READ, description="ids of the passages, one after the other")
    ],
    can: Annotated[str, Field(max_length=300, description="the line of the plan that this is")],
    call: ToolUse,
    plan: Annotated[list[str] | None, Field(max_length=10, description="with the first: 3-6 lines")] = None,
) -> dict[str, JsonValue]:
    """Have the learner read passages that nothing is asked about; this ends the turn, and they go on when they are
    ready."""
    turn.refuse_going_on()
    after = turn.lesson.plan.after(plan or (), can, same_again=False)
    await turn.end(TurnEnd(message, "learning", plan=after, reading=tuple(reading)), call)
    return {"shown": True, "chunk": after.step, "chunks": after.step_count}


@tool(of=LessonTurn, effect=Effect.WRITE, stored=True, ends_turn=True, spoken="message")
async def complete_subconcept(
    turn: LessonTurn,
    message: Annotated[SpokenText, Field(description="the summary that the learner reads")],
    call: ToolUse,
) -> dict[str, JsonValue]:
    """End the lesson with a summary. Only where the state says may_complete."""
    turn.refuse_going_on()
    if not turn.lesson.may_end:
        raise ToolFailure(
            f"The lesson is not done: {turn.lesson.standing.needed} more to be answered right at once, without help. "
            "Ask the next checkpoint."
        )
    await turn.end(TurnEnd(message, "learning", completes_lesson=True), call)
    turn.completed = True
    return {"completed": True}


_LOOKUP_TOOLS = (check_student_progress, check_prerequisite_mastery)
_OTHER_TOOLS = (
    generate_example, create_exercise, visualize_concept, record_exercise_result, raise_concern, memory_recall,
    memory_store, ask_checkpoint, show_reading, complete_subconcept, reply,
)  # fmt: skip
