"""Statements of xAPI 1.0.3, made of facts: the same fact is the same statement, with the same id, however often.

Source: the Experience API, version 1.0.3, part two. The verbs and types of activities are ADL's, and where ADL has
none, those of the Tin Can registry and of Activity Streams.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID, uuid5

from pydantic import JsonValue

from sprout.events import wire_time
from sprout.learning.xapi.facts import Fact, Kind, Verb

VERSION = "1.0.3"
LOCAL_HOME = "http://localhost"

_NAMESPACE = UUID("6d0f6a3c-5f0e-5b0b-9a53-6a3f2f3f7c11")
_VERBS = {
    Verb.ANSWERED: "http://adlnet.gov/expapi/verbs/answered",
    Verb.MASTERED: "http://adlnet.gov/expapi/verbs/mastered",
    Verb.COMPLETED: "http://adlnet.gov/expapi/verbs/completed",
    Verb.REVIEWED: "http://id.tincanapi.com/verb/reviewed",
}
_TYPES: dict[Kind, str] = {
    "question": "http://adlnet.gov/expapi/activities/question",
    "part": "http://adlnet.gov/expapi/activities/objective",
    "concept": "http://adlnet.gov/expapi/activities/lesson",
    "path": "http://adlnet.gov/expapi/activities/course",
}
VOIDED = "http://adlnet.gov/expapi/verbs/voided"
_CLASS_TYPE = "http://activitystrea.ms/schema/1.0/group"
_ANY_LANGUAGE = "und"


@dataclass(frozen=True, slots=True)
class StatementWriter:
    """Writes facts as statements.

    Args:
        public_url: the server's address, under which its activities have their ids; without one they are URNs.
    """

    public_url: str | None

    def statements(self, facts: Iterable[Fact], *, with_names: bool = False) -> list[JsonValue]:
        """A statement for each fact.

        Args:
            with_names: name learners as their class knows them; else there is the opaque id of their account alone.
        """
        return [self._statement(fact, with_names) for fact in facts]

    def voidings(self, statement_ids: Iterable[str]) -> list[JsonValue]:
        """Statements of the server that void these; a statement is voided by the same one, however often."""
        return [self._voiding(statement_id) for statement_id in statement_ids]

    def _voiding(self, voided_id: str) -> JsonValue:
        return {
            "id": str(uuid5(_NAMESPACE, f"voided|{voided_id}")),
            "actor": {
                "objectType": "Agent",
                "name": "Sprout",
                "account": {"homePage": self.public_url or LOCAL_HOME, "name": "sprout"},
            },
            "verb": {"id": VOIDED, "display": {"en": "voided"}},
            "object": {"objectType": "StatementRef", "id": voided_id},
        }

    def _statement(self, fact: Fact, with_names: bool) -> JsonValue:
        return {
            "id": statement_id(fact),
            "timestamp": wire_time(fact.at),
            "actor": self._actor(fact, with_names),
            "verb": {"id": _VERBS[fact.verb], "display": {"en": fact.verb.value}},
            "object": self._activity(fact.kind, _TYPES[fact.kind], fact.object_id, fact.title),
            "result": _result(fact),
            "context": {"platform": "Sprout", "contextActivities": self._around(fact)},
        }

    def _actor(self, fact: Fact, with_names: bool) -> JsonValue:
        actor: dict[str, JsonValue] = {
            "objectType": "Agent",
            "account": {"homePage": self.public_url or LOCAL_HOME, "name": fact.user_id},
        }
        if with_names and fact.display_name:
            actor["name"] = fact.display_name
        return actor

    def _around(self, fact: Fact) -> dict[str, JsonValue]:
        path = self._activity("path", _TYPES["path"], fact.path.id, fact.path.title)
        grouping = [path] if fact.kind != "path" else []
        if fact.of_class is not None:
            grouping.append(self._activity("class", _CLASS_TYPE, fact.of_class.id, fact.of_class.title))
        around: dict[str, JsonValue] = {}
        if fact.concept is not None:
            around["parent"] = [self._activity("concept", _TYPES["concept"], fact.concept.id, fact.concept.title)]
        if grouping:
            around["grouping"] = [*grouping]
        return around

    def _activity(self, kind: str, type_: str, id_: str, title: str | None) -> JsonValue:
        definition: dict[str, JsonValue] = {"type": type_}
        if title:
            definition["name"] = {_ANY_LANGUAGE: title}
        where = f"urn:sprout:{kind}:{id_}" if self.public_url is None else f"{self.public_url}/xapi/{kind}/{id_}"
        return {"objectType": "Activity", "id": where, "definition": definition}


def statement_id(fact: Fact) -> str:
    """The id of the fact's statement. A class's statement is not that of the learner's own file: it says more.

    An answer that is marked anew is a new fact, since a stored statement cannot change; and one whose statement was
    voided is too, since a voided one stays so.
    """
    of_class = fact.of_class.id if fact.of_class else ""
    score = "" if fact.score is None or fact.verb is not Verb.ANSWERED else f"{fact.score:.6f}"
    anew = (str(fact.marking),) if fact.marking else ()
    return str(uuid5(_NAMESPACE, "|".join((of_class, fact.verb, fact.source_id, wire_time(fact.at), score, *anew))))


def _result(fact: Fact) -> JsonValue:
    result: dict[str, JsonValue] = {}
    if fact.score is not None:
        result["score"] = {"scaled": round(fact.score, 4)}
    if fact.success is not None:
        result["success"] = fact.success
    result["completion"] = True
    if fact.seconds is not None:
        result["duration"] = f"PT{fact.seconds:.2f}S"
    return result
