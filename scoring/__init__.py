"""Checks and scores for NLP shared tasks: text and numbers only, no Django, no clock, no network."""

__version__ = "1.0.0"
