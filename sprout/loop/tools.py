"""Tools: declared once, offered to a model, called with checked input."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, create_model

from sprout.errors import SproutError
from sprout.loop.encoding.surrogates import replace_surrogates
from sprout.loop.input_mending import mend_input, shown_schema
from sprout.loop.model import Block, Image, Text, ToolSpec, ToolUse


class Effect(StrEnum):
    """READ is safe to repeat and may run at the same time as other reads; WRITE waits for all before it."""

    READ = "read"
    WRITE = "write"


class Profile(IntEnum):
    """Which tools a run may call, from the fewest to all; a tool of one profile is in every larger one too."""

    CONVERSATIONAL = 1
    STANDARD = 2
    FULL = 3


class BadTool(SproutError):
    """A tool that cannot be declared; raised when it is made, not when it is called."""


class BadToolInput(SproutError):
    """The model's input does not fit; the message names each field at fault."""


ToolFunction = Callable[..., Awaitable[object]]
ResultMemory = Callable[..., str | None]

UNCHANGED = "unchanged"  # a field of a tool's result: true where all is kept as it is, which is a success
MENDED = "mended"  # a field of a tool's result: what was put right in the call, for the model to learn


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call; it returns text, blocks (Text, Image), or anything that JSON can say.

    Args:
        input_model: checks the input.
        schema: its JSON schema, which is what the model sees.
        idempotent: whether a transient failure may be retried; None means as the effect: reads yes, writes no.
        timeout_s: None means the policy's.
        secret: fields of the input that never reach an event.
        stored: what it changes and the end of its call are committed in one transaction, or it changes nothing: a
            call without an end has had no effect. A DatabaseBusy that it raises says that the transaction was rolled
            back, so the call is tried again.
        repeatable: calling it many times is its normal use (saving concepts, edges), not going in circles.
        ends_turn: when its batch ran without an error the run ends, with no further model call.
        spoken: the fields of the input that are the learner's text, streamed while the model writes them; a blank line
            parts them.
        profile: the smallest profile that has this tool; essential tools are of the smallest one.
        memory: what a successful result says of the learner, in a sentence that they may read, or None. It is given the
            subject of the tool, if it has one, and the result: as JSON, or as the text that it is.
        call_parameter: the name of the function's parameter that is given the call itself.
        of: the type of what `about` puts in the place of the function's first parameter; None where it has none.
    """

    name: str
    description: str
    input_model: type[BaseModel]
    schema: Mapping[str, JsonValue]
    function: ToolFunction
    effect: Effect = Effect.READ
    idempotent: bool | None = None
    timeout_s: float | None = None
    secret: frozenset[str] = frozenset()
    stored: bool = False
    repeatable: bool = False
    ends_turn: bool = False
    spoken: tuple[str, ...] = ()
    profile: Profile = Profile.STANDARD
    memory: ResultMemory | None = None
    call_parameter: str | None = None
    of: type | None = None

    def about(self, subject: object) -> "Tool":
        """The tool of one subject, such as a turn of a conversation: its schema was made once, for all of them.

        Raises BadTool: it was declared without `of`, or of another type.
        """
        if self.of is None or not isinstance(subject, self.of):
            wanted = "nothing" if self.of is None else f"a {self.of.__name__}"
            raise BadTool(f"tool {self.name!r} is about {wanted}, not about a {type(subject).__name__}")
        memory = None if self.memory is None else partial(self.memory, subject)
        return replace(self, function=partial(self.function, subject), memory=memory, of=None)

    @property
    def retryable(self) -> bool:
        return self.effect is Effect.READ if self.idempotent is None else self.idempotent

    @property
    def retryable_when_busy(self) -> bool:
        """Whether a call that the database had no room for may be retried."""
        return self.retryable or self.stored

    @property
    def restartable(self) -> bool:
        """Whether a call whose end is unknown may begin again."""
        return self.effect is Effect.READ or self.retryable_when_busy

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.schema)

    def checked(self, call: ToolUse) -> BaseModel:
        """The call's input, checked. Raises BadToolInput."""
        try:
            return self.input_model.model_validate(dict(call.input))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(str(step) for step in fault['loc']) or 'input'}: {fault['msg']}" for fault in error.errors()
            )
            raise BadToolInput(f"The input of {self.name} does not fit. {faults}") from None

    def mend(self, call: ToolUse) -> tuple[ToolUse, tuple[str, ...]]:
        """The call with an input that fits as far as a person would understand it, and what was mended."""
        try:
            self.input_model.model_validate(dict(call.input))
        except ValidationError:
            mended, notes = mend_input(self.input_model.model_json_schema(), call.input)
            return replace(call, input=mended), notes
        return call, ()

    def shown_input(self, call: ToolUse) -> dict[str, JsonValue]:
        """The input as people may see it: without secret fields, and without any that the tool does not know."""
        known: Any = self.schema.get("properties") or {}
        return {field: value for field, value in call.input.items() if field in known and field not in self.secret}

    async def run(self, checked: BaseModel, call: ToolUse) -> object:
        given = {name: getattr(checked, name) for name in self.input_model.model_fields}
        if self.call_parameter is not None:
            given[self.call_parameter] = call
        return await self.function(**given)


