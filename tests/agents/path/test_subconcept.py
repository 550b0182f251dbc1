"""The subconcept agent, its tools driven as the loop drives them."""

from dataclasses import replace
from typing import Any

import pytest

from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from sprout.agents.agent import Brief
from sprout.agents.path.subconcept import subconcept_agent
from sprout.errors import BadInput, InvalidGraphEdit, InvalidQuestion, NoChangeNeeded, NotFound, SproutError
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.paths.passages import Passage
from sprout.learning.questions.questions import QuestionDraft
from sprout.loop.model import ToolUse
from sprout.loop.resume.prompt_digest import prompt_digest
from sprout.loop.turn_steps import CallRecord
from tests.agents.driving import a_job, a_result, briefed, called, correction_of, finished, request_of, tool_of

DESC = "The learner can say it. People often take it for something else."
CHOICE: dict[str, Any] = {
    "prompt": "A bulb lights dimly. What does its ammeter show next to the one before it?",
    "format": "mcq",
    "options": ["the same", "a little less", "nothing at all", "a little more"],
    "correct_answer": "the same",
    "misconceptions": [{"option": "a little less", "misconception": "current is used up"}],
    "solution": ["Nothing branches off on the way, so as much arrives as has left.", "A bulb uses up energy."],
    "difficulty": 2,
    "tests": ["A"],
}
OPEN: dict[str, Any] = {
    "prompt": "A switch is opened behind a bulb. Say in two sentences what happens to the bulb and why.",
    "format": "open_ended",
    "correct_answer": "It goes out at once, because the loop is broken everywhere.",
    "criteria": [
        {"label": "the bulb", "statement": "it goes out at once", "weight": 0.5},
        {
            "label": "the reason",
            "statement": "the loop has a gap",
            "weight": 0.5,
            "partly_if": "names the switch",
            "misconception": "current that has passed the bulb no longer matters",
        },
    ],
    "anchors": ["It goes out."],
    "difficulty": 4,
    "tests": ["A", "B"],
}
NUMERIC: dict[str, Any] = {
    "prompt": "Two 3 V batteries push the same way. How many volts do they give together?",
    "format": "numeric",
    "correct_answer": "6",
    "unit": "V",
    "tolerance": 0,
    "misconceptions": [{"option": "3", "misconception": "the push is shared"}],
    "difficulty": 1,
    "tests": ["A"],
}


def a_concept(repositories: MemoryGraphRepository, others: str = "Current Power") -> NodeRow:
    root = repositories.topic("Circuits")
    return repositories.under(root.id, f"Voltage {others}")[0]


async def saved(brief: Brief, *titles: str) -> None:
    for title in titles:
        await called(brief, "save_subconcept", title=title, desc=DESC)


async def joined(brief: Brief, *edges: str) -> None:
    for edge in edges:
        source, target = edge.split(">")
        await called(brief, "save_subconcept_edge", source_title=source, target_title=target, why="B uses A")


async def asked(brief: Brief, question: dict[str, Any], **changes: Any) -> dict[str, Any]:
    result: dict[str, Any] = await called(brief, "save_diagnostic_question", **{**question, **changes})
    return result


def numbered(number: int) -> dict[str, Any]:
    return {**NUMERIC, "prompt": f"How many volts do {number} batteries in a row push with, at 2 V each?"}


async def test_subconcepts_and_edges_are_saved_under_the_concept() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept)
    first = await called(brief, "save_subconcept", title="A", desc=DESC)
    assert first["position"] == 1
    await saved(brief, "B")
    await joined(brief, "a>b")
    assert repositories.edges(concept.id) == {"A>B"}
    assert {node.type for node in repositories.graphs[concept.id].nodes} == {"subconcept"}


async def test_G2_a_cycle_among_subconcepts_is_refused() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories))
    await saved(brief, "A", "B")
    await joined(brief, "A>B")
    with pytest.raises(InvalidGraphEdit, match="cycle"):
        await joined(brief, "B>A")


@pytest.mark.parametrize(("small", "most"), [(True, 3), (False, 12)])
async def test_defect_31_subconcepts_beyond_the_maximum_are_refused_by_code(small: bool, most: int) -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept, small=small)
    await saved(brief, *(f"Part {number}" for number in range(most)))
    with pytest.raises(NoChangeNeeded, match=f"All {most} subconcepts"):
        await saved(brief, "One too many")
    assert len(repositories.titles(concept.id)) == most


