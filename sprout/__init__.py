"""Sprout: an open tutoring backend."""

__version__ = "0.1.0.dev0"
