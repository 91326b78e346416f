"""Items that were replaced: which runs answered others, and which wait until there is gold for theirs."""

from __future__ import annotations

from functools import lru_cache

from competition.domain.blobs import load_digest
from competition.domain.checking import judge
from competition.exceptions import NotChecked
from competition.models import GoldVersion, ItemSet, Submission


def answered_others(submission: Submission, item_set: ItemSet) -> bool:
    """Whether a run was checked against other items than these, which it may fit all the same."""
    return _answered(submission) not in ("", item_set.blob_id)


def _answered(submission: Submission) -> str:
    return str(submission.warnings.get("digests", {}).get("items") or "")


def waits_for_its_gold(submission: Submission, gold_version: GoldVersion) -> bool:
    """Whether a run answers newer items than this gold was checked against, and does not fit those: scoring
    it would fail, through nobody's fault but the order of two uploads.
    """
    return would_wait(submission.blob_id, _answered(submission), gold_version)


def would_wait(run: str, answered: str, gold_version: GoldVersion) -> bool:
    """The same of a stored run that was checked against items; both by their digests."""
    item_set = gold_version.item_set
    if item_set is None or not answered or answered == item_set.blob_id:
        return False
    newer = ItemSet.objects.filter(
        phase=gold_version.phase_id,
        track=gold_version.track_id,
        version__gt=item_set.version,
        blob=answered,
    )
    if not newer.exists():
        return False
    try:
        return not _fits(item_set.pk, run)
    except NotChecked:
        return False  # the worker will tell


@lru_cache(maxsize=4096)
def _fits(item_set: int, digest: str) -> bool:
    """Neither ever changes, and a sweep asks again and again."""
    found = ItemSet.objects.select_related("phase__task", "track").get(pk=item_set)
    return judge(found, load_digest(digest)).ok


def what_new_items_change(item_set: ItemSet) -> list[str]:
    """What whoever uploaded new items should know of the gold and the runs that are there."""
    said = []
    gold = GoldVersion.objects.current_for(item_set.phase, item_set.track)
    if gold is not None and gold.item_set is not None and gold.item_set.blob_id != item_set.blob_id:
        said.append(
            f"{str(gold).capitalize()} was checked against {gold.item_set}: upload gold for these. "
            "Until then, a run that fits only the new items waits."
        )
    runs = Submission.objects.standing().filter(phase=item_set.phase, track=item_set.track)
    others = runs.count() - runs.filter(warnings__digests__items=item_set.blob_id).count()
    if others:
        who = "1 run that stands was" if others == 1 else f"{others:,} runs that stand were"
        said.append(
            f"{who} checked against earlier items. What does not fit these too cannot be scored with new "
            "gold: ask the teams to send again."
        )
    return said
