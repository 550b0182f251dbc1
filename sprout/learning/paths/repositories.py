"""Repositories that an agent or a tool of the tutor is given, as one object."""

from typing import Protocol

from sprout.learning.paths.graph_repository import GraphRepository
from sprout.learning.paths.passages import PassageRepository
from sprout.learning.questions.diagnostics import DiagnosticRepository


class Repositories(GraphRepository, DiagnosticRepository, PassageRepository, Protocol):
    """The learner's paths, diagnostics and documents: what added agents and tools may read and change."""
