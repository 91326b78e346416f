"""Making a team, inviting, joining and leaving, as one does it on the pages."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse

from competition.models import Team, TermsAcceptance
from tests.support.builders import make_board, make_standing, make_task, make_team, make_user, publish
from tests.support.pages import Scene, make_scene
from tests.support.questions import questions

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def scene() -> Scene:
    return make_scene(terms="For research only.")


def text(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


def test_a_team_needs_a_name_and_the_terms(scene: Scene) -> None:
    client = scene.as_(make_user("newcomer"))
    answer = client.post("/tasks/ebisu/teams/new/", {"name": ""})
    assert answer.status_code == 422
    assert 'href="#id_name"' in text(answer)
    assert 'href="#id_terms"' in text(answer)
    answer = client.post("/tasks/ebisu/teams/new/", {"name": "  Ήλιος  ", "terms": "on"})
    team = Team.objects.get(name="Ήλιος")
    assert answer["Location"] == team.get_absolute_url()
    assert TermsAcceptance.objects.get().digest == scene.task.terms_digest


@pytest.mark.parametrize("name", ["aegean", "Aegean\u200b", "\u202enaegeA", "ＡＥＧＥＡＮ"])
def test_a_name_that_is_taken_or_plays_tricks_is_refused_at_its_field(scene: Scene, name: str) -> None:
    answer = scene.as_(make_user("newcomer")).post("/tasks/ebisu/teams/new/", {"name": name, "terms": "on"})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in text(answer)
    assert not Team.objects.exclude(pk__in=[scene.team.pk, scene.rivals.pk]).exists()
    assert not TermsAcceptance.objects.exists()


def test_one_is_in_one_team_per_task(scene: Scene) -> None:
    answer = scene.as_(scene.rival).post("/tasks/ebisu/teams/new/", {"name": "Second", "terms": "on"})
    assert answer.status_code == 422
    assert "You are in the team Rivals" in text(answer)


def test_after_the_team_one_is_back_where_one_came_from(scene: Scene) -> None:
    client = scene.as_(make_user("newcomer"))
    page = text(client.get(f"/tasks/ebisu/teams/new/?next={scene.address}submit/"))
    assert f'name="next" value="{scene.address}submit/"' in page
    sent = {"name": "New", "terms": "on", "next": f"{scene.address}submit/"}
    assert client.post("/tasks/ebisu/teams/new/", sent)["Location"] == f"{scene.address}submit/"


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil"]
)
def test_no_address_leads_elsewhere(scene: Scene, address: str) -> None:
    sent = {"name": "New", "terms": "on", "next": address}
    answer = scene.as_(make_user("newcomer")).post("/tasks/ebisu/teams/new/", sent)
    assert answer["Location"] == Team.objects.get(name="New").get_absolute_url()


def invitation_of(scene: Scene) -> str:
    client = scene.as_(scene.lead)
    client.post(f"{scene.team.get_absolute_url()}invite/")
    page = text(client.get(scene.team.get_absolute_url()))
    link = re.search(r'value="http://testserver(/invitations/[^"]+)"', page)
    assert link is not None
    assert link.group(1) not in text(client.get(scene.team.get_absolute_url())), "shown once only"
    return link.group(1)


def test_an_invitation_lets_one_person_in_once(scene: Scene) -> None:
    link = invitation_of(scene)
    friend, late = make_user("friend"), make_user("late")
    assert scene.as_(None).get(link)["Location"].startswith("/accounts/login/")
    assert "Join <bdi>Aegean</bdi>?" in text(scene.as_(friend).get(link))
    assert scene.as_(friend).post(link, {}).status_code == 422, "the terms come first"
    assert scene.as_(friend).post(link, {"terms": "on"})["Location"] == scene.team.get_absolute_url()
    assert scene.team.memberships.filter(user=friend, left_at=None).exists()
    answer = scene.as_(late).get(link)
    assert answer.status_code == 410
    assert "does not work any more" in text(answer)


def test_who_has_a_team_is_told_so_and_stays_there(scene: Scene) -> None:
    link = invitation_of(scene)
    answer = scene.as_(scene.rival).post(link, {"terms": "on"})
    assert "You are in the team Rivals" in text(answer)


def test_a_stranger_makes_no_invitation(scene: Scene) -> None:
    client = scene.as_(scene.rival)
    client.post(f"{scene.team.get_absolute_url()}invite/")
    assert not scene.team.invitations.exists()


def test_a_member_leaves_and_a_captain_hands_over_first(scene: Scene) -> None:
    lead, teammate, address = scene.as_(scene.lead), scene.as_(scene.teammate), scene.team.get_absolute_url()
    lead.post(f"{address}leave/")
    assert "hand the team over first" in text(lead.get(address))
    teammate.post(f"{address}captain/", {"member": scene.teammate.public_id})
    scene.team.refresh_from_db()
    assert scene.team.captain == scene.lead, "nobody makes oneself captain"
    lead.post(f"{address}captain/", {"member": scene.teammate.public_id})
    assert lead.post(f"{address}leave/")["Location"] == "/tasks/ebisu/"
    scene.team.refresh_from_db()
    assert scene.team.captain == scene.teammate
    assert not scene.team.memberships.filter(user=scene.lead, left_at=None).exists()


def test_a_stranger_becomes_no_captain(scene: Scene) -> None:
    answer = scene.as_(scene.lead).post(
        f"{scene.team.get_absolute_url()}captain/", {"member": scene.rival.public_id}
    )
    assert answer.status_code == 404


def test_a_captain_renames_the_team_and_a_taken_name_is_refused_at_the_field(scene: Scene) -> None:
    client, address = scene.as_(scene.lead), scene.team.get_absolute_url()
    answer = client.post(f"{address}rename/", {"name": "RIVALS"})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in text(answer)
    assert "<h1><bdi>Aegean</bdi></h1>" in text(answer)
    client.post(f"{address}rename/", {"name": "Ionian"})
    assert "<h1><bdi>Ionian</bdi></h1>" in text(client.get(address))
    scene.as_(scene.teammate).post(f"{address}rename/", {"name": "Mutiny"})
    assert "<h1><bdi>Ionian</bdi></h1>" in text(client.get(address))


def test_team_names_stand_apart_from_the_text_around_them(scene: Scene) -> None:
    team = scene.team
    team.name = "فريق <b>"
    team.save()
    page = text(scene.as_(None).get(team.get_absolute_url()))
    assert "<bdi>فريق &lt;b&gt;</bdi>" in page


def test_where_teams_are_anonymous_a_stranger_finds_none_until_publication(scene: Scene) -> None:
    scene.task.anonymous_until_publication = True
    scene.task.save()
    address = scene.team.get_absolute_url()
    for stranger in (None, scene.rival, make_user("newcomer")):
        assert scene.as_(stranger).get(address).status_code == 404
    assert scene.as_(scene.rival).post(f"{address}rename/", {"name": ""}).status_code == 404
    for insider in (scene.lead, scene.teammate, scene.organizer):
        assert scene.as_(insider).get(address).status_code == 200
    board = make_board(scene.dev, scene.track)
    make_standing(board, scene.team)
    assert scene.as_(None).get(address).status_code == 404
    publish(board)
    assert "Aegean" in text(scene.as_(None).get(address))
    assert scene.as_(None).get(scene.rivals.get_absolute_url()).status_code == 404


def test_the_head_tells_teams_of_one_name_apart_by_their_task(scene: Scene) -> None:
    """A group takes its name along to each task; a name that only looks the same is as hard to tell apart."""

    def head() -> list[str]:
        page = scene.as_(scene.lead).get("/").content.decode()
        who = page.partition('aria-label="Account">')[2].partition("</nav>")[0]
        links = re.findall(r'<a href="/teams/[^"]+">(.*?)</a>', who)
        return sorted(re.sub(r"<[^>]+>", "", link) for link in links)

    make_team(make_task("apart", name="Apart"), "Ionian", scene.lead)
    make_team(make_task("foreign"), "Aegean", scene.rival)
    assert head() == ["Aegean", "Ionian"]
    make_team(make_task("fin", name="FinTagging <2>"), "aegean", scene.lead)
    make_team(make_task("multi", name="MultiFin"), "Aеgean", scene.lead)  # a Cyrillic letter
    assert head() == [
        "Aegean in Ebisu 2027",
        "Aеgean in MultiFin",
        "Ionian",
        "aegean in FinTagging &lt;2&gt;",
    ]
    with questions() as asked:
        head()
    teams = [one for one in asked if 'FROM "competition_team"' in one]
    assert len(teams) == 1
