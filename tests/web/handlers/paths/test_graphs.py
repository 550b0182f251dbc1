"""Whole paths over HTTP: planted with one request, given out as one file (G5)."""

import copy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.servers.web import Web
from sprout.learning.paths.path_file import parse_path, validate_path
from sprout.yaml_loader import load_yaml

EXAMPLES = Path(__file__).parents[4] / "examples"
FRACTIONS: dict[str, Any] = load_yaml((EXAMPLES / "fractions.yaml").read_text(encoding="utf-8"))


async def test_G5_a_path_that_was_planted_comes_out_as_it_went_in(own_web: Web) -> None:
    made = await own_web.client.post("/api/graphs", json=FRACTIONS)
    assert made.status_code == 201, made.text
    planted = made.json()
    wanted = validate_path(FRACTIONS)
    assert planted["concepts"] == len(wanted.concepts)
    assert planted["questions"] == sum(len(concept.questions) for concept in wanted.concepts) > 0
    address = f"/api/graphs/{planted['branch']['id']}"
    first = await own_web.client.get(address, params={"answers": "true"})
    again = await own_web.client.post("/api/graphs", json=first.json())
    second = await own_web.client.get(f"/api/graphs/{again.json()['branch']['id']}", params={"answers": "true"})
    assert second.json() == first.json()
    as_yaml = await own_web.client.get(address, params={"answers": "true", "format": "yaml"})
    assert as_yaml.headers["content-type"].startswith("application/yaml")
    assert parse_path(as_yaml.text) == validate_path(first.json())


async def test_Q6_without_being_asked_for_them_no_answers_come_out(own_web: Web) -> None:
    made = (await own_web.client.post("/api/graphs", json=FRACTIONS)).json()
    shown = await own_web.client.get(f"/api/graphs/{made['branch']['id']}")
    assert [concept["title"] for concept in shown.json()["concepts"]] == [one["title"] for one in FRACTIONS["concepts"]]
    questions = [question for concept in FRACTIONS["concepts"] for question in concept["questions"]]
    secrets = [words for one in questions for words in (one["correct_answer"], *one["solution"])]
    assert "questions" not in shown.text
    assert not [secret for secret in secrets if len(str(secret)) > 20 and str(secret) in shown.text]
    assert (await own_web.client.post("/api/graphs", json=shown.json())).status_code == 201


async def test_G5_a_path_with_faults_is_refused_whole_and_every_item_is_named(own_web: Web) -> None:
    broken = copy.deepcopy(FRACTIONS)
    broken["concepts"][0]["title"] = ""
    broken["concepts"][1]["colour"] = "green"
    refused = await own_web.client.post("/api/graphs", json=broken)
    assert refused.status_code == 400
    assert "concepts.0.title" in refused.json()["error"]
    assert "concepts.1.colour" in refused.json()["error"]
    circle = copy.deepcopy(FRACTIONS)
    titles = [concept["title"] for concept in circle["concepts"][:2]]
    circle["edges"] = [{"from": titles[0], "to": titles[1]}, {"from": titles[1], "to": titles[0]}]
    refused = await own_web.client.post("/api/graphs", json=circle)
    assert (refused.status_code, "cycle" in refused.json()["error"]) == (400, True)
    assert (await own_web.client.get("/api/branches/summary")).json() == [], "nothing is half planted"


async def test_the_schema_of_a_path_is_served_and_true(own_web: Web) -> None:
    schema = (await own_web.client.get("/api/schema/graph")).json()
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid({"sprout_path": 1, "title": "a", "topic": {"title": "a"}})
    assert not Draft202012Validator(schema).is_valid({"sprout_path": 2, "title": "a", "topic": {"title": "a"}})


@pytest.mark.parametrize("path", ["/api/graphs/nothing", "/api/graphs/nothing?answers=true&format=yaml"])
async def test_a_branch_that_is_not_there_is_404(web: Web, path: str) -> None:
    missing = await web.client.get(path)
    assert (missing.status_code, list(missing.json())) == (404, ["error", "code"])
