"""What one carrier of a run leaves to the next, so that the run goes on where it stood."""

from dataclasses import dataclass

from sprout.events import Usage


@dataclass(frozen=True, slots=True)
class Carried:
    """How far a run had come under its earlier carriers (K3, K8, trap 7).

    Args:
        iterations: model calls of which something is in the transcript.
        usage: of all calls so far, failed attempts and summaries included.
        elapsed_s: what those carriers took together; the time between two of them does not count.
        stop_reason: of the last reply, as `MessageAdded` told it.
        view: `Compacted.state` as it was told last; None: never.
        begun_with: how many messages were there before the run's first reply.
        reply_is_new: the last message was put together from the calls of a reply that broke off, and is not kept yet:
            it is told of first.
    """

    iterations: int = 0
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    stop_reason: str | None = None
    view: str | None = None
    begun_with: int = 1
    reply_is_new: bool = False
