"""Statements of xAPI: what they say, that record stores take them, and that the same fact is the same statement."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from harness.invariants.xapi_statements import faults_of
from sprout.learning.xapi.facts import Fact, Kind, Place, Verb
from sprout.learning.xapi.statements import StatementWriter, statement_id

CLASS, PATH, CONCEPT = Place("c-1", "10b <b>“Ä”</b>"), Place("p-1", "Fractions"), Place("n-1", "Equal parts")
ANSWERED = Fact(
    verb=Verb.ANSWERED,
    source_id="a-1",
    at=datetime(2026, 11, 27, 15, 4, 5, 678_901, tzinfo=UTC),
    user_id="019ac",
    display_name="Anna",
    kind="question",
    object_id="q-1",
    title=None,
    path=PATH,
    concept=CONCEPT,
    of_class=CLASS,
    score=2 / 3,
    success=False,
    seconds=12.3456,
)
SCHOOL, LOCAL = StatementWriter("https://sprout.example"), StatementWriter(None)


def one(writer: StatementWriter, fact: Fact, **options: bool) -> Any:
    (statement,) = writer.statements([fact], **options)
    return cast(Any, statement)


def test_O2_an_answer_says_who_what_how_well_and_where() -> None:
    statement = one(SCHOOL, ANSWERED)
    base = "https://sprout.example"
    assert statement["timestamp"] == "2026-11-27T15:04:05.678Z"
    assert statement["actor"] == {"objectType": "Agent", "account": {"homePage": base, "name": "019ac"}}
    assert statement["verb"]["id"] == "http://adlnet.gov/expapi/verbs/answered"
    assert statement["object"]["id"] == f"{base}/xapi/question/q-1"
    assert statement["result"] == {
        "score": {"scaled": 0.6667}, "success": False, "completion": True, "duration": "PT12.35S",
    }  # fmt: skip
    around = statement["context"]["contextActivities"]
    assert [(at["id"], at["definition"]["name"]["und"]) for at in around["parent"]] == [
        (f"{base}/xapi/concept/n-1", "Equal parts")
    ]
    assert [at["id"] for at in around["grouping"]] == [f"{base}/xapi/path/p-1", f"{base}/xapi/class/c-1"]


@pytest.mark.parametrize("writer", [SCHOOL, LOCAL])
@pytest.mark.parametrize(("verb", "kind"), [*((each, "concept") for each in Verb), (Verb.COMPLETED, "path")])
def test_O2_a_record_store_takes_every_statement(writer: StatementWriter, verb: Verb, kind: Kind) -> None:
    fact = replace(ANSWERED, verb=verb, kind=kind, title="Halves", concept=None)
    bare = replace(fact, title="", of_class=None, score=None, success=None, seconds=None, display_name=None)
    assert [faults_of(one(writer, each, with_names=True)) for each in (ANSWERED, fact, bare)] == [[], [], []]


def test_O2_the_rules_of_a_record_store_do_refuse() -> None:
    good = one(SCHOOL, ANSWERED)
    bad: list[dict[str, Any]] = [
        {**good, "id": "a-1"},
        {**good, "timestamp": "2026-11-27 15:04"},
        {**good, "class": "10b"},
        {**good, "actor": {**good["actor"], "mbox": "mailto:anna@example.org"}},
        {**good, "verb": {"id": "answered"}},
        {**good, "object": {"id": "question 1"}},
        {**good, "result": {"score": {"scaled": 66.7}}},
        {**good, "result": {"duration": "12 s"}},
        {**good, "result": {"success": None}},
        {**good, "context": {"contextActivities": {"parent": []}}},
    ]
    assert all(map(faults_of, bad))


def test_O2_a_name_goes_along_only_if_it_shall() -> None:
    assert "Anna" not in str(one(SCHOOL, ANSWERED))
    assert one(SCHOOL, ANSWERED, with_names=True)["actor"]["name"] == "Anna"


def test_O2_a_fact_has_one_id_for_ever_and_another_fact_another() -> None:
    # A stored statement is known by this id: a release that made another one would send everything twice.
    assert statement_id(ANSWERED) == "ba3927f8-7433-56ee-8c78-c4e46d33887f"
    assert statement_id(replace(ANSWERED, title="renamed", path=PATH, display_name="A.")) == statement_id(ANSWERED)
    others = [
        replace(ANSWERED, source_id="a-2"),
        replace(ANSWERED, score=1.0),
        replace(ANSWERED, verb=Verb.REVIEWED),
        replace(ANSWERED, of_class=None),
        replace(ANSWERED, at=ANSWERED.at.replace(minute=5)),
    ]
    assert len({statement_id(each) for each in (ANSWERED, *others)}) == 6


def test_O2_without_an_address_activities_are_urns() -> None:
    assert one(LOCAL, ANSWERED)["object"]["id"] == "urn:sprout:question:q-1"