@pytest.mark.parametrize(("small", "most"), [(True, 3), (False, 10)])
async def test_defect_31_questions_beyond_the_maximum_are_refused_by_code(small: bool, most: int) -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept, small=small)
    for number in range(most):
        assert (await asked(brief, numbered(number + 2)))["position"] == number + 1
    with pytest.raises(NoChangeNeeded, match=f"All {most} questions"):
        await asked(brief, CHOICE)
    assert (await asked(brief, numbered(2)))["unchanged"]
    assert len(repositories.questions[concept.id]) == most


@pytest.mark.parametrize("question", [CHOICE, OPEN, NUMERIC])
async def test_a_question_of_each_format_is_kept_and_its_result_tells_no_secret(question: dict[str, Any]) -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept)
    result = await asked(brief, question)
    wrong = [*question.get("misconceptions", ()), *question.get("criteria", ())]
    named = [one["misconception"] for one in wrong if one.get("misconception")]
    assert result == {
        "saved": True,
        "format": question["format"],
        "difficulty": question["difficulty"],
        "position": 1,
        "misconceptionIds": [belief_id(words) for words in named],
    }
    (saved,) = repositories.questions[concept.id].values()
    assert saved.draft.correct_answer == question["correct_answer"]
    assert saved.draft.tests == tuple(question["tests"])
    assert saved.draft.solution == tuple(question.get("solution", ()))


@pytest.mark.parametrize("question", [CHOICE, OPEN, NUMERIC])
async def test_Q6_answers_and_criteria_never_reach_an_event(question: dict[str, Any]) -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories))
    shown = tool_of(brief, "save_diagnostic_question").shown_input(
        ToolUse("toolu_1", "save_diagnostic_question", question)
    )
    assert set(shown) <= {"prompt", "format", "options", "difficulty", "tests"}


async def test_Q5_a_refused_question_says_how_to_mend_it_and_is_not_kept() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept)
    with pytest.raises(InvalidQuestion, match="not one of the options: copy the text") as refused:
        await asked(brief, CHOICE, correct_answer="B) exactly equal")
    assert "exactly equal" not in str(refused.value)
    with pytest.raises(InvalidQuestion, match="has 2-5"):
        await asked(brief, OPEN, criteria=None)
    assert concept.id not in repositories.questions


async def test_Q5_a_question_about_what_is_no_subconcept_is_refused_once_there_are_enough_to_know() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories), small=True)
    assert (await asked(brief, CHOICE))["saved"]
    await saved(brief, "A", "B")
    with pytest.raises(InvalidQuestion, match=r"tests names 'Z', which is not a subconcept\. There are: 'A', 'B'\."):
        await asked(brief, NUMERIC, tests=["Z"])


async def test_the_request_has_topic_concept_path_and_sizes() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    repositories.under(concept.id, "Made")
    request = request_of(await briefed(subconcept_agent(repositories), concept, small=True))
    assert ">Circuits</topic>" in request
    assert ">Voltage</title>" in request
    assert ">About Voltage.</desc>" in request
    path = request.split("<path", 1)[1].split("</path>")[0]
    assert (">Current</title>" in path, ">About Current.</desc>" in path, ">Voltage</" in path) == (True, True, False)
    assert ">Made</concept>" in request.split("<existing", 1)[1].split("</existing>")[0]
    assert '<size subconcepts="2-3" questions="2-3"/>' in request
    assert "passage" not in request


async def test_the_passages_that_fit_the_concept_travel_whole_up_to_12_000_characters() -> None:
    fitting = [Passage("notes.md", f"Voltage › {n}", f"Voltage {n}: {'push ' * 250}", n, n + 1) for n in range(40)]
    other = [Passage("notes.md", f"Rome › {n}", "The consuls ruled for one year.", n, n + 1) for n in range(40)]
    repositories = MemoryGraphRepository(notes=[*other, *fitting])
    request = request_of(await briefed(subconcept_agent(repositories), a_concept(repositories)))
    assert request.count("<passage ") == 9
    assert request.count("</passage>") == 9
    assert 'doc="notes.md" heading="Voltage › ' in request
    assert "consuls" not in request


