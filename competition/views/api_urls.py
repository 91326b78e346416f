"""Addresses of the API."""

from __future__ import annotations

from django.urls import path

from competition.views import api, api_boards, openapi

PLACE = "tasks/<slug:task>/<slug:track>/<slug:phase>/"

urlpatterns = [
    path("tasks/", api.tasks, name="api_tasks"),
    path("tasks/<slug:task>/", api.task, name="api_task"),
    path(f"{PLACE}quota/", api.quota, name="api_quota"),
    path(f"{PLACE}submissions/", api.runs, name="api_runs"),
    path(f"{PLACE}leaderboard/", api_boards.board, name="api_board"),
    path("submissions/<slug:public_id>/", api.run, name="api_run"),
    path("submissions/<slug:public_id>/problems/", api.problems, name="api_problems"),
    path("refused/<slug:public_id>/", api.refusal, name="api_refusal"),
    path("boards/<slug:public_id>/", api_boards.frozen_board, name="api_frozen_board"),
]
urlpatterns.append(path("openapi.json", openapi.described(urlpatterns), name="api_description"))
