"""Request of the AG-UI protocol, with what Sprout reads in it."""

from typing import Annotated

from ag_ui.core import ResumeEntry, RunAgentInput
from pydantic import Field, StringConstraints

from sprout.web.schemas.requests import Id, RequestModel

ClientId = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ForwardedProps(RequestModel):
    """What a front end may say beside the conversation."""

    agent: Id | None = Field(
        default=None, description="topic, refinement, tutor or one that was added; by default as the node needs"
    )
    node_id: Id | None = Field(default=None, description="what the agent works on; by default what the thread is about")
    small: bool = Field(default=False, description="whether a new path shall have a few concepts only")


class AgentInput(RunAgentInput):
    """RunAgentInput of AG-UI 1.0: the thread, the run, the conversation so far, and what Sprout reads beside it."""

    thread_id: ClientId = Field(description="the id of a node, or any other: then its first message begins a path")
    run_id: ClientId = Field(description="sent again, it joins the run that it has started")
    forwarded_props: ForwardedProps | None = None
    resume: Annotated[list[ResumeEntry], Field(max_length=1)] | None = Field(
        default=None, description="the answer to the question that a run has ended with: its payload is text"
    )
