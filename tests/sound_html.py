"""Whether HTML is sound: tags closed in order, pictures and charts with a text for who listens."""

from html.parser import HTMLParser

ALONE = {"!doctype", "meta", "br", "img", "rect", "polygon", "line", "link", "input", "path", "use"}


class Checker(HTMLParser):
    """Tags are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.tags = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "img":
            assert dict(attrs).get("alt")
        if tag == "svg":
            assert dict(attrs).get("aria-label")
        if tag not in ALONE:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        if tag not in ALONE:
            assert self.open.pop() == tag
