"""The organizers' desk."""

from competition.admin import boards, files, people, phases, submissions, tasks, teams
from competition.admin.site import desk

__all__ = ["boards", "desk", "files", "people", "phases", "submissions", "tasks", "teams"]