async def test_S1_notes_that_do_not_cover_the_concept_are_said_not_to() -> None:
    repositories = MemoryGraphRepository(notes=[Passage("notes.md", "Rome", "The consuls ruled for one year.", 0, 31)])
    request = request_of(await briefed(subconcept_agent(repositories), a_concept(repositories)))
    assert "notes have no passage that fits this concept" in request
    assert "consuls" not in request


async def test_S1_a_subconcept_cites_passages_by_id_and_others_can_be_searched_for() -> None:
    repositories = MemoryGraphRepository(
        notes=[Passage("notes.md", "Voltage", "Voltage pushes charge.", 0, 22, "p1", 3)]
    )
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories))
    assert 'id="p1"' in request_of(brief)
    found = await called(brief, "search_documents", query="pushes")
    assert found == [
        {"id": "p1", "document": "notes.md", "heading": "Voltage", "page": 3, "text": "Voltage pushes charge."}
    ]
    result = await called(brief, "save_subconcept", title="Push", desc="It pushes.", passages=["p1"])
    assert repositories.cited[result["nodeId"]] == {"p1"}
    astray = await called(brief, "save_subconcept", title="Pull", desc="It pulls.", passages=["p9"])
    assert repositories.cited[astray["nodeId"]] == set()
    assert astray["mended"] == ["passages: 1 of no passage here were left out"]


async def test_without_notes_there_is_nothing_to_search() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories))
    assert "search_documents" not in {tool.name for tool in brief.tools}


async def test_the_end_is_checked_for_counts_edges_and_entries() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories))
    assert "0 of 8-12 subconcepts saved. 0 of 5-10 questions saved." in (await correction_of(brief) or "")
    await saved(brief, *"ABCDEFGH")
    await joined(brief, "B>C", "C>D", "D>E", "E>F", "F>G")
    for number in range(5):
        await asked(brief, {**numbered(number), "tests": ["B"]})
    assert "'A' has no edge. 'H' has no edge. No question tests 'A'" in (await correction_of(brief) or "")
    await joined(brief, "A>C", "G>H")
    assert "done yet: No question tests 'A', which is an entry.\n" in (await correction_of(brief) or "")
    await asked(brief, CHOICE)
    assert await correction_of(brief) is None


async def test_small_mode_is_checked_for_counts_only() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories), small=True)
    await saved(brief, "A", "B")
    await asked(brief, numbered(2))
    assert "done yet: 1 of 2-3 questions saved.\n" in (await correction_of(brief) or "")
    await asked(brief, numbered(3))
    assert await correction_of(brief) is None


async def test_Q5_a_title_that_is_tested_and_never_saved_is_named_at_the_end() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(subconcept_agent(repositories), a_concept(repositories), small=True)
    await asked(brief, CHOICE, tests=["Z"])
    await saved(brief, "A", "B")
    assert "A question tests 'Z', which is not saved." in (await correction_of(brief) or "")


async def test_questions_of_an_earlier_run_count() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    first = await briefed(subconcept_agent(repositories), concept, small=True)
    await asked(first, numbered(2))
    await asked(first, numbered(3))
    second = await briefed(subconcept_agent(repositories), concept, small=True)
    assert (await asked(second, CHOICE))["position"] == 3
    with pytest.raises(NoChangeNeeded, match="All 3 questions"):
        await asked(second, OPEN)


async def test_a_run_that_goes_on_after_a_cut_is_told_what_was_asked_and_keeps_to_the_maximum() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    first = await briefed(subconcept_agent(repositories), concept, small=True)
    await saved(first, "A")
    for number in range(3):
        await asked(first, numbered(number))
    second = await briefed(subconcept_agent(repositories), concept, small=True)
    assert numbered(2)["prompt"] in request_of(second)
    with pytest.raises(NoChangeNeeded, match="All 3"):
        await asked(second, numbered(3))


