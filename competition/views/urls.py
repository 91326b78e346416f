"""Addresses of the site's own pages."""

from __future__ import annotations

from django.urls import path

from competition.views import (
    boards,
    checking,
    codes,
    composite,
    home,
    item_scores,
    status,
    submissions,
    teams,
    tracks,
    validators,
)

TRACK = "tasks/<slug:task>/<slug:track>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("status", status.status, name="status"),
    path("healthz", status.healthz, name="healthz"),
    path("readyz", status.readyz, name="readyz"),
    path("codes/", codes.index, name="codes"),
    path("codes/<str:code>/", codes.code, name="code"),
    path("tasks/<slug:task>/", home.task, name="task"),
    path("tasks/<slug:task>/teams/new/", teams.new_team, name="create_team"),
    path("tasks/<slug:task>/validators.pyz", validators.archive_file, name="archive_file"),
    path("tasks/<slug:task>/tracks/together/", composite.together, name="together"),
    path(TRACK, tracks.overview, name="track"),
    path(f"{TRACK}data/", tracks.data, name="data"),
    path(f"{TRACK}data/<slug:phase>/SHA256SUMS", validators.sums_file, name="sums_file"),
    path(f"{TRACK}data/<slug:phase>/items.jsonl", validators.items_file, name="items_file"),
    path(f"{TRACK}data/<slug:phase>/sample.jsonl", validators.sample_file, name="sample_file"),
    path(f"{TRACK}data/<slug:phase>/<str:name>", validators.validator_file, name="validator_file"),
    path(f"{TRACK}check/", checking.check, name="check"),
    path(f"{TRACK}evaluation/", tracks.evaluation, name="evaluation"),
    path(f"{TRACK}submit/", submissions.submit, name="submit"),
    path(f"{TRACK}leaderboard/", boards.leaderboard, name="leaderboard"),
    path("invitations/<str:token>/", teams.invitation, name="invitation"),
    path("teams/<slug:public_id>/", teams.team, name="team"),
    path("teams/<slug:public_id>/invite/", teams.make_invitation, name="invite"),
    path("teams/<slug:public_id>/rename/", teams.rename, name="rename"),
    path("teams/<slug:public_id>/captain/", teams.make_captain, name="make_captain"),
    path("teams/<slug:public_id>/leave/", teams.leave, name="leave"),
    path("submissions/<slug:public_id>/", submissions.submission, name="submission"),
    path("submissions/<slug:public_id>/withdraw/", submissions.withdraw, name="withdraw"),
    path("submissions/<slug:public_id>/choose/", submissions.choose, name="choose"),
    path("submissions/<slug:public_id>/items.<str:form>", item_scores.download),
    path("submissions/<slug:public_id>/problems.<str:form>", submissions.submission_problems),
    path("refused/<slug:public_id>/", submissions.refused_upload, name="refused_upload"),
    path("refused/<slug:public_id>/problems.<str:form>", submissions.refused_problems),
    path("boards/<slug:public_id>/", boards.frozen, name="board"),
    path("boards/<slug:public_id>.<str:ending>", boards.export, name="board_export"),
]
