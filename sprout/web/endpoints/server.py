"""Endpoints about the server itself."""

from sprout.accounts.access import ADMIN, ADMIN_IN_PERSON, PUBLIC, READ
from sprout.runs.model_probes import ProbedModel
from sprout.web.endpoints.shapes import NO_CONTENT, RUN_LIMITER, one, rows
from sprout.web.handlers import model_key, server
from sprout.web.http.endpoint import AnyEndpoint, Endpoint, group
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.schemas import requests, responses

# fmt: off
SERVER: tuple[AnyEndpoint, ...] = (
    *group("Server", lambda web: web.server_probes,
        Endpoint("GET", "/api/health", PUBLIC, server.get_health, "Whether the server and its database answer",
                 one("Healthy.", responses.Health), (503,)),
        Endpoint("GET", "/api/status", READ, server.get_status,
                 "Version, models, limits, estimates and suggested topics",
                 (Status(200, "An object with version, model, models, probes, limits, estimate and suggestions."),)),
        Endpoint("POST", "/api/models/probe", ADMIN, server.probe_models,
                 "Probe every model in use: up to a minute, and 20,000 tokens for each",
                 rows("The models with what was found out.", ProbedModel), (409, 503), rate_limiter=RUN_LIMITER),
        Endpoint("GET", "/api/schema/events", PUBLIC, server.get_event_schema,
                 "The JSON Schema of every event of a run",
                 (Status(200, "A JSON Schema."),)),
        Endpoint("GET", "/healthz", PUBLIC, server.get_liveness, "Whether the process is alive",
                 one("Alive.", responses.Health)),
        Endpoint("GET", "/readyz", PUBLIC, server.get_readiness,
                 "Whether requests can be served: database, schema and built-in model respond, no shutdown",
                 one("Ready.", responses.Health), (503,)),
        Endpoint("GET", "/metrics", ADMIN, server.get_metrics, "Metrics for Prometheus",
                 (Status(200, "The metrics.", media_type="text/plain"),))),
    *group("Server", lambda web: web.logged_model_key,
        Endpoint("PUT", "/api/model-key", ADMIN_IN_PERSON, model_key.keep_key,
                 "Keep a model key in the data folder, to be used from the next start on", (NO_CONTENT,),
                 (409, 503), body=requests.ModelKeyChange),
        Endpoint("DELETE", "/api/model-key", ADMIN_IN_PERSON, model_key.remove_key,
                 "Remove the model key that the data folder keeps", (NO_CONTENT,), (409, 503))),
)
# fmt: on