def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = Effect.READ,
    idempotent: bool | None = None,
    timeout_s: float | None = None,
    secret: frozenset[str] = frozenset(),
    stored: bool = False,
    repeatable: bool = False,
    ends_turn: bool = False,
    spoken: str | tuple[str, ...] = (),
    profile: Profile = Profile.STANDARD,
    memory: ResultMemory | None = None,
    of: type | None = None,
) -> Callable[[ToolFunction], Tool]:
    """Make a tool of an async function: its parameters are the input, its docstring the description.

    A parameter annotated `ToolUse` is given the call itself and is not part of the input.

    Args:
        of: the type of the first parameter, which is not part of the input either: `Tool.about` gives it.

    Raises BadTool when no schema can be made.
    """

    def made(function: ToolFunction) -> Tool:
        text = description or inspect.getdoc(function)
        if not text:
            raise BadTool(f"tool {function.__name__!r} has neither a description nor a docstring")
        input_model, schema, call_parameter = _read_signature(function, of)
        fields = (spoken,) if isinstance(spoken, str) else spoken
        if missing := [field for field in fields if field not in input_model.model_fields]:
            raise BadTool(f"tool {function.__name__!r} has no field {missing[0]!r} that could be spoken")
        return Tool(
            name=name or function.__name__,
            description=text,
            input_model=input_model,
            schema=schema,
            function=function,
            effect=effect,
            idempotent=idempotent,
            timeout_s=timeout_s,
            secret=secret,
            stored=stored,
            repeatable=repeatable,
            ends_turn=ends_turn,
            spoken=fields,
            profile=profile,
            memory=memory,
            call_parameter=call_parameter,
            of=of,
        )

    return made


# By the function's name, with the fields that it was made of: an agent declares its tools anew for each run.
_INPUT_MODELS: dict[str, tuple[dict[str, Any], type[BaseModel], Mapping[str, JsonValue]]] = {}


def _read_signature(
    function: ToolFunction, of: type | None
) -> tuple[type[BaseModel], Mapping[str, JsonValue], str | None]:
    fields: dict[str, Any] = {}
    call_parameter: str | None = None
    try:
        hints = get_type_hints(function, include_extras=True)
        for at, parameter in enumerate(inspect.signature(function).parameters.values()):
            hint = hints[parameter.name]
            if of is not None and at == 0:
                if hint is not of:
                    raise TypeError(f"its first parameter is no {of.__name__}")
            elif hint is ToolUse:
                call_parameter = parameter.name
            else:
                fields[parameter.name] = (hint, ... if parameter.default is parameter.empty else parameter.default)
        made = _INPUT_MODELS.get(function.__qualname__)
        if made is None or made[0] != fields:
            made = _INPUT_MODELS[function.__qualname__] = (fields, *_input_model(f"{function.__name__}_input", fields))
    except Exception as error:
        raise BadTool(f"no schema can be made for tool {function.__name__!r}: {error}") from error
    _, model, schema = made
    return model, schema, call_parameter


def _input_model(name: str, fields: dict[str, Any]) -> tuple[type[BaseModel], Mapping[str, JsonValue]]:
    model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return model, shown_schema(model.model_json_schema())


def result_content(output: object) -> str | tuple[Text | Image, ...]:
    """A tool's output as a result block holds it: text stays, blocks stay, anything else becomes JSON."""
    if isinstance(output, str):
        return replace_surrogates(output)
    if isinstance(output, (list, tuple)) and output and all(isinstance(item, (Text, Image)) for item in output):
        blocks = (Text(replace_surrogates(item.text)) if isinstance(item, Text) else item for item in output)
        return tuple(item for item in blocks if isinstance(item, Image) or item.text.strip()) or ""
    return replace_surrogates(json.dumps(output, ensure_ascii=False))


def with_notes(output: object, notes: Sequence[str]) -> object:
    """A tool's output with what was mended in its call."""
    if not notes:
        return output
    if isinstance(output, Mapping):
        return {**output, MENDED: [*output.get(MENDED, ()), *notes]}
    if isinstance(output, str):
        return f"{output}\n(Mended: {'; '.join(notes)})"
    blocks: tuple[Block, ...] = (Text(f"(Mended: {'; '.join(notes)})"),)
    if isinstance(output, (list, tuple)) and output and all(isinstance(item, (Text, Image)) for item in output):
        return (*output, *blocks)
    return {"result": output, MENDED: [*notes]}


def says_unchanged(result: str) -> bool:
    """Whether a result says that all is kept as it is: a JSON object whose field `unchanged` is true."""
    if UNCHANGED not in result:  # results may be large, and few of them say it
        return False
    try:
        output = json.loads(result)
    except (ValueError, RecursionError):
        return False
    return isinstance(output, dict) and output.get(UNCHANGED) is True
