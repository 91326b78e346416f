"""Organizers' Markdown as safe HTML: no raw HTML goes in, and what comes out is cleaned again."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

INLINE = {"a", "br", "code", "em", "strong"}
BLOCKS = {"blockquote", "h3", "h4", "h5", "hr", "li", "ol", "p", "pre", "ul"}
TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
LINKS = {"http", "https", "mailto"}


def as_html(text: str) -> SafeString:
    """Markdown text as HTML with headings below the page's own. Pictures, styles and scripts are dropped."""
    if not text.strip():
        return mark_safe("")  # nosec B308 B703
    html = _markdown.render(text)
    for low, high in ((4, 5), (3, 5), (2, 4), (1, 3)):
        html = html.replace(f"<h{low}>", f"<h{high}>").replace(f"</h{low}>", f"</h{high}>")
    clean = nh3.clean(html, tags=INLINE | BLOCKS | TABLES, attributes={"a": {"href"}}, url_schemes=LINKS)
    return mark_safe(clean)  # nosec B308 B703
