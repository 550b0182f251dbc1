"""Whole paths into the database and out of it again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sprout.errors import NotFound
from sprout.learning.paths.path_file import InvalidPath, PathFile, QuestionItem, parse_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths

EXAMPLE = Path(__file__).parents[3] / "examples" / "fractions.yaml"
EXAMPLES = {file.stem: file.read_text(encoding="utf-8") for file in sorted(EXAMPLE.parent.glob("*.yaml"))}


def spelled_out(questions: Sequence[QuestionItem], path: PathFile) -> tuple[QuestionItem, ...]:
    """The questions with the statements of their misconceptions in the place of keys."""
    named = {one.key: one.statement for one in path.misconceptions}

    def spelled(items: Any) -> Any:
        return tuple(
            one.model_copy(update={"misconception": named[one.misconception]}) if one.misconception in named else one
            for one in items
        )

    groups = ("misconceptions", "criteria", "program_tests")
    return tuple(one.model_copy(update={name: spelled(getattr(one, name)) for name in groups}) for one in questions)


@pytest.fixture
async def paths(database: Database, tmp_path: Path) -> SqlPaths:
    paths = SqlPaths(database, lambda _: None, storage=LocalStorage(tmp_path))
    await paths.ensure_user(DEFAULT_USER_ID)
    return paths


@pytest.fixture
def exchange(database: Database) -> SqlPathExchange:
    return SqlPathExchange(database)


@pytest.mark.parametrize("example", EXAMPLES)
async def test_G5_what_is_exported_is_imported_as_the_same_path(
    paths: SqlPaths, exchange: SqlPathExchange, example: str
) -> None:
    first = await exchange.import_path(parse_path(EXAMPLES[example]), user_id=DEFAULT_USER_ID)
    exported = await exchange.export_path(first.id, user_id=DEFAULT_USER_ID)
    second = await exchange.import_path(exported, user_id=DEFAULT_USER_ID)
    assert await exchange.export_path(second.id, user_id=DEFAULT_USER_ID) == exported
    assert second.id != first.id


@pytest.mark.parametrize("example", EXAMPLES)
async def test_nothing_of_the_file_is_lost_on_the_way(paths: SqlPaths, exchange: SqlPathExchange, example: str) -> None:
    path = parse_path(EXAMPLES[example])
    branch = await exchange.import_path(path, user_id=DEFAULT_USER_ID)
    exported = await exchange.export_path(branch.id, user_id=DEFAULT_USER_ID)

    assert (exported.title, exported.topic) == (path.title, path.topic)
    for actual, given in zip(exported.concepts, path.concepts, strict=True):
        assert (actual.title, actual.desc) == (given.title, given.desc)
        assert [(part.title, part.desc) for part in actual.subconcepts] == [
            (part.title, part.desc) for part in given.subconcepts
        ]
        titles = {part.key: part.title for part in given.subconcepts}
        assert [(edge.source, edge.target) for edge in actual.edges] == [
            (titles[edge.source], titles[edge.target]) for edge in given.edges
        ]
        assert spelled_out(actual.questions, exported) == tuple(
            question.model_copy(update={"tests": tuple(titles[test] for test in question.tests)})
            for question in given.questions
        )


@pytest.mark.usefixtures("paths")
async def test_A11_tests_of_programs_and_accepted_terms_come_back_out(exchange: SqlPathExchange) -> None:
    tests = [{"before": "def shown(x):\n  print(x)", "typed": "3", "prints": "  *\n ***"}, {"after": "n", "gives": "3"}]
    asked = {"format": "open_ended", "tests": ["One"], "correct_answer": "print(3)", "difficulty": 2}
    path = PathFile.model_validate(
        {
            "sprout_path": 1,
            "title": "Programs",
            "topic": {"title": "Programs"},
            "concepts": [
                {
                    "title": "First",
                    "subconcepts": [{"title": "One"}],
                    "questions": [
                        {"prompt": "Write a program that draws a tree.", "program_tests": tests} | asked,
                        {
                            "prompt": "What is a name for a value called?",
                            "accepted": ["variable", "a variable"],
                            "misconceptions": [{"option": "function", "misconception": "mixes up names"}],
                        }
                        | asked,
                    ],
                }
            ],
        }
    )
    branch = await exchange.import_path(path, user_id=DEFAULT_USER_ID)
    exported = await exchange.export_path(branch.id, user_id=DEFAULT_USER_ID)
    program, term = exported.concepts[0].questions
    assert program == path.concepts[0].questions[0]
    assert term.accepted == ("variable", "a variable")
    assert spelled_out([term], exported)[0].misconceptions == path.concepts[0].questions[1].misconceptions


@pytest.mark.parametrize("example", sorted(EXAMPLES.keys() - {EXAMPLE.stem}))
def test_an_example_asks_about_every_part_and_shows_two_answers_to_what_is_asked_in_words(example: str) -> None:
    for concept in parse_path(EXAMPLES[example]).concepts:
        assert {name for question in concept.questions for name in question.tests} == {
            part.key for part in concept.subconcepts
        }
        in_words = [question for question in concept.questions if question.format == "open_ended"]
        assert in_words
        assert all(len(question.anchors) == 2 for question in in_words)


async def test_a_planted_path_is_listed_in_the_order_of_its_file(paths: SqlPaths, exchange: SqlPathExchange) -> None:
    path = parse_path(EXAMPLE.read_text())
    branch = await exchange.import_path(path, user_id=DEFAULT_USER_ID)
    (concepts,) = [summary.concepts for summary in await paths.summaries(DEFAULT_USER_ID) if summary.branch == branch]
    assert [(concept.title, concept.subconcept_count) for concept in concepts] == [
        (concept.title, len(concept.subconcepts)) for concept in path.concepts
    ]


async def test_no_agent_adds_unasked_to_what_the_file_gave_parts_to(paths: SqlPaths, exchange: SqlPathExchange) -> None:
    branch = await exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=DEFAULT_USER_ID)
    graph = await paths.graph(branch.id, user_id=DEFAULT_USER_ID)
    grown = {progress.node_id for progress in graph.progress if progress.has_generated_subnodes}
    assert grown == {node.id for node in graph.nodes if node.type != "subconcept"}


async def test_a_path_with_one_wrong_edge_leaves_nothing_behind(paths: SqlPaths, exchange: SqlPathExchange) -> None:
    before = await paths.branches(DEFAULT_USER_ID)
    broken = PathFile.model_validate(
        {
            "sprout_path": 1,
            "title": "Broken",
            "topic": {"title": "Broken"},
            "concepts": [{"title": "One"}],
            "edges": [{"from": "One", "to": "Two"}],
        }
    )
    with pytest.raises(InvalidPath):
        await exchange.import_path(broken, user_id=DEFAULT_USER_ID)
    assert await paths.branches(DEFAULT_USER_ID) == before


async def test_a_branch_that_is_not_there_and_one_without_a_topic_are_not_found(
    paths: SqlPaths, exchange: SqlPathExchange
) -> None:
    empty = await paths.create_branch("Nothing yet", user_id=DEFAULT_USER_ID)
    for branch_id in ("nowhere", empty.id):
        with pytest.raises(NotFound):
            await exchange.export_path(branch_id, user_id=DEFAULT_USER_ID)


async def test_another_learners_branch_is_not_found(paths: SqlPaths, exchange: SqlPathExchange) -> None:
    branch = await exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=DEFAULT_USER_ID)
    with pytest.raises(NotFound):
        await exchange.export_path(branch.id, user_id="somebody-else")
