"""The dependencies of a web application, with other limits of requests."""

from dataclasses import replace

from sprout.web.http.dependencies import WebDependencies
from sprout.web.http.limits import WebLimits


def with_limits(dependencies: WebDependencies, limits: WebLimits) -> WebDependencies:
    """The same dependencies, under these limits."""
    return replace(dependencies, policy=replace(dependencies.policy, limits=limits))
