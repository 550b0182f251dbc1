"""Errors in the words of other model servers: a prompt that is longer than their window."""

from typing import Any

from sprout.offline.faults.scenarios import Scenario

WINDOW = 8192

# Status and body, as each sends them; servers in the style of OpenAI's wrap theirs in another shape than Anthropic's.
FOREIGN_ERRORS: dict[Scenario, tuple[int, dict[str, Any]]] = {
    Scenario.TOO_LONG_LLAMA_CPP: (
        400,
        {
            "error": {
                "code": 400,
                "message": f"request (8215 tokens) exceeds the available context size ({WINDOW} tokens), try increasing"
                " it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 8215,
                "n_ctx": WINDOW,
            }
        },
    ),
    Scenario.TOO_LONG_VLLM: (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": f"This model's maximum context length is {WINDOW} tokens. However, you requested 16215"
                " tokens (8215 in the messages, 8000 in the completion).",
            },
        },
    ),
    Scenario.TOO_LONG_LM_STUDIO: (
        400,
        {"error": f"Cannot truncate prompt with n_keep (8215) >= n_ctx ({WINDOW})"},
    ),
    Scenario.TOO_LONG_OLLAMA: (
        500,
        {"type": "error", "error": {"type": "api_error", "message": "the input length exceeds the context length"}},
    ),
}
