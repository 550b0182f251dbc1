"""Sprout: an open tutoring backend."""

__version__ = "0.2.0.dev0"
