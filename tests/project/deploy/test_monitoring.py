"""Prometheus rules and the Grafana dashboard: what they name is what /metrics gives."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from sprout.app import Sprout, open_app
from sprout.config import load_settings
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import RunState
from sprout.telemetry.observed_run import ANSWERED, STOPPED
from tests.project.deploy.promql import Named, names_in

DEPLOY = Path(__file__).parents[3] / "deploy"
GROUPS = yaml.safe_load((DEPLOY / "prometheus" / "rules.yaml").read_text())["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
RECORDS = {rule["record"]: names_in(rule["expr"]).grouped_by for rule in RULES if "record" in rule}
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}
DASHBOARD = json.loads((DEPLOY / "grafana" / "sprout.json").read_text())
ADDED_BY_PROMETHEUS = {"instance"}
FOUR = {
    "sprout:waiting_runs",
    "sprout:oldest_waiting_run_seconds",
    "sprout:open_streams",
    "sprout:model_errors:ratio5m",
}


def queries() -> dict[str, Named]:
    """What each expression names, by where it stands."""
    found = {
        name: names_in(rule["expr"], rule.get("annotations", {}).values())
        for rule in RULES
        for name in (rule.get("record"), rule.get("alert"))
        if name
    }
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            found[f"{panel['title']}, {target['refId']}"] = names_in(target["expr"], [target["legendFormat"]])
    return found


QUERIES = queries()


@pytest.fixture(scope="module")
async def exposed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The labels of every metric that a server exposes during a run and after it."""
    folder = tmp_path_factory.mktemp("metrics")
    settings = load_settings(
        data_dir=folder, api_key=None, base_url=None, database_url="", offline_tokens_per_s=100_000.0
    )
    found: dict[str, set[str]] = {}
    async with open_app(settings) as sprout:
        title = sprout.coverage.courses()[0].title
        branch = await sprout.stores.paths.create_branch(title, user_id=DEFAULT_USER_ID)
        node = await sprout.stores.paths.create_node(
            user_id=DEFAULT_USER_ID, type="root", title=title, branch_id=branch.id, parent_id=None, desc=None
        )
        run = (await sprout.runs.start("topic", node=node, user_id=DEFAULT_USER_ID)).run
        async for _ in sprout.runs.follow(run.root_id):
            await add_labels(sprout, found)
        await add_labels(sprout, found)
    return found


async def add_labels(sprout: Sprout, found: dict[str, set[str]]) -> None:
    body, _ = await sprout.exposition("")
    for family in text_string_to_metric_families(body.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)


@pytest.mark.parametrize("place", QUERIES)
async def test_X7_every_metric_and_label_that_is_named_exists(place: str, exposed: dict[str, set[str]]) -> None:
    there = exposed | RECORDS
    named = QUERIES[place]
    assert named.metrics <= there.keys()
    assert named.labels <= ADDED_BY_PROMETHEUS.union(*(there[metric] for metric in named.metrics))


def test_every_value_that_a_label_is_compared_with_can_be_one() -> None:
    can_be = {"outcome": {ANSWERED, STOPPED}, "state": {state.value for state in RunState}}
    for named in QUERIES.values():
        for label, values in named.values.items():
            assert values <= can_be[label]


def test_X7_the_four_numbers_are_recorded_shown_first_and_watched() -> None:
    assert RECORDS.keys() >= FOUR
    shown = [panel for panel in DASHBOARD["panels"] if panel["type"] == "stat"]
    assert {name for panel in shown for target in panel["targets"] for name in names_in(target["expr"]).metrics} == FOUR
    assert set().union(*(names_in(alert["expr"]).metrics for alert in ALERTS.values())) >= FOUR


def test_every_alert_says_how_urgent_it_is_and_what_to_do() -> None:
    for alert in ALERTS.values():
        assert alert["labels"]["severity"] in ("page", "ticket")
        assert alert["annotations"].keys() == {"summary", "action"}
        assert "for" in alert


def test_a_misspelt_expression_is_found() -> None:
    with pytest.raises(ValueError, match="unclosed left parenthesis"):
        names_in("sum(sprout_runs")


def test_panels_do_not_overlap() -> None:
    cells = [
        (column, row)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for column in range(place["x"], place["x"] + place["w"])
        for row in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(column for column, _ in cells) < 24
