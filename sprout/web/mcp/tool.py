"""Tool: endpoints of the API under a name that an assistant calls, with the arguments that they take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from sprout.accounts.principal import Principal
from sprout.errors import MissingRight, NotSignedIn
from sprout.web.endpoints.paths import PATHS
from sprout.web.endpoints.runs import RUNS
from sprout.web.endpoints.teaching import TEACHING
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.schemas.requests import RequestModel

Arguments = Mapping[str, object]
Results = dict[str, Any]
Json = dict[str, Any]
HIDDEN_ARGUMENTS = frozenset({"userId"})  # a caller is who the request proves
FOLLOW_DEFAULT_S, FOLLOW_MAX_S = 45, 600
_BY_OPERATION = {(endpoint.method, endpoint.path): endpoint for endpoint in (*PATHS, *TEACHING, *RUNS)}


class Notes(RequestModel):
    """A text that becomes a document, in place of the form that a page sends."""

    file_name: str = Field(
        default="notes.md", min_length=1, max_length=200, description="such as light.md or light.txt"
    )
    text: str = Field(min_length=1, description="the notes, as Markdown or plain text")


class Following(RequestModel):
    """How long a call follows a run, and from where."""

    seconds: int = Field(
        default=FOLLOW_DEFAULT_S,
        ge=1,
        le=FOLLOW_MAX_S,
        description="how long to follow the run; a longer one goes on and is followed further with follow_run",
    )
    after: int = Field(default=0, ge=0, description="the number of the last event that was seen")


@dataclass(frozen=True, slots=True)
class Step:
    """A request to an endpoint, one of those that a call of a tool makes.

    Args:
        result: the name that the response has in the tool's result.
        ids: path parameter → argument; the other arguments go by their names to the query and the body.
        chosen: values that are not the assistant's, made from the results of the steps before.
    """

    result: str
    endpoint: AnyEndpoint
    ids: Mapping[str, str] = field(default_factory=dict)
    chosen: Callable[[Results], Arguments] = lambda _: {}

    @property
    def models(self) -> tuple[type[BaseModel], ...]:
        """What its query and its body are made of."""
        form = (Notes,) if self.endpoint.form_field is not None else ()
        return (self.endpoint.query, self.endpoint.body, *form)


def field_names(model: type[BaseModel]) -> set[str]:
    """The names of its fields on the wire."""
    return {about.alias or name for name, about in model.model_fields.items()}


def step(
    result: str,
    method: str,
    path: str,
    ids: Mapping[str, str] | None = None,
    chosen: Callable[[Results], Arguments] = lambda _: {},
) -> Step:
    """The step to the endpoint with this method and path."""
    return Step(result, _BY_OPERATION[method, path], ids or {}, chosen)


@dataclass(frozen=True, slots=True)
class Tool:
    """What an assistant can call.

    Args:
        hides: arguments of its endpoints that it does not offer.
        reads: whether it changes nothing.
        takes_away: whether it ends something.
        repeatable: whether calling it again changes nothing more.
        follows: the result that is a run, which a call follows; its steps come first.
    """

    name: str
    title: str
    description: str
    steps: tuple[Step, ...]
    hides: frozenset[str] = frozenset()
    reads: bool = False
    takes_away: bool = False
    repeatable: bool = False
    follows: str | None = None

    def is_for(self, caller: Principal) -> bool:
        """Whether the caller may make all of its requests."""
        try:
            for each in self.steps:
                each.endpoint.access.admit(caller)
        except (MissingRight, NotSignedIn):
            return False
        return True

    @property
    def arguments(self) -> set[str]:
        """The names of its arguments."""
        names = set(self.ids).union(*map(field_names, self._models()))
        return names - HIDDEN_ARGUMENTS - self.hides

    def input_schema(self) -> Json:
        """The JSON Schema of its arguments, made from those of its endpoints, which takes some milliseconds."""
        arguments, required = self.arguments, list(self.ids)
        properties: Json = {}
        for model in self._models():
            schema = model.model_json_schema(by_alias=True)
            offered = {name: _slim(about) for name, about in schema.get("properties", {}).items() if name in arguments}
            properties |= offered
            required += [name for name in schema.get("required", []) if name in offered]
        properties |= {name: {"type": "string", "description": ID_TEXTS[name]} for name in self.ids}
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    @property
    def ids(self) -> tuple[str, ...]:
        """Arguments that stand in the addresses of its requests."""
        return tuple(dict.fromkeys(argument for each in self.steps for argument in each.ids.values()))

    def _models(self) -> list[type[BaseModel]]:
        of_steps = [model for each in self.steps for model in each.models]
        return [*of_steps, Following] if self.follows is not None else of_steps


def _slim(schema: Json) -> Json:
    """Without what an assistant has no use for: a title, and null beside the one kind of value."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name not in ("title", "anyOf") and value is not None}
    return (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {}) | rest


ID_TEXTS = {
    "branchId": "the id of a path, from list_paths",
    "topicId": "the id of a path's node of the type root, from create_path or read_path",
    "nodeId": "the id of a topic, a concept or a part of one, from read_path",
    "conceptId": "the id of a node of the type concept, from read_path",
    "runId": "the id of a run, from grow_path, open_concept or read_path",
    "assessmentId": "the id of a diagnostic, from read_questions",
    "answerId": "the id of an answer, from answer_question",
    "sessionId": "the id of a session of reviews, from start_review",
}