async def test_a_normal_end_resolves_what_questions_test_and_marks_the_concept_as_made() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept, small=True)
    await asked(brief, OPEN)
    await saved(brief, "A", "B")
    done = await finished(brief, a_result("Made."))
    (question,) = repositories.questions[concept.id].values()
    assert question.tested_ids == [node.id for node in repositories.graphs[concept.id].nodes]
    assert repositories.generated == {concept.id}
    assert [node_id for node_id, _ in repositories.generations] == [concept.id]
    assert (done.reason, done.concept_count, done.rationale) == ("end_turn", None, None)


async def test_a_concept_that_nothing_can_be_asked_about_is_complete_with_an_empty_diagnostic() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept, small=True)
    await saved(brief, "A", "B")
    close = CallRecord("c1", "close_concept", {"no_questions": True}, '{"closed": true}', False, 0.0, 1)
    closed = replace(a_result(), calls=(close,))
    (check,) = brief.stop_checks
    assert await check(closed) is None
    await finished(brief, closed)
    assert repositories.closed_empty == repositories.generated == {concept.id}


async def test_a_concept_without_questions_is_made_again_unless_that_is_meant() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept, small=True)
    await saved(brief, "A", "B")
    assert "0 of 2-3 questions saved" in (await correction_of(brief) or "")
    await finished(brief, a_result())
    assert repositories.closed_empty == repositories.generated == set()


async def test_an_end_at_the_cap_leaves_the_concept_unfinished_and_resolves_all_the_same() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept)
    await asked(brief, CHOICE)
    await saved(brief, "A")
    await finished(brief, a_result(reason="max_iterations"))
    (question,) = repositories.questions[concept.id].values()
    assert question.tested_ids != [None]
    assert repositories.generated == set()


async def test_a_concept_that_is_made_costs_no_model_call() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    repositories.under(concept.id, "A B", "A>B")
    repositories.generated = {concept.id}
    draft = QuestionDraft("How many volts?", "numeric", "6", 1, ("A",))
    await repositories.save_question(concept.id, draft, actor=Actor(concept.user_id))
    brief = await briefed(subconcept_agent(repositories), concept)
    assert (brief.messages, brief.tools) == ((), ())
    assert (await finished(brief, None)).reason == "end_turn"


async def test_of_a_concept_with_parts_from_a_file_only_the_questions_are_made() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    repositories.under(concept.id, "A B", "")
    repositories.generated = {concept.id}
    brief = await briefed(subconcept_agent(repositories), concept)
    assert brief.messages
    told = await correction_of(brief)
    assert told is not None
    assert "0 of 5-10 questions saved." in told
    assert "subconcepts saved" not in told
    assert "edge" not in told


async def test_P2_a_run_cut_off_right_before_its_end_goes_on_with_the_instructions_it_began_with() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    spec = subconcept_agent(repositories)
    began = await briefed(spec, concept)
    await saved(began, "A")
    await asked(began, CHOICE)
    await finished(began, a_result())
    assert repositories.generated == {concept.id}
    resumed = await spec.brief(replace(a_job(concept), resumed=True), RecordingTeam())
    assert prompt_digest(resumed.system, resumed.tools, "") == prompt_digest(began.system, began.tools, "")


async def test_nothing_saved_is_a_failure_in_plain_words() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    brief = await briefed(subconcept_agent(repositories), concept)
    with pytest.raises(SproutError, match="without saving a subconcept of 'Voltage'"):
        await finished(brief, a_result("Done!"))
    assert repositories.generated == set()


async def test_only_a_concept_of_ones_own_is_taken_apart() -> None:
    repositories = MemoryGraphRepository()
    concept = a_concept(repositories)
    (part,) = repositories.under(concept.id, "A")
    root = repositories.graphs[concept.parent_id or ""].parent
    spec = subconcept_agent(repositories)
    for node in (part, root):
        with pytest.raises(BadInput, match="Only a concept has subconcepts"):
            await briefed(spec, node)
    repositories.user_id = "somebody else"
    with pytest.raises(NotFound):
        await spec.brief(a_job(concept), RecordingTeam())


def test_the_loop_has_the_numbers_of_the_specification() -> None:
    spec = subconcept_agent(MemoryGraphRepository())
    assert (spec.name, spec.lane) == ("subconcept", "concept")
    assert (spec.policy.max_iterations, spec.policy.max_output_tokens) == (15, 24_000)
