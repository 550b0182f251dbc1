"""The topic agent, its tools driven as the loop drives them."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from sprout.agents.agent import Brief
from sprout.agents.path.topic import topic_agent
from sprout.errors import BadInput, DatabaseBusy, InvalidGraphEdit, NoChangeNeeded, NotFound, SetupError, SproutError
from sprout.events import EdgeCreated, NodeCreated
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.topic_coverage import OfferedCourse, UnknownTopic
from sprout.loop.tools import BadToolInput, Effect
from sprout.loop.turn import CallRecord
from tests.agents.driving import a_job, a_result, briefed, called, correction_of, finished, request_of, tool_of

DESC = "The learner can say it. The rest is left to others."
NOTES = [
    Passage("notes.md", "Circuits › Voltage", "## Voltage\n\nA battery hands energy to each bit of charge.", 0, 60),
    Passage("notes.md", "Circuits › Fuses", "## Fuses\n\nA thin wire melts first.", 62, 100),
]


async def saved(brief: Brief, *titles: str) -> list[dict[str, Any]]:
    return [await called(brief, "save_concept", title=title, desc=DESC) for title in titles]


async def joined(brief: Brief, *edges: str) -> None:
    for edge in edges:
        source, target = edge.split(">")
        await called(brief, "save_concept_edge", source_title=source, target_title=target, why="B uses A")


async def test_a_saved_concept_is_a_node_and_its_result_is_what_the_contract_says() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    first, second = await saved(brief, "Voltage", "Current")
    assert first == {
        "saved": True,
        "nodeId": repositories.graphs[root.id].nodes[0].id,
        "title": "Voltage",
        "position": 1,
    }
    assert second["position"] == 2
    actor, event = repositories.log[0]
    assert isinstance(event, NodeCreated)
    assert (actor.agent, actor.run_id, actor.root_run_id, actor.call_id) == (
        "topic",
        "run",
        "root-run",
        "toolu_save_concept",
    )
    assert event.node.parent_id == root.id


async def test_a_subconcept_run_starts_the_moment_its_concept_is_saved() -> None:
    repositories, team = MemoryGraphRepository(), RecordingTeam()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"), team=team)
    await saved(brief, "Voltage")
    assert team.labels == ["subconcept_bootstrap:Voltage"]
    await saved(brief, "Current", " VOLTAGE ")
    assert team.labels == ["subconcept_bootstrap:Voltage", "subconcept_bootstrap:Current"]


class BusyTeam(RecordingTeam):
    """A team for whose first helper the database has no room."""

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        await super().start(agent, node_id=node_id, label=label)
        if len(self.started) == 1:
            raise DatabaseBusy("The database is busy.")


async def test_M4_a_concept_is_saved_once_though_its_run_cannot_be_started_yet() -> None:
    repositories, team = MemoryGraphRepository(), BusyTeam()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root, team=team)
    (told,) = await saved(brief, "Voltage")
    assert (told["saved"], "unchanged" in told) == (True, False)
    assert repositories.titles(root.id) == ["Voltage"]
    await finished(brief, a_result("It starts with voltage."))
    assert team.labels == ["subconcept_bootstrap:Voltage"] * 2


async def test_P13_a_concept_that_was_saved_while_its_run_could_not_be_started_is_worked_out_all_the_same() -> None:
    repositories, team = MemoryGraphRepository(), RecordingTeam()
    start = team.start
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"), team=team)

    async def fails(*_: object, **__: object) -> None:
        raise SetupError("The database cannot be used: disk I/O error")

    team.start = fails  # type: ignore[method-assign]
    with pytest.raises(SetupError):
        await saved(brief, "Voltage")
    team.start = start  # type: ignore[method-assign]
    (again,) = await saved(brief, "Voltage")
    assert again["unchanged"]
    await finished(brief, a_result("It starts with voltage."))
    assert team.labels == ["subconcept_bootstrap:Voltage"]


async def test_G2_a_concept_saved_again_is_the_one_that_is_there() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    first, again = await saved(brief, "Voltage", "voltage")
    assert again == {**first, "unchanged": True}
    assert repositories.titles(root.id) == ["Voltage"]


async def test_edges_go_by_titles_and_carry_their_reason() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    await saved(brief, "A", "B")
    await joined(brief, "a> B")
    _, event = repositories.log[-1]
    assert isinstance(event, EdgeCreated)
    assert event.reason == "B uses A"
    again = await called(brief, "save_concept_edge", source_title="A", target_title="B", why="again")
    assert again == {"saved": True, "unchanged": True}


@pytest.mark.parametrize(
    ("edge", "message"), [("B>A", "cycle: 'B' → 'A' → 'B'"), ("A>A", "own"), ("A>Z", "There are: 'A'")]
)
async def test_G2_a_refused_edge_says_why_and_changes_nothing(edge: str, message: str) -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    await saved(brief, "A", "B")
    await joined(brief, "A>B")
    with pytest.raises(InvalidGraphEdit, match=message):
        await joined(brief, edge)
    assert repositories.edges(root.id) == {"A>B"}


@pytest.mark.parametrize(("small", "most"), [(True, 2), (False, 10)])
async def test_defect_31_saves_beyond_the_maximum_are_refused_by_code(small: bool, most: int) -> None:
    repositories, team = MemoryGraphRepository(), RecordingTeam()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root, small=small, team=team)
    await saved(brief, *(f"Concept {number}" for number in range(most)))
    with pytest.raises(NoChangeNeeded, match=f"All {most} concepts that there can be"):
        await saved(brief, "One too many")
    (again,) = await saved(brief, "concept 0")
    assert again["unchanged"]
    assert len(repositories.titles(root.id)) == len(team.started) == most


@pytest.mark.parametrize(
    "fields", [{"title": "A"}, {"title": "", "desc": DESC}, {"title": "A", "desc": DESC, "id": "1"}]
)
async def test_a_save_that_does_not_fit_is_refused_before_it_runs(fields: dict[str, str]) -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    with pytest.raises(BadToolInput):
        await called(brief, "save_concept", **fields)


async def test_trap_47_no_misspelled_name_is_ever_repaired_onto_a_tool_that_saves() -> None:
    repositories = MemoryGraphRepository(notes=NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    effects = {tool.name: (tool.effect, tool.retryable, tool.repeatable) for tool in brief.tools}
    assert effects == {
        "extract_all_concept_contexts": (Effect.READ, True, False),
        "save_concept": (Effect.WRITE, False, True),
        "save_concept_edge": (Effect.WRITE, False, True),
        "close_path": (Effect.WRITE, False, False),
    }


async def test_what_is_there_is_replayed_with_every_node_before_its_edges() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    a, b = repositories.under(root.id, "A B", "A>B")
    repositories.under(a.id, "a1 a2", "a1>a2")
    repositories.under(b.id, "b1")
    brief = await briefed(topic_agent(repositories), root)
    seen: set[str] = set()
    titles = []
    for event in brief.opening:
        if isinstance(event, NodeCreated):
            seen.add(event.node.id)
            titles.append(event.node.title)
        else:
            assert isinstance(event, EdgeCreated)
            assert {event.edge.source_node_id, event.edge.target_node_id} <= seen
            titles.append("edge")
    assert titles == ["A", "B", "edge", "a1", "a2", "edge", "b1"]


async def test_a_finished_topic_is_replayed_without_a_model_call_and_only_unfinished_concepts_are_worked_out() -> None:
    repositories, team = MemoryGraphRepository(), RecordingTeam()
    root = repositories.topic("Circuits")
    a, b = repositories.under(root.id, "A B", "A>B")
    repositories.generated = {root.id, a.id}
    brief = await briefed(topic_agent(repositories), root, team=team)
    assert brief.messages == ()
    assert team.started == [("subconcept", b.id, "subconcept_bootstrap:B")]
    done = await finished(brief, None)
    assert done.concept_count == 2
    assert done.rationale == "This path exists already."


async def test_defect_4_a_topic_that_was_cut_off_is_continued_with_what_is_there() -> None:
    repositories, team = MemoryGraphRepository(), RecordingTeam()
    root = repositories.topic("Circuits")
    repositories.under(root.id, "A B", "A>B")
    brief = await briefed(topic_agent(repositories), root, team=team)
    request = request_of(brief)
    assert "<existing " in request
    assert ">A</concept>" in request
    assert team.labels == ["subconcept_bootstrap:A", "subconcept_bootstrap:B"]
    await saved(brief, "a", "C")
    assert repositories.titles(root.id) == ["A", "B", "C"]
    assert team.labels[2:] == ["subconcept_bootstrap:C"]


async def test_a_generated_topic_whose_concepts_are_all_gone_is_made_anew() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    repositories.generated = {root.id}
    assert (await briefed(topic_agent(repositories), root)).messages


async def test_the_request_has_the_topic_the_wish_and_the_size_and_no_empty_tags() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(
        topic_agent(repositories), repositories.topic("Circuits <b>", "for my GCSE & fun"), small=True
    )
    request = request_of(brief)
    assert ">Circuits &lt;b&gt;</topic>" in request
    assert ">for my GCSE &amp; fun</wish>" in request
    assert '<size concepts="1-2"/>' in request
    assert "existing" not in request
    assert "document" not in request
    assert "\n\n\n" not in request


async def test_the_system_prompt_is_the_same_for_every_topic() -> None:
    repositories, other = MemoryGraphRepository(notes=NOTES), MemoryGraphRepository()
    one = await briefed(topic_agent(repositories), repositories.topic("Circuits", "slowly"))
    two = await briefed(topic_agent(other), other.topic("Rome"))
    assert one.system == two.system
    assert "path through one topic: 6-10 concepts" in one.system


async def test_defect_26_documents_travel_in_the_request_and_never_in_the_system_prompt() -> None:
    repositories = MemoryGraphRepository(notes=NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    request = request_of(brief)
    assert '<document name="notes.md"' in request
    assert "## Voltage\n\nA battery hands energy to each bit of charge.\n\n## Fuses" in request
    assert "battery hands" not in brief.system


async def test_documents_beyond_80_000_characters_are_cut_and_the_request_says_so() -> None:
    notes = [Passage("long.md", f"Part {n}", f"Part {n}: {'x' * 990}", n * 1_000, n * 1_000 + 999) for n in range(200)]
    repositories = MemoryGraphRepository(notes=notes)
    request = request_of(await briefed(topic_agent(repositories), repositories.topic("Circuits")))
    assert len(request) < 86_000
    assert "did not fit in whole" in request
    assert "Part 199" not in request
    assert "Part 100</" in request or "Part 100\n" in request


SECTION = "A battery hands energy to each bit of charge, and the wire carries it to the lamp and back again. "
LONG_NOTES = [
    Passage("notes.md", f"Circuits › {title}", f"{opening}## {title}\n\n{SECTION * 3}", at * 400, at * 400 + 399)
    for at, (opening, title) in enumerate(
        [("# Circuits\n\n", "Voltage"), ("", "Fuses"), ("", "Switches"), ("", "Exercises")]
    )
]


async def test_S1_the_request_has_the_outline_of_the_notes_with_sizes_and_roles() -> None:
    repositories = MemoryGraphRepository(notes=LONG_NOTES)
    request = request_of(await briefed(topic_agent(repositories), repositories.topic("Circuits")))
    outline = request.partition('<outline document="notes.md"')[2].partition("</outline>")[0]
    assert [line.strip() for line in outline.splitlines()[1:]] == [
        "- Voltage (60 words)",
        "- Fuses (60 words)",
        "- Switches (60 words)",
        "- Exercises (60 words, exercises)",
    ]
    assert ">- Circuits (2" in outline


async def test_S1_an_agent_that_left_half_of_the_notes_out_is_told_once_which_headings_those_are() -> None:
    repositories = MemoryGraphRepository(notes=LONG_NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    titles = ["Voltage", "Lamps", "Cells", "Loops", "Meters", "Safety"]
    await saved(brief, *titles)
    await joined(brief, *(f"{one}>{other}" for one, other in pairwise(titles)))
    told = await correction_of(brief)
    assert told is not None
    assert "Circuits › Fuses (60 words); Circuits › Switches (60 words)" in told
    assert "Circuits › Voltage" not in told
    assert await correction_of(brief) is None


async def test_S1_an_agent_that_took_most_of_the_notes_up_and_a_small_path_are_told_nothing() -> None:
    repositories = MemoryGraphRepository(notes=LONG_NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    titles = ["Voltage", "Fuses", "Switches", "Loops", "Meters", "Safety"]
    await saved(brief, *titles)
    await joined(brief, *(f"{one}>{other}" for one, other in pairwise(titles)))
    assert await correction_of(brief) is None
    small = MemoryGraphRepository(notes=LONG_NOTES)
    brief = await briefed(topic_agent(small), small.topic("Circuits"), small=True)
    await saved(brief, "Lamps")
    assert await correction_of(brief) is None


async def test_contexts_are_extracted_by_code_and_name_what_is_not_covered() -> None:
    repositories = MemoryGraphRepository(notes=NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    result = await called(
        brief,
        "extract_all_concept_contexts",
        concepts=[{"title": "Voltage as a push", "desc": ""}, {"title": "Transistors", "desc": ""}],
    )
    assert result == {
        "extractedCount": 1,
        "totalConcepts": 2,
        "concepts": [
            {"title": "Voltage as a push", "passages": 1, "headings": ["Circuits › Voltage"]},
            {"title": "Transistors", "passages": 0, "headings": []},
        ],
        "withoutPassages": ["Transistors"],
        "notCovered": ["Circuits › Fuses"],
    }
    assert repositories.log == []


async def test_without_documents_there_is_nothing_to_extract_from() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    assert [tool.name for tool in brief.tools] == ["save_concept", "save_concept_edge", "close_path"]


async def test_the_end_is_checked_and_the_correction_names_what_is_missing() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    await saved(brief, "A", "B", "Power")
    await joined(brief, "A>B")
    correction = await correction_of(brief)
    assert correction is not None
    assert "3 of 6-10 concepts saved. 'Power' has no edge." in correction
    assert "in one reply" in correction


async def test_a_path_in_pieces_is_not_whole() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    await saved(brief, *"ABCDEF")
    await joined(brief, "A>B", "B>C", "D>E", "E>F")
    correction = await correction_of(brief)
    assert correction is not None
    assert "in 2 pieces that no edge joins: 'A', 'B', 'C'; 'D', 'E', 'F'" in correction
    await joined(brief, "C>D")
    assert await correction_of(brief) is None


async def test_in_small_mode_one_concept_is_enough_and_two_may_both_be_entries() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"), small=True)
    assert "0 of 1-2 concepts saved" in (await correction_of(brief) or "")
    await saved(brief, "A")
    assert await correction_of(brief) is None
    await saved(brief, "B")
    assert await correction_of(brief) is None


async def test_a_normal_end_marks_the_topic_as_made_and_gives_the_rationale() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    await saved(brief, "A")
    done = await finished(brief, a_result(" It starts with A. "))
    assert (done.concept_count, done.rationale, done.reason) == (1, "It starts with A.", "end_turn")
    assert repositories.generated == {root.id}
    (node_id, meta), *more = repositories.generations
    assert (node_id, more) == (root.id, [])
    assert json.loads(meta)["made"] == 1
    assert json.loads(meta)["runId"] == "run"


@pytest.mark.parametrize("reason", ["max_iterations", "budget", "refusal", "soft_limit"])
async def test_defect_14_an_end_that_is_not_normal_leaves_the_topic_unfinished(reason: str) -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    brief = await briefed(topic_agent(repositories), root)
    await saved(brief, "A")
    assert (await finished(brief, a_result(reason=reason))).reason == reason
    assert repositories.generated == set()


async def test_a_path_of_nothing_is_a_failure_in_plain_words() -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    with pytest.raises(SproutError, match=r"without saving a concept\. Start again"):
        await finished(brief, a_result("Done!"))
    assert repositories.generated == set()


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        (("close_path",), "I know nothing about circuits."),
        (("save_concept", "close_path"), "The model ended without saving a concept"),
    ],
)
async def test_a_model_that_closes_the_path_without_trying_says_itself_why_there_is_none(
    calls: tuple[str, ...], says: str
) -> None:
    repositories = MemoryGraphRepository()
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    words = {"rationale": "I know nothing about circuits."}
    records = tuple(CallRecord(name, name, words, "", name == "save_concept", 0.0, 1) for name in calls)
    with pytest.raises(SproutError, match=says):
        await finished(brief, replace(a_result(), calls=records))


async def test_a_topic_that_the_model_does_not_cover_is_refused_before_it_is_asked() -> None:
    repositories = MemoryGraphRepository()
    with pytest.raises(UnknownTopic) as refused:
        await briefed(topic_agent(repositories, coverage=NoTopic()), repositories.topic("Circuits"))
    assert (refused.value.topic, refused.value.code) == ("Circuits", "unknown_topic")


async def test_what_there_are_notes_on_or_has_begun_to_grow_is_not_refused() -> None:
    with_notes, begun = MemoryGraphRepository(notes=NOTES), MemoryGraphRepository()
    root = begun.topic("Circuits")
    begun.under(root.id, "Voltage")
    assert (await briefed(topic_agent(with_notes, coverage=NoTopic()), with_notes.topic("Circuits"))).messages
    assert (await briefed(topic_agent(begun, coverage=NoTopic()), root)).messages


class NoTopic:
    """Coverage of a model that knows nothing."""

    def courses(self) -> tuple[OfferedCourse, ...]:
        return ()

    def course_on(self, topic: str) -> OfferedCourse | None:
        raise UnknownTopic(topic, ())


async def test_a_path_is_made_only_for_a_topic_and_only_for_its_owner() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "A")
    spec = topic_agent(repositories)
    with pytest.raises(BadInput, match="'A' is a concept"):
        await briefed(spec, concept)
    repositories.user_id = "somebody else"
    with pytest.raises(NotFound):
        await spec.brief(a_job(root), RecordingTeam())


def test_the_loop_has_the_numbers_of_the_specification() -> None:
    spec = topic_agent(MemoryGraphRepository())
    assert (spec.name, spec.lane) == ("topic", "topic")
    assert (spec.policy.max_iterations, spec.policy.max_output_tokens) == (15, 24_000)


async def test_the_tools_carry_descriptions_and_schemas_that_refuse_unknown_fields() -> None:
    repositories = MemoryGraphRepository(notes=NOTES)
    brief = await briefed(topic_agent(repositories), repositories.topic("Circuits"))
    for tool in brief.tools:
        assert len(tool.description) > 30
        assert tool.spec.schema["additionalProperties"] is False
    assert tool_of(brief, "save_concept").spec.schema["required"] == ["title", "desc"]
