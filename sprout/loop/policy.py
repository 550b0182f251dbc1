"""Policy of the loop: all its numbers in one place."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1)]
CountOrNone = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(gt=0, le=1)]


class LoopPolicy(BaseModel):
    """Limits, retries and waits of the loop; agents override some numbers, settings override all.

    Times are seconds, sizes bytes or tokens as named. A nonsensical value is refused when the policy is made,
    in an error that names the field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_iterations: Count = 15
    max_output_tokens: Count = 8_000
    escalated_output_tokens: Count = 64_000
    max_continuations: CountOrNone = 3

    rate_limit_retries: CountOrNone = 3
    rate_limit_base_s: Seconds = 2.0
    overload_retries: CountOrNone = 10
    overload_base_s: Seconds = 0.5
    overload_cap_s: Seconds = 32.0
    jitter: Annotated[float, Field(ge=0, le=1)] = 0.25
    overloads_before_fallback: Count = 3
    fallback_cooldown_s: Seconds = 60.0
    stream_idle_s: Seconds = 60.0
    first_byte_s: Seconds = 60.0
    local_first_byte_s: Seconds = 600.0
    reading_retries: CountOrNone = 1
    repetition_retries: CountOrNone = 1

    tool_attempts: Count = 3
    tool_backoff_s: tuple[Seconds, ...] = (0.5, 2.0, 8.0)
    tool_timeout_s: Seconds = 30.0
    tool_result_max_bytes: Count = 50_000
    parallel_tools: bool = True

    thrash_window: Count = 6
    thrash_identical: Count = 3
    thrash_pattern: Count = 4
    max_identical_batches: Count | None = None

    compaction_threshold: Share = 0.70
    reserve_tokens: CountOrNone = 20_000
    buffer_tokens: CountOrNone = 13_000
    context_window: Count | None = None
    keep_compact: Count = 10
    keep_prune: Count = 4
    recovery_window: Count = 20
    max_recoveries: CountOrNone = 4
    prune_keep_recent: CountOrNone = 2
    prune_max_bytes: Count = 200
    prune_keep_task: bool = True

    soft_limit_s: Seconds = 900.0
    hard_limit_s: Seconds = 1_200.0
    stalled_turns: Count = 3
    stalled_tokens: Count = 500

    max_run_tokens: Count | None = None
    max_run_cost_usd: Annotated[float, Field(gt=0)] | None = None
    children: Count = 10
    thinking_tokens: dict[Literal["opus", "sonnet", "haiku"], Count] = {
        "opus": 32_000,
        "sonnet": 16_000,
        "haiku": 8_000,
    }
