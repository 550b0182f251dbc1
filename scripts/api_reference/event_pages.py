"""The page about events: how they are streamed, and what each one says."""

from pathlib import Path
from typing import Any, get_args

from scripts.api_reference.contract import EVENTS as CONTRACT
from scripts.api_reference.field_tables import ANYTHING, description_of, response_fields, table
from scripts.api_reference.sample_events import RUN, sample_events
from sprout.events import EVENT, Event, wire_data
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import EphemeralEvent
from sprout.web.stream.sse import frame

Json = dict[str, Any]
STREAMS = Path(__file__).with_name("streams.md")
COMMON = ("agent", "runId", "at")
SEQ = 17


class MissingDescription(Exception):
    """An event is not described; the message says where to describe it."""


def event_classes() -> list[type[Any]]:
    """The classes of the union, in its order."""
    return list(get_args(get_args(Event)[0]))


def events_page() -> list[str]:
    """The page, line by line. Raises MissingDescription."""
    samples: dict[str, Event] = {event.kind: event for event in sample_events()}
    schemas = EVENT.json_schema(by_alias=True, mode="serialization")["$defs"]
    lines = [STREAMS.read_text(encoding="utf-8").rstrip("\n"), "", "## All events", ""]
    classes = event_classes()
    for described in classes:
        check_descriptions(described, samples)
    kinds = [described.model_fields["kind"].default for described in classes]
    lines += table(
        ("event", "what it says", "id", "contract"),
        [
            (f"[`{kind}`](#{kind})", _first_sentence(one), "yes" if one.durable else "", _contract_fields(kind))
            for kind, one in zip(kinds, classes, strict=True)
        ],
    )
    lines += ["", "These fields are in every event, where there is something to say:", ""]
    lines += response_fields({"properties": {n: schemas["AgentStart"]["properties"][n] for n in COMMON}})
    for kind, one in zip(kinds, classes, strict=True):
        lines += ["", *_event(kind, one, schemas[one.__name__], samples[kind])]
    lines += ["", "## What events are made of"]
    for name in sorted(schemas.keys() - {ANYTHING, *(one.__name__ for one in classes)}):
        description = schemas[name].get("description", "")
        lines += ["", f"### {name}", "", *([description_of({"description": description}), ""] if description else [])]
        lines += response_fields(schemas[name], shapes="")
    return lines


def check_descriptions(described: type[Any], samples: dict[str, Event]) -> None:
    """Raises MissingDescription where an event has no docstring or no example."""
    kind = described.model_fields["kind"].default
    if not described.__dict__.get("__doc__"):
        raise MissingDescription(
            f"sprout/events.py: say in the docstring of {described.__name__} what {kind} means, and when."
        )
    if kind not in samples:
        raise MissingDescription(f"scripts/api_reference/sample_events.py: add an example of {kind}.")


def frame_of(event: Event) -> str:
    """The event as it goes over the wire, with a number where it is stored."""
    data = wire_data(event)
    events = (
        StoredEvent(RUN, SEQ, event.kind, data, RUN) if type(event).durable else EphemeralEvent(RUN, event.kind, data)
    )
    return frame(events).decode().rstrip("\n")


def _event(kind: str, described: type[Any], schema: Json, sample: Event) -> list[str]:
    own = {name: field for name, field in schema["properties"].items() if name not in (*COMMON, "kind")}
    lines = [f"### {kind}", "", " ".join(str(described.__doc__).split())]
    if own:
        lines += ["", *response_fields({"properties": own}, shapes="")]
    return [*lines, "", "```text", frame_of(sample), "```"]


def _first_sentence(described: type[Any]) -> str:
    return (
        description_of({"description": described.__doc__})
        .partition(": ")[0]
        .partition("; ")[0]
        .rstrip(".")
        .replace("`", "")
    )


def _contract_fields(kind: str) -> str:
    return CONTRACT.get(kind, "")
