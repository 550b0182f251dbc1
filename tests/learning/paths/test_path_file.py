"""Path files: reading, checking as a whole, writing."""

from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.errors import TooLarge
from sprout.learning.paths.import_plan import PlannedPath, plan_import
from sprout.learning.paths.path_file import (
    MAX_FILE_CHARACTERS,
    ConceptItem,
    CriterionItem,
    EdgeItem,
    InvalidPath,
    MisconceptionItem,
    PathFile,
    ProgramTestItem,
    QuestionItem,
    SubconceptItem,
    TopicItem,
    dump_path,
    parse_path,
    to_draft,
)
from sprout.learning.questions.questions import QuestionDraft

EXAMPLE = Path(__file__).parents[3] / "examples" / "fractions.yaml"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def plan(path: PathFile) -> PlannedPath:
    return plan_import(path, user_id="someone", branch_id="some-branch", now=NOW)


def a_path(**changed: object) -> PathFile:
    fields: dict[str, object] = {"sprout_path": 1, "title": "Light", "topic": {"title": "Light"}} | changed
    return PathFile.model_validate(fields)


def from_draft(draft: QuestionDraft) -> QuestionItem:
    """The question as a file has it: the way back from `to_draft`."""
    return QuestionItem(
        prompt=draft.prompt,
        format=draft.format,
        correct_answer=draft.correct_answer,
        difficulty=draft.difficulty,
        tests=draft.tests,
        options=draft.options,
        criteria=tuple(
            CriterionItem(
                label=one.label,
                statement=one.statement,
                weight=one.weight,
                partly_if=one.partly_if,
                misconception=one.misconception,
            )
            for one in draft.criteria
        ),
        tolerance=draft.tolerance,
        unit=draft.unit,
        misconceptions=tuple(
            MisconceptionItem(option=one.option, misconception=one.misconception) for one in draft.misconceptions
        ),
        anchors=draft.anchors,
        program_tests=tuple(ProgramTestItem(**asdict(test)) for test in draft.program_tests),
        accepted=draft.accepted,
        solution=draft.solution,
    )


def faults_of(path: PathFile) -> tuple[str, ...]:
    with pytest.raises(InvalidPath) as refused:
        plan(path)
    return refused.value.faults


def test_the_example_can_be_planted_with_all_that_it_holds() -> None:
    rows = plan(parse_path(EXAMPLE.read_text()))

    titles = {node.id: node.title for node in (rows.root, *rows.nodes)}
    assert [node.title for node in rows.nodes if node.type == "concept"] == [
        "A fraction as equal parts",
        "Equal fractions",
        "Adding fractions",
    ]
    assert ("Expanding", "A common denominator") in {
        (titles[edge.source_node_id], titles[edge.target_node_id]) for edge in rows.edges
    }
    assert [titles[question.concept_id] for question in rows.questions] == [
        "A fraction as equal parts",
        "A fraction as equal parts",
        "Equal fractions",
        "Equal fractions",
        "Adding fractions",
        "Adding fractions",
    ]
    assert rows.questions[0].draft.tests == ("The denominator", "The numerator")


def test_every_node_stands_after_its_parent() -> None:
    rows = plan(parse_path(EXAMPLE.read_text()))
    known = {rows.root.id}
    for node in rows.nodes:
        assert node.parent_id in known
        known.add(node.id)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_writing_and_reading_gives_the_same_path(form: str) -> None:
    path = parse_path(EXAMPLE.read_text())
    assert parse_path(dump_path(path, "json" if form == "json" else "yaml")) == path


def test_a_question_survives_the_way_into_the_domain_and_back() -> None:
    for concept in parse_path(EXAMPLE.read_text()).concepts:
        for question in concept.questions:
            assert from_draft(to_draft(question, question.tests)) == question


def test_an_edge_may_name_a_title_however_it_is_written() -> None:
    path = a_path(
        concepts=[{"title": "White light"}, {"title": "Colours"}], edges=[{"from": "WHITE  light", "to": "colours"}]
    )
    rows = plan(path)
    assert [(edge.source_node_id, edge.target_node_id) for edge in rows.edges] == [(rows.nodes[0].id, rows.nodes[1].id)]


def test_every_item_at_fault_is_named_and_nothing_is_planned() -> None:
    path = a_path(
        concepts=[
            {"key": "a", "title": "Rays", "subconcepts": [{"title": "Straight"}, {"title": "straight "}]},
            {"key": "a", "title": "Mirrors", "questions": [a_question(tests=["Nowhere"])]},
            {"key": "c", "title": "rays"},
        ],
        edges=[{"from": "a", "to": "Lenses"}, {"from": "Mirrors", "to": "Mirrors"}],
    )
    faults = faults_of(path)
    assert [fault.partition(": ")[0] for fault in faults] == [
        "concepts.2.title",
        "concepts.1.key",
        "edges.0",
        "edges.1",
        "concepts.0.subconcepts.1.title",
        "concepts.1.questions.0.tests",
    ]


