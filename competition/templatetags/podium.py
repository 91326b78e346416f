"""How pages write dates, ages, numbers, states and text in other scripts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from competition.views.markdown import as_html

register = template.Library()

AOE = timezone(timedelta(hours=-12), "AoE")
RIGHT_TO_LEFT = frozenset({"ar", "arc", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})
LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "zh": "Chinese",
    "zh-Hans": "Chinese",
    "zh-Hant": "Chinese (traditional)",
}
SHAPES = {
    "good": '<circle cx="5" cy="5" r="4.5"/>',
    "warn": '<path d="M5 .5 9.8 9.5H.2z"/>',
    "bad": '<path d="M1 1h8v8H1z"/>',
    "calm": '<circle cx="5" cy="5" r="3.8" fill="none" stroke-width="1.6"/>',
}
UNSEEN = re.compile(r"&lt;(U\+[0-9A-F]{4,6})&gt;")


TITLE_WORD = re.compile(r"(?<=[\s-])(?<![.?!]\s)(?!Podium\b)[A-Z][a-z]*(?=[\s,:;?!)-]|\.\s|\.?$)")
"""A word after the first that only a title spells with a capital; acronyms and addresses are none."""


@register.filter
def sentence_case(text: str) -> str:
    """ "Reset My Password" as the pages say it: "Reset my password"."""
    return TITLE_WORD.sub(lambda word: word[0].lower() if word[0] != "I" else "I", str(text).strip())


def written(moment: datetime, zone: timezone = UTC) -> str:
    """27 May 2026 12:00"""
    local = moment.astimezone(zone)
    return f"{local.day} {local:%B %Y %H:%M}"


def span(seconds: float) -> str:
    """A length of time in its two largest units: "2 days 4 hours"."""
    left, parts = int(seconds), []
    for name, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "less than a minute"


@register.filter
def until(moment: datetime, now: datetime) -> str:
    seconds = (moment - now).total_seconds()
    return f"in {span(seconds)}" if seconds >= 0 else f"{span(-seconds)} ago"


@register.filter
def age(moment: datetime, now: datetime) -> str:
    """How long ago, short enough for a status sentence: "12 s", "3 min", "2 h", "5 d"."""
    seconds = max(0, int((now - moment).total_seconds()))
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {name}"
    return f"{seconds} s"


@register.simple_tag
def moment(value: datetime | None) -> SafeString | str:
    """One moment in running text or a table: UTC, the visitor's zone as its title."""
    if value is None:
        return "–"
    return format_html(
        '<time datetime="{}" data-own="title">{} UTC</time>', value.isoformat(), written(value)
    )


@register.simple_tag
def second(value: datetime) -> SafeString:
    """A receipt's moment, to the second."""
    text = f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return format_html('<time datetime="{}" data-own="title">{} UTC</time>', value.isoformat(), text)


@register.inclusion_tag("includes/deadline.html")
def deadline(value: datetime, now: datetime) -> dict[str, str]:
    """A deadline in three lines: the visitor's zone, AoE and UTC, how long until then."""
    return {
        "iso": value.isoformat(),
        "utc": written(value),
        "aoe": written(value, AOE),
        "until": until(value, now),
    }


@register.simple_tag
def countdown(value: datetime, now: datetime) -> SafeString:
    return format_html('<span data-until="{}">{}</span>', value.isoformat(), until(value, now))


@register.simple_tag
def state(word: str, tone: str = "calm") -> SafeString:
    """A state as a shape and a word; `tone` is good, warn, bad or calm."""
    shape = mark_safe(f'<svg viewBox="0 0 10 10" aria-hidden="true">{SHAPES[tone]}</svg>')  # nosec B308 B703
    return format_html('<span class="state {}">{}{}</span>', tone, shape, word)


@register.filter
def language(code: str) -> str:
    """A language's English name, or its code where we have none."""
    return LANGUAGES.get(code) or LANGUAGES.get(code.split("-")[0], code)


@register.filter
def direction(code: str | None) -> str:
    """The writing direction of a language, `auto` where it is not known."""
    if not code:
        return "auto"
    return "rtl" if code.split("-")[0] in RIGHT_TO_LEFT else "ltr"


@register.filter
def file_size(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:.1f} KiB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MiB"


@register.filter
def unseen(text: Any) -> SafeString:
    """Text in which `problems.visible` spelled out characters, those set apart: <U+200B>."""
    return mark_safe(UNSEEN.sub(r'<span class="unseen">\1</span>', escape(text)))  # nosec B308 B703


@register.filter
def markdown(text: str) -> SafeString:
    """Organizers' Markdown, made safe."""
    return as_html(text)


@register.filter
def plural(count: int, words: str) -> str:
    """`3|plural:"run,runs"` → "3 runs"."""
    one, many = words.split(",")
    return f"{count:,} {one if count == 1 else many}"


@register.filter
def item(mapping: Any, key: Any) -> Any:
    """A mapping's value by a key that is only known in the template."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def aoe(value: datetime) -> str:
    return f"{written(value, AOE)} AoE"


@register.simple_tag
def phase_state(phase: Any, now: datetime) -> SafeString:
    """A phase's state now, with a shape."""
    status = phase.status_at(now)
    return state(status.label.capitalize(), "good" if status == "open" else "calm")


@register.simple_tag
def quota_rule(phase: Any) -> str:
    """A phase's limits in words."""
    limits = []
    if phase.daily_quota is not None:
        limits.append(f"{phase.daily_quota} a day")
    if phase.total_quota is not None:
        limits.append(f"{phase.total_quota} in all")
    return ", ".join(limits) or "no limit"
