"""Pages in a real browser: Playwright with the Chromium of the system."""

import shutil
from contextlib import contextmanager

import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def executable():
    """Where Chromium is, or ``None``."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


def why_not():
    """Why pages cannot be tried on this machine; empty if they can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed"
    return "" if executable() else "Chromium is not installed (apt install chromium)"


needs_browser = pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is a browser")


@contextmanager
def started():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser, address, *, width=1200, dark=False, touch=False, strict=True):
    """A page; if strict, complains of messages on the console and of requests to anywhere else."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        has_touch=touch,
    )
    page = context.new_page()
    page.set_default_timeout(60_000)  # on a busy machine
    told, asked = [], []
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_selector("#loading", state="detached")
    try:
        yield page
        if not strict:
            return
        assert told == []
        home = address.split("?")[0].rsplit("/", 1)[0]
        elsewhere = [url for url in asked if not url.startswith((home, "data:", "blob:"))]
        assert elsewhere == []
    finally:
        context.close()