def test_G2_a_cycle_is_refused_by_its_titles() -> None:
    path = a_path(
        concepts=[{"title": "Egg"}, {"title": "Hen"}],
        edges=[{"from": "Egg", "to": "Hen"}, {"from": "Hen", "to": "Egg"}],
    )
    (fault,) = faults_of(path)
    assert fault.startswith("edges.1: ")
    assert "'Egg' → 'Hen'" in fault


def test_Q5_a_question_that_gives_itself_away_is_refused() -> None:
    question = a_question(
        prompt="Which of these is called a concave mirror?", options=["concave mirror", "b", "c", "d"]
    )
    path = a_path(
        concepts=[
            {"title": "Mirrors", "subconcepts": [{"title": "Kinds"}], "questions": [question | {"tests": ["Kinds"]}]}
        ]
    )
    (fault,) = faults_of(path)
    assert fault.startswith("concepts.0.questions.0: ")


@pytest.mark.parametrize(
    ("solution", "fault"),
    [
        (["It is flat.", " "], "A step of the solution is empty"),
        (["flat " * 900], "The solution has 4499 characters"),
    ],
)
def test_G5_a_solution_that_is_empty_or_too_long_is_a_fault_of_its_question(solution: list[str], fault: str) -> None:
    questions = [a_question(solution=["A flat mirror turns nothing round."]), a_question(prompt="And now?")]
    mirrors = {"title": "Mirrors", "subconcepts": [{"title": "Kinds"}]}
    assert [one.draft.solution for one in plan(a_path(concepts=[{**mirrors, "questions": questions}])).questions] == [
        ("A flat mirror turns nothing round.",),
        (),
    ]
    questions[1]["solution"] = solution
    (found,) = faults_of(a_path(concepts=[{**mirrors, "questions": questions}]))
    assert found.startswith("concepts.0.questions.1: ")
    assert fault in found


def test_the_same_question_twice_is_refused() -> None:
    question = a_question(tests=["Kinds"])
    path = a_path(
        concepts=[{"title": "Mirrors", "subconcepts": [{"title": "Kinds"}], "questions": [question, question]}]
    )
    assert faults_of(path) == ("concepts.0.questions.1.prompt: this question stands here twice",)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "the file"),
        ("- a\n- b\n", "the file"),
        ("title: [unclosed", "the file"),
        ('{"title": ', "the file"),
        ("a: &x [1]\nb: *x\n", "the file"),
        ("!!python/object/apply:os.getcwd []", "the file"),
        ("[" * 20_000, "the file"),
        ('{"a": ' + "[" * 100_000, "the file"),
        ("sprout_path: 2\ntitle: a\ntopic: {title: a}\n", "sprout_path"),
        ("sprout_path: 1\ntitle: a\ntopic: {title: ''}\n", "topic.title"),
        ("sprout_path: 1\ntitle: a\ntopic: {title: a, descr: b}\n", "topic.descr"),
        (
            "sprout_path: 1\ntitle: a\ntopic: {title: a}\nconcepts: [{title: b, edges: [{from: x}]}]\n",
            "concepts.0.edges.0.to",
        ),
    ],
)
def test_a_text_that_is_no_path_is_refused_with_the_place(text: str, place: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_path(text)
    assert [fault.partition(": ")[0] for fault in refused.value.faults] == [place]


def test_a_title_of_invisible_characters_is_refused() -> None:
    assert faults_of(a_path(title="\u200b", topic={"title": "\u202e"})) == (
        "title: it is empty",
        "topic.title: it is empty",
    )


def test_a_file_that_is_too_long_is_refused_unread() -> None:
    with pytest.raises(TooLarge):
        parse_path(" " * (MAX_FILE_CHARACTERS + 1))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidPath):
        assert isinstance(parse_path(text), PathFile)


names = st.text(alphabet="abcdeé漢 :#-'\"{}[]&*!|>%@`\n\t0123456789.", min_size=1, max_size=12).filter(str.strip)


@settings(max_examples=40)
@given(
    concepts=st.lists(
        st.builds(
            ConceptItem,
            title=names,
            desc=st.none() | names,
            subconcepts=st.lists(st.builds(SubconceptItem, title=names, desc=st.none() | names), max_size=3),
        ),
        max_size=4,
    ),
    edges=st.lists(st.tuples(names, names).map(lambda ends: EdgeItem.between(*ends)), max_size=3),
    title=names,
)
def test_any_path_that_can_be_written_reads_back_the_same(
    concepts: list[ConceptItem], edges: list[EdgeItem], title: str
) -> None:
    path = PathFile(
        sprout_path=1, title=title, topic=TopicItem(title=title), concepts=tuple(concepts), edges=tuple(edges)
    )
    assert parse_path(dump_path(path)) == path
    assert parse_path(dump_path(path, "json")) == path


def a_question(**changed: object) -> dict[str, object]:
    return {
        "prompt": "What does a plane mirror do with an image?",
        "format": "mcq",
        "options": ["concave mirror", "turns it round", "makes it larger", "nothing"],
        "correct_answer": "concave mirror",
        "difficulty": 1,
        "tests": ["Kinds"],
    } | changed
