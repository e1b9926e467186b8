"""Do the links within the built site lead somewhere? ``python docs/_ext/check_links.py site``."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The addresses that a page links to or shows."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note addresses."""
        self.addresses += [value for name, value in attrs if name in ("href", "src") and value]


def broken(site: Path) -> list[str]:
    """Links to files that are not there."""
    found = []
    for path in sorted(site.rglob("*.html")):
        if "_static" in path.parts or path.parent.name == "explorer":
            continue
        page = Page()
        page.feed(path.read_text("utf-8"))
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            if not (path.parent / unquote(parts.path)).exists():
                found.append(f"{path.relative_to(site)}: {address}")
    return found


if __name__ == "__main__":
    missing = broken(Path(sys.argv[1]))
    print("\n".join(missing) or "all links within the site lead somewhere")
    sys.exit(bool(missing))
