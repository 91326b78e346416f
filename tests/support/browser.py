"""What a browser test watches for besides what it came to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page, Response

LAUNCH = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]

REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content policy: ${event.effectiveDirective} refused ${event.blockedURI}`));
"""

# A page may well answer 403, 404 or 422 to what a test does; the responses are judged on their own.
LOADING = "Failed to load resource"
A_PAGE = {"document", "fetch", "xhr"}


def watch(page: Page) -> list[str]:
    """A list that fills with what goes wrong on the page: script errors, violations, 5xx, missing files."""
    faults: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(LOADING):
            faults.append(f"{page.url}: {message.text}")

    def on_response(response: Response) -> None:
        missing_file = response.status >= 400 and response.request.resource_type not in A_PAGE
        if response.status >= 500 or missing_file:
            faults.append(f"{response.url}: {response.status}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on("response", on_response)
    page.add_init_script(REPORT_VIOLATIONS)
    return faults
