"""Table of what was found out about models."""

from datetime import datetime

from sqlmodel import Field

from sprout.store.schema.columns import SafeText, TableModel, UtcTime


class ModelProbeTable(TableModel, table=True):
    """The last probe of a model at an address; None where it found nothing out."""

    __tablename__ = "model_probes"

    address: str = Field(primary_key=True, sa_type=SafeText)
    model: str = Field(primary_key=True, sa_type=SafeText)
    probed_at: datetime = Field(sa_type=UtcTime)
    tool_calls: int | None = None
    calls_in_one_reply: int | None = None
    nested_input: bool | None = None
    heeds_system: bool | None = None
    streams: bool | None = None
    thinks: bool | None = None
    long_prompt: str | None = Field(default=None, sa_type=SafeText)
    window: int | None = None
    tokens_per_s: float | None = None
    first_byte_s: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls_in_form: int | None = None
