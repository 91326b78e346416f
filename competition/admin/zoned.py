"""Dates as organizers have them: "25 May, anywhere on Earth", "18:00 in Oslo", or UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString

from competition.domain.phases import AOE, in_words

AOE_NAME = "AoE"
FIRST_ZONES = (AOE_NAME, "UTC")
REGIONS = {
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
}
YEARS = range(1970, 3000)
"""At the ends of the calendar the same moment has no date in another zone."""

WholeDay = Literal["start", "end"]


def read_moment(text: str, zone: str, whole_day: WholeDay = "start") -> datetime:
    """A moment in UTC from a date, a date and time, or an ISO time with its own offset.

    A date alone is its first moment, or, where it ends something, the first moment after it. A time that the
    zone's clocks skip or show twice is refused. Raises ValueError with a sentence.
    """
    text = " ".join(text.strip().upper().split())
    if re.match(r"\d{4}", text) and int(text[:4]) not in YEARS:
        raise ValueError(f"Write a year from {YEARS[0]} to {YEARS[-1]}.")
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            day = date.fromisoformat(text) + timedelta(days=1 if whole_day == "end" else 0)
            naive = datetime.combine(day, time())
        else:
            naive = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("Write a date as 2026-05-25, or a date and time as 2026-05-25 23:59.") from error
    if naive.tzinfo is not None:
        return naive.astimezone(UTC)
    return _in_zone(naive, _zone(zone), zone)


def _in_zone(naive: datetime, zone: tzinfo, name: str) -> datetime:
    first, second = (naive.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first.astimezone(zone).replace(tzinfo=None) != naive:
        raise ValueError(f"In {name} the clocks skip this time that night. Give it in UTC.")
    if first != second:
        raise ValueError(f"In {name} the clocks show this time twice that night. Give it in UTC.")
    return first


def _zone(name: str) -> tzinfo:
    if name == AOE_NAME:
        return AOE
    if name not in zone_names():
        raise ValueError("Choose a time zone from the list.")
    return ZoneInfo(name)


@cache
def zone_names() -> tuple[str, ...]:
    return (*FIRST_ZONES, *sorted(name for name in available_timezones() if name.split("/")[0] in REGIONS))


class ZonedWidget(forms.MultiWidget):
    template_name = "admin/competition/zoned.html"
    whole_day: WholeDay = "start"

    class Media:
        js = [forms.Script("js/zoned.js", defer=True)]

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        zones = [(name, "Anywhere on Earth (UTC−12)" if name == AOE_NAME else name) for name in zone_names()]
        widgets: dict[str, forms.Widget | type[forms.Widget]] = {
            "text": forms.TextInput(
                {"size": 18, "placeholder": "2026-05-25 23:59", "aria-label": "Date and time"}
            ),
            "zone": forms.Select({"aria-label": "Time zone"}, choices=zones),
        }
        super().__init__(widgets, attrs)

    def decompress(self, value: datetime | None) -> list[str]:
        """Shown anywhere on Earth, as deadlines are usually said."""
        if value is None:
            return ["", AOE_NAME]
        local = value.astimezone(AOE).replace(tzinfo=None)
        precise = "auto" if local.microsecond or local.second else "minutes"
        return [local.isoformat(" ", precise), AOE_NAME]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["preview"] = preview(value, self.whole_day)
        context["whole_day"] = self.whole_day
        return context

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_text" if id_ else id_


def preview(value: Any, whole_day: WholeDay) -> str:
    """What was typed or stored, as the pages will say it; empty while it cannot be read."""
    if isinstance(value, datetime):
        return in_words(value)
    if isinstance(value, list) and value and value[0]:
        try:
            return in_words(read_moment(value[0], value[1], whole_day))
        except ValueError:
            return ""
    return ""


class ZonedField(forms.MultiValueField):
    """A moment, typed in any zone. `whole_day` says what a date without a time means."""

    widget = ZonedWidget

    def __init__(self, *, whole_day: WholeDay = "start", **kwargs: Any) -> None:
        self.whole_day = whole_day
        kwargs.pop("encoder", None)
        fields = (
            forms.CharField(max_length=40),
            forms.ChoiceField(choices=[(name, name) for name in zone_names()]),
        )
        super().__init__(fields, require_all_fields=False, **kwargs)
        self.widget.whole_day = whole_day

    def clean(self, value: Any) -> Any:
        """A zone alone is nothing said: a browser sends the one that is chosen, whatever is typed."""
        typed = value if isinstance(value, list) else []
        return super().clean(value if typed and (typed[0] or "").strip() else [])

    def compress(self, data_list: list[str]) -> datetime | None:
        if not data_list or not data_list[0]:
            return None
        try:
            return read_moment(data_list[0], data_list[1], self.whole_day)
        except ValueError as error:
            raise forms.ValidationError(str(error), code="moment") from error

    def has_changed(self, initial: datetime | None, data: Any) -> bool:
        """Whether the moment is another, however it is written."""
        try:
            return self.clean(data) != initial
        except forms.ValidationError:
            return True


def two_zones(moment: datetime | None) -> SafeString | str:
    """For a list: UTC, and AoE under it."""
    if moment is None:
        return "–"
    words = in_words(moment)
    universal, anywhere = words.removesuffix(")").split(" (")
    return format_html('{}<br><span class="quiet">{}</span>', universal, anywhere)
