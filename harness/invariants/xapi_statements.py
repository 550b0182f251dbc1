"""Rules of xAPI 1.0.3 for statements, as a record store checks them (part two of the specification, section 2)."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

STATEMENT = {
    "id",
    "actor",
    "verb",
    "object",
    "result",
    "context",
    "timestamp",
    "stored",
    "authority",
    "version",
    "attachments",
}
CONTEXT = {
    "registration", "instructor", "team", "contextActivities", "revision", "platform", "language", "statement",
    "extensions",
}  # fmt: skip
DEFINITION = {
    "name", "description", "type", "moreInfo", "extensions", "interactionType", "correctResponsesPattern",
    "choices", "scale", "source", "target", "steps",
}  # fmt: skip
RESULT = {"score", "success", "completion", "response", "duration", "extensions"}
IDENTIFIERS = {"mbox", "mbox_sha1sum", "openid", "account"}
VOIDED = "http://adlnet.gov/expapi/verbs/voided"
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
DURATION = re.compile(r"P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?|P\d+W")


def faults_of(statement: Any) -> list[str]:
    """Reasons why a record store would refuse the statement; empty if none."""
    found: list[str] = []

    def demand(fulfilled: bool, what: str) -> None:
        if not fulfilled:
            found.append(what)

    if not isinstance(statement, dict):
        return ["no object"]
    demand(statement.keys() <= STATEMENT, f"unknown: {statement.keys() - STATEMENT}")
    demand(statement.keys() >= {"actor", "verb", "object"}, "lacks actor, verb or object")
    demand(_no_nulls(statement), "has a null")
    demand(_fits(UUID, statement.get("id")), "id is no UUID")
    demand(_is_time(statement.get("timestamp", "2026-11-27T00:00Z")), "timestamp is none with a zone")
    _check_actor(statement.get("actor"), demand)
    verb = _mapping(statement.get("verb"))
    demand(_is_iri(verb.get("id")) and verb.keys() <= {"id", "display"}, "verb")
    demand(_is_language_map(verb.get("display", {})), "display of the verb")
    if verb.get("id") == VOIDED:
        _check_reference(statement.get("object"), demand)
    else:
        demand("timestamp" in statement, "lacks a timestamp")
        _check_activity(statement.get("object"), demand, "object")
    _check_result(_mapping(statement.get("result", {})), demand)
    _check_context(_mapping(statement.get("context", {})), demand)
    return found


def _check_actor(actor: Any, demand: Callable[[bool, str], None]) -> None:
    actor = _mapping(actor)
    demand(actor.get("objectType", "Agent") == "Agent", "actor is no agent")
    demand(len(actor.keys() & IDENTIFIERS) == 1, "actor has not one identifier")
    demand(actor.keys() <= {"objectType", "name"} | IDENTIFIERS, "actor has more")
    account = _mapping(actor.get("account"))
    demand(account.keys() == {"homePage", "name"} and _is_iri(account.get("homePage")), "account")
    demand(isinstance(account.get("name"), str) and account.get("name") != "", "name of the account")


def _check_activity(activity: Any, demand: Callable[[bool, str], None], where: str) -> None:
    activity = _mapping(activity)
    demand(activity.keys() <= {"objectType", "id", "definition"}, f"{where} has more")
    demand(activity.get("objectType", "Activity") == "Activity" and _is_iri(activity.get("id")), f"{where}: id")
    definition = _mapping(activity.get("definition", {}))
    demand(definition.keys() <= DEFINITION, f"{where}: definition has more")
    demand("type" not in definition or _is_iri(definition["type"]), f"{where}: type")
    demand(all(_is_language_map(definition.get(one, {})) for one in ("name", "description")), f"{where}: name")


def _check_reference(reference: Any, demand: Callable[[bool, str], None]) -> None:
    """A voiding statement is about another statement."""
    reference = _mapping(reference)
    demand(reference.keys() == {"objectType", "id"}, "reference has more or less")
    demand(reference.get("objectType") == "StatementRef" and _fits(UUID, reference.get("id")), "reference")


def _check_result(result: Mapping[str, Any], demand: Callable[[bool, str], None]) -> None:
    demand(result.keys() <= RESULT, "result has more")
    demand(all(isinstance(result.get(one, True), bool) for one in ("success", "completion")), "success, completion")
    score = _mapping(result.get("score", {}))
    demand(score.keys() <= {"scaled", "raw", "min", "max"}, "score has more")
    scaled = score.get("scaled", 0)
    demand(isinstance(scaled, int | float) and not isinstance(scaled, bool) and -1 <= scaled <= 1, "scaled")
    demand(DURATION.fullmatch(result.get("duration", "PT0S")) is not None, "duration")


def _check_context(context: Mapping[str, Any], demand: Callable[[bool, str], None]) -> None:
    demand(context.keys() <= CONTEXT, "context has more")
    around = _mapping(context.get("contextActivities", {}))
    demand(around.keys() <= {"parent", "grouping", "category", "other"}, "contextActivities has more")
    for name, activities in around.items():
        demand(isinstance(activities, list) and len(activities) > 0, f"{name} is no list")
        for one in activities:
            _check_activity(one, demand, name)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _no_nulls(value: Any) -> bool:
    """Nulls are allowed in extensions alone, which these statements do not have."""
    if isinstance(value, dict):
        return all(map(_no_nulls, value.values()))
    return all(map(_no_nulls, value)) if isinstance(value, list) else value is not None


def _is_language_map(value: Any) -> bool:
    return isinstance(value, dict) and all(
        LANGUAGE.fullmatch(tag) and isinstance(text, str) for tag, text in value.items()
    )


def _is_iri(value: Any) -> bool:
    return isinstance(value, str) and bool(urlsplit(value).scheme) and not re.search(r'[\s<>"{}|\\^`]', value)


def _is_time(value: Any) -> bool:
    return (
        isinstance(value, str)
        and _fits(datetime.fromisoformat, value)
        and datetime.fromisoformat(value).tzinfo is not None
    )


def _fits(parse: Callable[[str], Any], value: Any) -> bool:
    try:
        parse(value)
    except (ValueError, TypeError, AttributeError):
        return False
    return True
