"""The organizers' desk."""

from competition.admin.site import desk

__all__ = ["desk"]
